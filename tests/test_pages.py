"""Pages are easy to read and their links work; the version has one source."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import lasynth

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\]\(([^)\s]+)\)")
RAW = re.compile(r"`((?:benchmarks|docs|examples|experiments|lasynth|tests)/[\w./*+-]+)`")
WIDEST = 120


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """The headings of a page as GitHub names them in links."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_pages_are_found() -> None:
    assert {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/results.md", "docs/log.md"} <= set(map(name, PAGES))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_are_short(page: Path) -> None:
    """Rows of tables may be longer, since Markdown cannot break them."""
    lines = enumerate(page.read_text().splitlines(), 1)
    assert [number for number, line in lines if len(line) > WIDEST and not line.startswith("|")] == []


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    assert len(lines) <= 120
    assert max(map(len, lines)) < WIDEST


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text()):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = page.parent / path if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_named_files_exist(page: Path) -> None:
    """A path in backticks is a file or folder of the project; `*` stands for any part of a name."""
    for path in RAW.findall(page.read_text()):
        assert any(ROOT.glob(path.rstrip("/"))), path


def test_raw_files_of_the_log_exist() -> None:
    """Names without a folder are ideas' results, or stand in a folder that the same entry names."""
    for entry in (ROOT / "docs" / "log.md").read_text().split("\n### ")[1:]:
        folders = [path.rstrip("/") for path in RAW.findall(entry) if path.endswith("/")]
        for file in re.findall(r"`([\w*+-]+\.json)`", entry):
            places = ["experiments/results/ideas_c", *folders]
            assert any(any(ROOT.glob(f"{place}/{file}")) for place in places), file


def test_entries_of_the_log_have_a_date_and_a_verdict_newest_first() -> None:
    headings = re.findall(r"^### (.*)$", (ROOT / "docs" / "log.md").read_text(), re.MULTILINE)
    assert len(headings) > 40
    verdict = re.compile(r"(\d{4}-\d\d-\d\d) .+: .*\b(kept|no gain|harmful|finding)\b.*")
    found = [verdict.fullmatch(heading) for heading in headings]
    assert [heading for heading, match in zip(headings, found, strict=True) if match is None] == []
    dates = [match[1] for match in found if match is not None]
    assert dates == sorted(dates, reverse=True)


def test_entries_of_the_log_are_short() -> None:
    """At most five lines of prose for each. Tables do not count, but belong on the page of results."""
    text = (ROOT / "docs" / "log.md").read_text()
    for entry in re.split(r"^#+ ", text, flags=re.MULTILINE)[1:]:
        heading, *body = entry.splitlines()
        if re.match(r"\d{4}-", heading):
            assert len([line for line in body if line and not line.startswith("|")]) <= 5, heading
    assert len(re.findall(r"^\|---", text, re.MULTILINE)) <= 3, "few tables"


def test_the_index_names_every_page() -> None:
    index = set(LINK.findall((ROOT / "docs" / "README.md").read_text()))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"} <= index


def test_the_page_on_the_architecture_names_every_module() -> None:
    words = set(re.findall(r"\w+", (ROOT / "docs" / "architecture.md").read_text()))
    package = ROOT / "lasynth"
    paths = [*package.glob("*.py"), *(package / "models").glob("*.py"), *package.glob("domains/*.py")]
    paths += [path for path in package.glob("domains/*/*") if path.is_dir() and path.name != "__pycache__"]
    assert {path.stem for path in paths} - {"__init__"} - words == set()


def test_the_version_has_one_source() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" in project["project"]["dynamic"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "lasynth.__version__"}
    citation = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert citation is not None
    assert citation[1] == lasynth.__version__
    assert f"## {lasynth.__version__} - " in (ROOT / "CHANGELOG.md").read_text()
