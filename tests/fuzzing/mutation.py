"""Draws cases: a command line that works, with a few words and files of it changed at random."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

TRAINING = (
    "--batch 4 --processes 1 --set hidden=8 --set embedding=8 --set decoder_hidden=8 --set overview=0 "
    "--validate-every 2 --validation-tasks 2"
)
QUICK = "--timeout 0.2"
LINES = [
    f"solve examples.txt {QUICK}",
    f"solve examples.json {QUICK} --json",
    f"solve examples.txt {QUICK} --emit c --strategy symbolic",
    f"solve examples.txt {QUICK} --strategy neural --weights exported --top 3",
    f"solve - {QUICK} --trace --partial --min-confidence 0.9",
    f"solve --example '[1,2,3] -> [2,3,4]' --example '[5 0 7] => [6,1,8]' {QUICK}",
    f"solve --ask --example '[3,-2] -> [3,0]' --example '[-1,4] -> [0,4]' {QUICK} --strategy symbolic",
    f"solve --example '2, [5,6,7] -> [6,7]' --example '[1,2], 1 -> [2]' {QUICK} --language lists",
    f"solve record.json {QUICK} --language karel --picture drawn.svg",
    f"solve record.json {QUICK} --json",
    "run program.c --input [1,2,3,4,0] --trace --json",
    "run program.c --input '[1 2 3 4 0]' --input [4,3,2,1,0]",
    "run program.karel --input world.txt --picture drawn.svg",
    "run program.karel --input '> 1 . / . . .' --trace",
    "run program.lists --input [3,1,2] --trace --json",
    "reduce program.c --input [1,2,3,4,0] --random 20 --seed 3",
    "reduce program.karel --random 10",
    "reduce program.lists --random 10",
    "generate c --out new --train 6 --val 2 --test 3 --processes 1 --reduce --seed 4",
    "generate c --out new --test 3 --list-length 4 --smallest-value -2 --largest-value 3 --processes 1 --examples 4",
    "generate karel --out new --train 3 --processes 1",
    "generate lists --out new --train 3 --processes 1",
    "generate c --out data --train 3 --processes 1 --overwrite",
    "stats data --split train --limit 20 --json figures.json",
    "stats data/test.parquet data/train.parquet",
    "stats grids",
    "import c authors --out new --split test",
    "import karel records.jsonl --out new --split val",
    f"train data --out new --steps 2 {TRAINING}",
    f"train data --out run --steps 3 --resume --model NoExecutor {TRAINING}",
    f"train data --out new --steps 1 --begin-with exported --model NoExecutor {TRAINING}",
    "evaluate run data/test.parquet --beam 2 --max-length 12 --limit 3 --given 2 --processes 1 --json measured.json",
    "evaluate data/test.parquet --model ClosedForm --processes 1",
    "relabel run data --out new --beam 2 --max-length 12 --processes 1 --shard 16",
    f"retrain data --out new --iterations 1 --steps 1 --beam 2 --max-length 12 --model NoExecutor {TRAINING}",
    "export run --out new --evaluation evaluation.json --checkpoint last",
    "--help",
    "solve --help",
    "generate c --help",
    "train --help",
    "--version",
]
"""Command lines that work in the folder of `fixtures.py`."""

WORDS = [
    "", " ", "-", "--", "-1", "0", "1", "2", "0.5", "1e400", "nan", "-inf", "NaN", "None", "True", "true", "yes",
    "[]", "[1]", "[1,2]", "[[1]]", "[1,2,3] ->", "-> [1]", "[1] -> [1]", "[2147483648] -> [1]", "{}", "null", "c",
    "karel", "lists", "-h", "-H", "--help", "--version", "-x", "--no-such", "---", "=", "--=", "--out=", "--json=x",
    "new", ".", "..", "data", "run", "exported", "data/train.parquet", "no/such/file", "program.c", "examples.txt",
    "/dev/null", "/dev/full", "/dev/zero", "/no/such/file", "x" * 5000, "é→日本", "\udcff", "\x1b[31m", "[red]", "%s",
    "{0}", "\\", '"', "'", "\n", "a=b", "hidden=0", "hidden=-3", "layers=x", "values=None", "hidden=1e9", "best",
    "last", "cosine", "paper", "LaSynth", "Executed", "ClosedForm", "portfolio", "neural", "symbolic", "native",
    "csmith", "discard",
]  # fmt: skip
NUMBERS = [
    "-1", "0", "1", "2", "3", "0.0", "-0.5", "0.5", "1.0", "1e3", "1e-9", "1e308", "1e400", "inf", "-inf", "nan",
    "1_000", "0x10", "１２", "007", "+5", "999", "65536", "1000000000", "-2147483649", "18446744073709551616", "9" * 30,
    "9" * 5000, "1,5", "1 2", "--1", "two", "",
]  # fmt: skip
JSON_VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2.5, 10**12, 10**40, "", "x", "c", "9" * 60, [], [[]], {}, [1], [None], ["a"],
    {"a": 1},
]  # fmt: skip
CHARACTERS = "abz019 -=_.,:;+*()[]{}<>|&^%$#@!?'\"\\\t\n\x00\x1b\xa0é∞"
PROCESSES = re.compile(r"--processes[= ]\+?0*([3-9]|[1-9]\d{1,5})(?!\d)")


@dataclass(frozen=True)
class Case:
    """A command line and what was changed in the folder that it runs in."""

    words: tuple[str, ...]
    files: dict[str, bytes | None] = field(default_factory=dict)
    """New contents by path; None: removed."""
    standard_input: bytes = b""

    def __str__(self) -> str:
        changed = "".join(f"\n  {name}: {_shown(data)}" for name, data in self.files.items())
        return f"lasynth {shlex.join(self.words)}{changed}"


def _shown(data: bytes | None) -> str:
    return "removed" if data is None else f"{data[:200]!r}{' ..' if len(data) > 200 else ''} ({len(data)} bytes)"


def draw(seed: int, number: int, files: Mapping[str, Sequence[bytes]], options: Sequence[str]) -> Case:
    """A case, decided by the seed, its number, the files of the folder (each with variants) and all options."""
    rng = Random(f"{seed} {number}")
    while True:
        words = shlex.split(rng.choice(LINES))
        changes = rng.choice((0, 0, 1, 1, 1, 2, 3))
        for _ in range(changes):
            words = rng.choice(WORD_MUTATIONS)(rng, words, options)
        words = [word.replace("\0", "") for word in words]  # a command line cannot hold it
        if not PROCESSES.search(" ".join(words)):  # many processes would slow down everything else
            break
    changed = {}
    for _ in range(rng.choice((0, 1, 1, 2)) if changes else rng.choice((1, 1, 2))):
        name = _relevant(rng, words, list(files))
        changed[name] = mutated_file(rng, name, files)
    replies = rng.choice(
        (b"", b"1\n", b"[1,2]\n2\n\n", b"nonsense\n[1]\n9\n-1\n1\n1\n", b"\xff\xfe\n", files["examples.txt"][0])
    )
    return Case(tuple(words), changed, replies)


def _relevant(rng: Random, words: Sequence[str], names: Sequence[str]) -> str:
    """A file of the folder, usually one that the command reads."""
    mentioned = [name for name in names if any(name == word or name.startswith(f"{word}/") for word in words)]
    return rng.choice(mentioned if mentioned and rng.random() < 0.95 else names)


# --- words ------------------------------------------------------------------------------------------------------------
def _drop(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    at = rng.randrange(len(words)) if words else 0
    return words[:at] + words[at + 1 :]


def _repeat(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    at = rng.randrange(len(words)) if words else 0
    return words[: at + 1] + words[at : at + rng.choice((1, 2))] + words[at + 1 :]


def _swap(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    if len(words) < 3:
        return words
    one, other = rng.sample(range(1, len(words)), 2)
    words = list(words)
    words[one], words[other] = words[other], words[one]
    return words


def _replace(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    """Another value for an option or argument."""
    places = [at for at, word in enumerate(words) if at and not word.startswith("--")]
    if not places:
        return words
    at = rng.choice(places)
    return [*words[:at], rng.choice(WORDS), *words[at + 1 :]]


def _number(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    """Another number where one is."""
    places = [at for at, word in enumerate(words) if re.fullmatch(r"-?[\d.]+", word)]
    if not places:
        return _option(rng, words, options)
    at = rng.choice(places)
    return [*words[:at], rng.choice(NUMBERS), *words[at + 1 :]]


def _option(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    """An option, perhaps of another command, with or without a value."""
    at = rng.randint(min(1, len(words)), len(words))
    value = rng.choice(([], [], [rng.choice(WORDS)], [rng.choice(NUMBERS)]))
    return [*words[:at], rng.choice(options), *value, *words[at:]]


def _insert(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    at = rng.randint(0, len(words))
    return [*words[:at], rng.choice(WORDS), *words[at:]]


def _join(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    """`--option value` as `--option=value`."""
    places = [at for at, word in enumerate(words[:-1]) if word.startswith("--")]
    if not places:
        return words
    at = rng.choice(places)
    return [*words[:at], f"{words[at]}={words[at + 1]}", *words[at + 2 :]]


def _scramble(rng: Random, words: list[str], options: Sequence[str]) -> list[str]:
    """Other characters in a word."""
    if not words:
        return words
    at = rng.randrange(len(words))
    return [*words[:at], mutated_text(rng, words[at]), *words[at + 1 :]]


WORD_MUTATIONS = (
    _drop,
    _repeat,
    _swap,
    _replace,
    _replace,
    _number,
    _number,
    _option,
    _option,
    _insert,
    _join,
    _scramble,
)


# --- files ------------------------------------------------------------------------------------------------------------
def mutated_text(rng: Random, text: str) -> str:
    """Delete, insert, replace or repeat some characters."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        at, length = rng.randint(0, len(text)), rng.choice((1, 1, 2, 8))
        new = rng.choice(("", rng.choice(CHARACTERS), rng.choice(NUMBERS), text[at : at + length] * 2))
        text = text[:at] + new + text[at + rng.choice((0, length)) :]
    return text


def mutated_file(rng: Random, name: str, files: Mapping[str, Sequence[bytes]]) -> bytes | None:
    """Another content for a file: variants of it, another file, cut, changed bytes, text or JSON values."""
    data = rng.choice(files[name])
    kind = rng.choice(("as it is", "remove", "empty", "other", "cut", "bytes", "bytes", "format", "format", "format"))
    if kind == "remove":
        return None
    if kind == "empty":
        return b""
    if kind == "other":
        return files[rng.choice(list(files))][0]
    if kind == "cut":
        return data[: rng.randint(0, len(data))]
    if kind == "bytes":
        return _mutated_bytes(rng, data)
    if kind == "format" and name.endswith((".json", ".jsonl")):
        return _mutated_json(rng, data)
    if kind == "format" and name.endswith((".txt", ".c", ".out", ".karel", ".lists")):
        return mutated_text(rng, data.decode()).encode(errors="replace")
    return data


def _mutated_bytes(rng: Random, data: bytes) -> bytes:
    for _ in range(rng.choice((1, 3, 10))):
        at, length = rng.randint(0, len(data)), rng.choice((1, 4, 16))
        new = rng.choice((b"", rng.randbytes(length), b"\xff" * length, data[at : at + length] * 2))
        data = data[:at] + new + data[at + rng.choice((0, len(new))) :]
    return data


def _mutated_json(rng: Random, data: bytes) -> bytes:
    """Another value somewhere in the document (or in one line of several documents)."""
    lines = [data] if data.count(b"\n{") == 0 else data.splitlines()
    at = rng.randrange(len(lines))
    try:
        lines[at] = json.dumps(_mutated_value(rng, json.loads(lines[at]))).encode()
    except ValueError:
        return _mutated_bytes(rng, data)
    return b"\n".join(lines)


def _mutated_value(rng: Random, value: Any) -> Any:
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return rng.choice(JSON_VALUES)
    key = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
    kind = rng.random()
    if kind < 0.15:
        return (
            {k: v for k, v in value.items() if k != key} if isinstance(value, dict) else value[:key] + value[key + 1 :]
        )
    if isinstance(value, dict):
        return {k: _mutated_value(rng, v) if k == key else v for k, v in value.items()}
    return [_mutated_value(rng, v) if at == key else v for at, v in enumerate(value)]
