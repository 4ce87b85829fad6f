"""The importer of the authors' files, on files written for the tests in the same format."""

from __future__ import annotations

from pathlib import Path

import pytest

from lasynth.domains.restricted_c.data.authors import read_tasks
from lasynth.domains.restricted_c.domain import RestrictedC
from lasynth.task import InputError

FILE = """#include <stdio.h>
int a0[3] = {1, 2, -3};
int a1[3] = {4, 0, 1};
int * func_1(int a[]);
int * func_1(int a[])
{
    int p_0 = 0;
    int l_7 = 1;
    a[p_0] = (a[l_7] + 1);
    return a;
}
int main(void)
{
    for (int i = 0; i < 3; i++) { int a[2] = {a0[i], a1[i]}; func_1(a); printf("%d %d\\n", a[0], a[1]); }
    return 0;
}
"""


def write(folder: Path, number: int, text: str = FILE, results: str | None = "5 4\n1 0\n2 1\n") -> None:
    (folder / f"code_{number}.c").write_text(text)
    if results is not None:
        (folder / f"code_{number}.out").write_text(results)


def test_lists_are_positions_and_columns_are_examples(tmp_path: Path) -> None:
    for number in (10, 2):
        write(tmp_path, number)
    tasks = list(read_tasks(tmp_path))
    assert len(tasks) == 2
    pairs = [(example.input, example.output) for example in tasks[0].examples]
    assert pairs == [([1, 4], [5, 4]), ([2, 0], [1, 0]), ([-3, 1], [2, 1])]
    assert RestrictedC().unparse(tasks[0].program)[:4] == ["int p_0 =", "0", "int l_1 =", "1"]
    assert tasks[0].source == "authors"


@pytest.mark.parametrize(
    ("text", "results", "complaint"),
    [
        (FILE, "5 4\n1 0\n2 9\n", "but the program gives"),
        (FILE, "5 4\n", "numbers"),
        (FILE, None, "is missing"),
        (FILE.replace("int * func_1(int a[]);\n", ""), "5 4 1 0 2 1", "must occur twice"),
        (FILE.replace("a0[3]", "b0[3]"), "5 4 1 0 2 1", "with the inputs were found"),
        (FILE.replace("{1, 2, -3}", "{1, 2}"), "5 4 1 0 2 1", "differ in length"),
        (FILE.replace("{1, 2, -3}", "{1, 2, 4294967296}"), "5 4 1 0 2 1", "32 bits"),
        (FILE.replace("{1, 2, -3}", "{1, 2, " + "9" * 5000 + "}"), "5 4 1 0 2 1", "digits"),
        (FILE.replace("+ 1", "* 2"), "5 4 1 0 2 1", "not supported"),
        (FILE[:180], "5 4 1 0 2 1", "last brace"),
    ],
)
def test_errors_name_the_file_and_the_reason(tmp_path: Path, text: str, results: str | None, complaint: str) -> None:
    write(tmp_path, 0, text, results)
    with pytest.raises(InputError, match="code_0") as caught:
        list(read_tasks(tmp_path))
    assert complaint in str(caught.value)


def test_a_folder_without_such_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no code_N\.c files"):
        list(read_tasks(tmp_path))
