"""What the pages and the README say can be typed: commands and their options exist, examples compile, links lead on."""

import ast
import re
import shlex

import pytest
import typer
from project import DOCS, ROOT

import benchmarks.__main__ as benchmarks
from evaluation.commands.cli import app, main
from evaluation.records.run_directory import RunDirectory

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
GENERATED = {"arena_results", "leaderboard"}
PACKAGES = {"irollan_env", "language_models", "itcma_s", "ltrha", "minds", "evaluation"}


def page_name(page):
    return page.name


def irollan_lines(text):
    """Every command line of irollan in code, inline or in blocks."""
    blocks = re.findall(r"^```(?:sh|text)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    lines = [line.strip() for block in blocks for line in block.splitlines()] + inline
    return [
        shlex.split(line, comments=True)[shlex.split(line).index("irollan") + 1 :]
        for line in lines
        if re.match(r"(?:\w+=\S+ )*irollan(?: |$)", line)
    ]


def check_options(command, words):
    """Follow subcommands, and look for every option among those of the command that is meant."""
    context = typer.Context(command)
    while words and hasattr(command, "get_command"):
        found = command.get_command(context, words[0])
        assert found is not None or words[0].startswith("-"), f"irollan has no command {words[0]}"
        if found is None:
            break
        command, words = found, words[1:]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    asked = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert asked <= known | {"--help", "-h"}, f"{command.name} has no {sorted(asked - known)}"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_command_line_has_options_that_exist(page):
    command = typer.main.get_command(app)
    for words in irollan_lines(page.read_text(encoding="utf-8")):
        check_options(command, words)


def test_there_are_command_lines_to_check():
    assert sum(len(irollan_lines(page.read_text(encoding="utf-8"))) for page in PAGES) > 80
    with pytest.raises(AssertionError, match="no-such-option"):
        check_options(typer.main.get_command(app), ["run", "--no-such-option"])


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_benchmark_exists(page):
    found = re.findall(r"python -m benchmarks (\w+)", page.read_text(encoding="utf-8"))
    assert set(found) <= {*benchmarks.BENCHMARKS, "NAME"}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_examples_compile_and_import_from_the_roots(page):
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        code = block
        if block.startswith(">>>"):
            code = "\n".join(line[4:] for line in block.splitlines() if re.match(r"(>>>|\.\.\.)( |$)", line))
        tree = ast.parse(code)
        imported = {
            name
            for node in ast.walk(tree)
            for name in (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else []
            )
        }
        assert {name for name in imported if name.partition(".")[0] in PACKAGES} <= PACKAGES


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("[el]*/*/README.md"))], ids=str)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"!?\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
        goal = (page.parent / target).resolve() if target else page
        assert target.startswith("http") or goal.exists(), f"{page.name} links to {target}, which is not there"
        if anchor and "::: " not in goal.read_text(encoding="utf-8"):
            headings = re.findall(r"^#+ (.*)$", goal.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    listed = set(re.findall(r"(\S+\.md)$", navigation, re.MULTILINE))
    assert listed == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def test_the_readme_is_short():
    text = re.sub(r"<[^>]+>", " ", PAGES[0].read_text(encoding="utf-8"))
    assert len([word for word in text.split() if re.search(r"\w", word)]) <= 900


@pytest.mark.usefixtures("no_figures")
def test_hand_written_pages_are_short() -> None:
    """At most 30,000 words in all, without pages and tables that a command writes."""
    generated = re.compile(r"<!-- (?:made by|anova_null|social_nulls).*?<!-- end", re.DOTALL)
    texts = [page.read_text(encoding="utf-8") for page in DOCS.glob("*.md") if page.stem not in GENERATED]
    words = [word for text in texts for word in generated.sub("", text).split() if re.search(r"\w", word)]
    assert len(words) <= 30_000


def test_every_key_of_a_record_is_in_the_reference(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "--model", "scripted", "--steps", "1", "--out", "run"]) == 0
    table = (DOCS / "architecture.md").read_text(encoding="utf-8").partition("### Record keys")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    assert set(RunDirectory("run").records()[0]) == keys
