"""The import rule: a module imports only lower levels or its own folder; domains never import each other."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "lasynth"
LEVELS = {
    "lasynth": 0, "task": 0, "vocab": 0, "jit": 0, "statistics": 0, "progress": 0, "workers": 0, "hardware": 0,
    "config": 0, "settings": 0, "layers": 0, "distributed": 0, "runlog": 0, "interruption": 0, "precision": 0,
    "files": 0, "launcher": 0, "lenient": 0, "memory": 0,
    "domains": 1,
    "parquet": 2,
    "dataset": 3, "split": 3, "models": 3, "older": 3,
    "describe": 4, "batch": 4, "search": 4, "checkpoint": 4,
    "solver": 5, "outcomes": 5, "runfolder": 5, "decoding": 5, "reward": 5,
    "measurement": 6, "replacement": 6,
    "evaluate": 7, "figures": 7, "train": 7, "relabel": 7,
    "retrain": 8,
    "commands": 9,
    "cli": 10,
}  # fmt: skip
MODULES = sorted(PACKAGE.rglob("*.py"))
LANGUAGES = tuple(f"lasynth.domains.{path.parent.name}" for path in (PACKAGE / "domains").glob("*/__init__.py"))


def imports(path: Path, top_only: bool = False) -> list[str]:
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_only else list(ast.walk(tree))
    names = []
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [of_module(f"{node.module}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names


def of_module(name: str) -> str:
    """The module of an imported name: the name itself if it is a module, else the module that defines it."""
    path = PACKAGE.parent.joinpath(*name.split("."))
    return name if path.is_dir() or path.with_suffix(".py").exists() else name.rpartition(".")[0]


def unit(name: str) -> str:
    """The part of the package that has a level: `lasynth.domains.karel.world` belongs to `domains`."""
    return name.split(".")[1] if "." in name else name


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_modules_import_only_lower_levels(path: Path) -> None:
    here = module_name(path)
    if here == "lasynth":  # it names the solver for type checkers only; `test_starting_is_light` checks that
        return
    for name in imports(path):
        if name.split(".")[0] != "lasynth":
            continue
        mine, theirs = unit(here), unit(name)
        assert LEVELS[theirs] < LEVELS[mine] or mine == theirs or LEVELS[mine] == LEVELS[theirs] == 0, (
            f"{here} -> {name}"
        )


@pytest.mark.parametrize("path", sorted((PACKAGE / "domains").glob("*/**/*.py")), ids=module_name)
def test_domains_never_import_each_other(path: Path) -> None:
    for name in imports(path):
        parts = name.split(".")
        if parts[:2] == ["lasynth", "domains"] and len(parts) > 2:
            mine = path.relative_to(PACKAGE / "domains").parts[0]
            assert parts[2] in ("base", "learnable", mine), f"{module_name(path)} -> {name}"


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if not path.is_relative_to(PACKAGE / "domains") or path.parent == PACKAGE / "domains"],
    ids=module_name,
)
def test_only_the_registry_knows_which_languages_there_are(path: Path) -> None:
    """The registry holds their names as text and imports them on first use."""
    for name in imports(path):
        assert not name.startswith(LANGUAGES), f"{module_name(path)} -> {name}"


@pytest.mark.parametrize("path", sorted((PACKAGE / "domains").rglob("*.py")), ids=module_name)
def test_torch_stays_out_of_the_languages(path: Path) -> None:
    """Programs run and data sets are made without torch; only the networks of a domain import it."""
    allowed = path.stem.endswith(("networks", "operations"))
    assert allowed or not any(name.split(".")[0] == "torch" for name in imports(path))


@pytest.mark.parametrize("statement", ["import lasynth", "import lasynth.cli", "import lasynth.domains"])
def test_starting_is_light(statement: str) -> None:
    heavy = "{'torch', 'numba', 'pyarrow'} & set(sys.modules)"
    code = f"import sys; {statement}; print({heavy})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
