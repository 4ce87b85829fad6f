"""The command line: reads arguments, calls the library, prints. Holds no logic, and imports inside each command.

Exit codes: 0 fine, 1 the program that was run failed, 2 bad input, 130 interrupted. Errors go to standard error.
"""

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

import tyro
from tyro.conf import OmitArgPrefixes, Positional, UseAppendAction, arg

from lasynth.task import ExecutionError, InputError, ParseError

if TYPE_CHECKING:
    from lasynth.domains.base import Domain, Trace

    AnyDomain = Domain[Any, Any, Any]

RUN_FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
MAX_FILE = 1_000_000
O = TypeVar("O")  # noqa: E741

ProgramFile = Annotated[
    Positional[Path], arg(metavar="FILE", help="Program text; its ending tells the language (.c, .karel).")
]
Inputs = Annotated[
    UseAppendAction[tuple[str, ...]],
    arg(name="input", metavar="VALUE", help='An input, e.g. "[1,2,3,4,0]"; may be given several times.'),
]


def run(
    file: ProgramFile,
    /,
    inputs: Inputs = (),
    trace: Annotated[bool, arg(help="Show what each statement did.")] = False,
    json: Annotated[bool, arg(help="Print one line of JSON per input, for machines.")] = False,
    picture: Annotated[Path | None, arg(metavar="FILE.svg", help="Draw the run as an SVG file (Karel).")] = None,
) -> int:
    """Run a program on inputs and print what comes out.

    Exit 0 if every run ended well, 1 if one failed, 2 if the program or an input is bad.
    """
    domain = _domain_of(file)
    program = domain.parse_text(_read(file))
    if not inputs:
        raise InputError("give at least one --input")
    values = [domain.read_value(text) for text in inputs]
    traces = [domain.trace(program, value) for value in values]
    if picture is not None:
        _draw(domain, traces, picture)
    for result in traces:
        if json:
            print(_trace_json(domain, result, trace))
        elif trace or result.error is None:
            _console().print(domain.show(result, steps=trace))
        if trace and not json and result.error is None:
            _console().print("output:", domain.show(result, steps=False), markup=False)
        if result.error is not None:
            _complain(f"{type(result.error).__name__}: {result.error}")
    return RUN_FAILED if any(result.error for result in traces) else 0


def reduce(
    file: ProgramFile,
    /,
    inputs: Inputs = (),
    random: Annotated[int, arg(help="Random inputs on which the result must do the same, too.")] = 256,
    seed: Annotated[int, arg(help="Of the random inputs.")] = 0,
) -> int:
    """Print the smallest program that greedy cutting finds with the same outcomes.

    Outcomes are compared on the given inputs and on random ones of the same size; faults count as outcomes.
    """
    domain = _domain_of(file)
    program = domain.parse_text(_read(file))
    given = [domain.read_value(text) for text in inputs]
    if random < 0 or (not given and not random):
        raise InputError("--random must be positive where no --input is given")
    values = [*given, *domain.random_values(Random(seed), random, like=given[0] if given else None)]
    smaller = domain.reduce(program, values)
    _print_code(domain, domain.pretty(smaller))
    failed = sum(output is None for output in domain.run_many([program], values)[0])
    before, after = (len(domain.unparse(domain.canonical(p))) for p in (program, smaller))
    note = f" (on {failed} of them the program fails, and so does the result)" if failed else ""
    print(f"{before} -> {after} lexemes; same outcomes on {len(values)} inputs{note}", file=sys.stderr)
    return 0


@dataclass(frozen=True)
class Generate(Generic[O]):
    out: Path
    """Folder of the data set; made if it is missing."""
    options: OmitArgPrefixes[O]
    """The domain's own."""
    train: int = 0
    """Tasks in train.parquet."""
    val: int = 0
    """Tasks in val.parquet, with programs that are not in the training set."""
    test: int = 0
    """Tasks in test.parquet, likewise."""
    seed: int = 0
    """The same seed gives the same files, whatever the number of workers."""
    workers: int = os.cpu_count() or 1
    """Processes that make tasks."""
    splits: Literal["distinct", "shared"] | None = None
    """distinct: no program of train in val and test; shared: as drawn. By default as is usual for the language."""
    overwrite: bool = False
    """Replace a data set that is there already."""


def generate(domain: str, arguments: Generate[Any]) -> int:
    """Make a data set of random tasks: Parquet files and a card."""
    from lasynth.dataset import DatasetPlan
    from lasynth.dataset import generate as make
    from lasynth.domains import get_domain

    if arguments.workers < 1:
        raise InputError("--workers must be at least 1")
    sizes = {"train": arguments.train, "val": arguments.val, "test": arguments.test}
    distinct = get_domain(domain).distinct_splits if arguments.splits is None else arguments.splits == "distinct"
    plan = DatasetPlan(domain, sizes, arguments.seed, arguments.options, distinct)
    with _progress(sizes) as report:
        card = make(plan, arguments.out, arguments.workers, arguments.overwrite, report)
    for split, entry in card["splits"].items():
        shares = ", ".join(f"{name} {count}" for name, count in entry["categories"].items())
        novel = f"; {entry['novel']} with behaviour that is not in train" if "novel" in entry else ""
        print(f"{arguments.out / split}.parquet: {sizes[split]} tasks ({shares}){novel}")
    return 0


def stats(
    data: Annotated[Positional[Path], arg(metavar="DATA", help="A data set's folder, or one of its Parquet files.")],
    other: Annotated[Positional[Path | None], arg(metavar="OTHER", help="Another one to compare with.")] = None,
    /,
    split: Annotated[Literal["train", "val", "test"], arg(help="Which file of a folder.")] = "train",
    limit: Annotated[int, arg(help="Read so many tasks at most.")] = 50_000,
    json: Annotated[Path | None, arg(metavar="FILE", help="Write the figures to this file, too.")] = None,
) -> int:
    """Print a data set's distributions, beside another's or beside published figures, with their distances."""
    from lasynth.describe import describe, tables

    report = describe(data, other, split, limit)
    for table in tables(report):
        _console().print(table, "")
    if json is not None:
        _write(json, _dumps(report))
    return 0


def import_(
    domain: Annotated[
        Positional[str], arg(metavar="LANGUAGE", help="c: the authors' code_N.c files; karel: the public JSON.")
    ],
    source: Annotated[Positional[Path], arg(metavar="PATH", help="Folder (c) or file (karel) to read.")],
    /,
    out: Annotated[Path, arg(help="Folder of the new data set.")],
    split: Annotated[Literal["train", "val", "test"], arg(help="What a single set of tasks becomes.")] = "train",
    overwrite: Annotated[bool, arg(help="Replace a data set that is there already.")] = False,
) -> int:
    """Convert data that others published to a data set of this project."""
    from lasynth.dataset import write_imported
    from lasynth.domains import DOMAINS, get_domain

    if domain not in DOMAINS:
        raise InputError(f"there is no language `{domain}`; there are {', '.join(DOMAINS)}")
    if not source.exists():
        raise InputError(f"{source}: no such file or folder")
    speaker = get_domain(domain)
    paths = speaker.import_splits(source, split)
    with _progress(dict.fromkeys(paths)) as report:
        tasks = {name: speaker.import_tasks(path) for name, path in paths.items()}
        sizes = write_imported(domain, tasks, out, overwrite, report)
    for name, size in sizes.items():
        print(f"{out / name}.parquet: {size} tasks")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point of `lasynth`."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        return _dispatch(words)
    except (InputError, ParseError) as error:
        _complain(str(error))
        return BAD_INPUT
    except ExecutionError as error:
        _complain(f"{type(error).__name__}: {error}")
        return RUN_FAILED
    except KeyboardInterrupt:
        _complain("interrupted; nothing was left behind")
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone; nothing to say to it
        return 0
    except OSError as error:  # a full disk, a file that vanished
        _complain(str(error))
        return BAD_INPUT


def _dispatch(words: list[str]) -> int:
    commands: dict[str, Callable[..., int]] = {
        "run": run, "reduce": reduce, "generate": generate, "stats": stats, "import": import_,
    }  # fmt: skip
    program, description = "lasynth", "Programs from input-output examples."
    if words[:1] == ["generate"]:  # its subcommands take loading, so they are made only here
        program, description, words = "lasynth generate", generate.__doc__ or "", words[1:]
        commands = _generate_commands()
    flags = (tyro.conf.FlagCreatePairsOff,)
    result: int = tyro.extras.subcommand_cli_from_dict(
        commands, prog=program, args=words, description=description, config=flags
    )
    return result


def _generate_commands() -> dict[str, Callable[..., int]]:
    """A subcommand for each domain, with the domain's own options."""
    from lasynth.domains import DOMAINS, get_domain

    def command(name: str) -> Callable[..., int]:
        def generate_tasks(arguments: Any) -> int:
            return generate(name, arguments)

        generate_tasks.__doc__ = generate.__doc__
        generate_tasks.__annotations__["arguments"] = OmitArgPrefixes[Generate[get_domain(name).options]]  # type: ignore[misc]
        return generate_tasks

    return {name: command(name) for name in DOMAINS}


# --- files and terminal --------------------------------------------------------------------------------------------------
def _domain_of(file: Path) -> "AnyDomain":
    from lasynth.domains import DOMAINS, get_domain

    for name in DOMAINS:
        if file.suffix == f".{name}":
            return get_domain(name)
    raise InputError(f"{file}: the ending must be one of {', '.join(f'.{name}' for name in DOMAINS)}")


def _read(file: Path) -> str:
    try:
        if file.is_file() and file.stat().st_size > MAX_FILE:
            raise InputError(f"{file} has {file.stat().st_size:,} bytes; programs may have {MAX_FILE:,}")
        return file.read_text()
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not a text file") from error
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}") from error


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text)
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error


def _dumps(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _trace_json(domain: "AnyDomain", trace: "Trace[Any]", steps: bool) -> str:
    output: Any = None if trace.output is None else domain.value_json(trace.output)
    result: Any = output
    if trace.error is not None:
        result = {"error": type(trace.error).__name__, "message": str(trace.error)}
    if steps:
        rows = [
            {"label": step.label, "value": domain.value_json(step.value), "variables": dict(step.scalars)}
            for step in trace.steps
        ]
        result = {**(result if trace.error else {"output": output}), "trace": rows}
    return json.dumps(result)


def _draw(domain: "AnyDomain", traces: "list[Trace[Any]]", file: Path) -> None:
    draw = getattr(domain, "picture", None)
    if draw is None:
        raise InputError(f"there are no pictures of runs in the language `{domain.name}`")
    if len(traces) != 1:
        raise InputError("--picture takes exactly one --input")
    _write(file, draw(traces[0]))


def _print_code(domain: "AnyDomain", text: str) -> None:
    """Coloured for a person, plain when piped."""
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.syntax import Syntax

    _console().print(Syntax(text, "c" if domain.name == "c" else "python", background_color="default"))


def _console() -> Any:
    from rich.console import Console

    return Console(soft_wrap=not sys.stdout.isatty(), highlight=False)


def _complain(message: str) -> None:
    print(f"lasynth: {message}", file=sys.stderr)


def _progress(sizes: Mapping[str, int | None]) -> Any:
    from lasynth.progress import progress

    return progress(sizes)


if __name__ == "__main__":
    raise SystemExit(main())
