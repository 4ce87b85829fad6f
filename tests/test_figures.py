"""Without matplotlib, everything that draws says how to install it, and says so before long work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lasynth.cli import main
from tests.fakes import small_data

ROOT = Path(__file__).parents[1]
MESSAGE = "figures need matplotlib, which is not installed: pip install 'lasynth[plots]'"


def without_matplotlib(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    hidden = (
        f"import sys; sys.modules['matplotlib'] = None; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'experiments')!r}]"
    )
    return subprocess.run(
        [sys.executable, "-c", f"{hidden}\n{code}"], capture_output=True, text=True, check=False, cwd=folder
    )


def test_the_library_gives_an_input_error(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from lasynth.figures import curves
from lasynth.task import InputError
try:
    curves({"a": [(0, 1), (2, 3)]}, "x", "y", Path("curve.png"))
except InputError as error:
    print(error)
"""
    done = without_matplotlib(code, tmp_path)
    assert done.stdout.strip() == MESSAGE, done.stderr
    assert not list(tmp_path.iterdir())


def test_an_experiment_stops_before_it_measures(tmp_path: Path) -> None:
    code = "import runpy; sys.argv = ['table_c', '--random', 'no_such_data']\n"
    code += f"runpy.run_path({str(ROOT / 'experiments' / 'table_c.py')!r}, run_name='__main__')"
    done = without_matplotlib(code, tmp_path)
    assert done.returncode == 1
    assert done.stderr.strip() == f"table_c: {MESSAGE}"


def test_the_command_evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = small_data(tmp_path, train=0, val=0, test=5)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = ["evaluate", str(data / "test.parquet"), "--model", "ClosedForm", "--plots", str(tmp_path / "plots")]
    monkeypatch.setattr("lasynth.commands.evaluate.measure", lambda *arguments: pytest.fail("it has searched"))
    assert main(words) == 2
    assert MESSAGE in capsys.readouterr().err
    assert not (tmp_path / "plots").exists()
