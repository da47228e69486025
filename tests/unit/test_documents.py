"""The documents show commands, experiments and links that work as they stand."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

import workbench.cli
from ui.manual.pages import slug
from workbench.cli import COMMANDS
from workbench.controls import CONTROLS
from workbench.experiments import Experiment

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
GUIDES = [README, *sorted(DOCS.glob("tutorial*.md")), *sorted(DOCS.glob("how-to/*.md"))]
ALL = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
LONGEST_LINE = 120


def name(path: Path) -> str:
    """The page as a test id."""
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path) -> Iterator[str]:
    """The indented code blocks of a page."""
    for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", path.read_text("utf-8"), re.MULTILINE):
        yield "\n".join(line[4:] for line in block.strip("\n").splitlines())


def commands(path: Path) -> Iterator[str]:
    """The `python -m workbench` lines of a page, continuations joined, comments removed."""
    for block in blocks(path):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("python -m workbench "):
                yield line.removeprefix("python -m workbench ")


def experiments(path: Path) -> list[str]:
    """The whole experiment files of a page; one that reproduces a bench file needs that file."""
    return [
        block for block in blocks(path) if block.startswith("name = ") and 'kind = "reproduce"' not in block
    ]


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_every_command_of_a_guide_is_accepted(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench.cli, "_carry_out", lambda _parsed: 0)
    for command in commands(page):
        assert workbench.cli.main(shlex.split(command, comments=True)) == 0, command


@pytest.mark.parametrize("page", [page for page in ALL if experiments(page)], ids=name)
def test_every_experiment_of_a_page_can_be_read(page: Path) -> None:
    for text in experiments(page):
        assert Experiment.from_toml(text, where=page.name).name


def test_the_readme_lists_every_command_and_names_controls_that_exist() -> None:
    text = README.read_text("utf-8")
    assert {command.split()[0] for command in commands(README)} == set(COMMANDS)
    named = re.findall(r"`(\w+_\w+)`", text.partition("## Two commands")[0])
    assert len(named) == 5
    assert set(named) <= CONTROLS.keys()
    assert len(text.splitlines()) < 100


def test_the_index_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\(([^)#]+\.md)\)", (DOCS / "index.md").read_text("utf-8")))
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md") if ".zh_CN" not in page.name}
    assert linked == pages - {"index.md", "explanation/desktop-checklist.md"}


@pytest.mark.parametrize("page", ALL, ids=name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if link.startswith(("http:", "https:")):
            continue
        file, _, heading = link.partition("#")
        target = page.parent / file if file else page
        assert target.is_file(), link
        if heading:
            headings = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
            assert heading in {slug(text) for text in headings}, link


@pytest.mark.parametrize("page", [page for page in ALL if ".zh_CN" not in page.name], ids=name)
def test_no_line_of_a_page_is_too_long_to_read(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    long = [line for line in lines if len(line) > LONGEST_LINE and not line.startswith(("|", "    "))]
    assert long == []


@pytest.mark.parametrize("page", [page for page in GUIDES if ".zh_CN" in page.name], ids=name)
def test_a_chinese_guide_has_the_headings_and_commands_of_the_english_one(page: Path) -> None:
    english = page.with_name(page.name.replace(".zh_CN", ""))
    levels = [re.findall(r"^(#+) ", each.read_text("utf-8"), re.MULTILINE) for each in (page, english)]
    assert levels[0] == levels[1]
    assert list(blocks(page)) == list(blocks(english))
