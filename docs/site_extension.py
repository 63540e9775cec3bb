"""What the site's Markdown has beside the usual: the help of every command, what is in each package, formulas.

A page with the line ``[help of irollan]`` gets the help of every command there; ``[keys of a map]`` gets tables of the
keys of a map file, and ``[modules of PACKAGE]`` one of the package's modules, from their docstrings. Formulas between
dollar signs become MathML, which browsers draw by themselves, so that the site needs no script from elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import typer
from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

ROOT = Path(__file__).parents[1]
_WIDTH = 96
_MODULES = re.compile(r"\[modules of (\w+)\]")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def commands(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    """Each command below this one with its help, in the order in which ``--help`` lists them."""
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        inner = type(context)(below, info_name=name, parent=context, max_content_width=_WIDTH, terminal_width=_WIDTH)
        yield inner.command_path, below.get_help(inner)
        if hasattr(below, "list_commands"):
            yield from commands(below, inner)


def command_reference() -> str:
    """The help of every command of ``irollan``, in Markdown."""
    from evaluation.commands.cli import app

    command = typer.main.get_command(app)
    found = commands(command, typer.Context(command, info_name="irollan"))
    return "\n".join(f"## {path}\n\n```text\n{text}\n```\n" for path, text in found)


def key_tables() -> str:
    """Every key of a map file with its default and its meaning, in Markdown."""
    from irollan_env.world.mechanics.reference import map_tables, mechanic_tables
    from irollan_env.world.mechanics.registry import MECHANICS

    text: list[str] = []
    for level, tables in (("##", map_tables()), *(("###", mechanic_tables(name)) for name in MECHANICS)):
        for table in tables:
            heading = f"`{table.heading}`" if "[" in table.heading else table.heading
            text += [f"{level if table.keys else '##'} {heading}", "", table.purpose.replace("\n", "\n\n"), ""]
            if table.keys:
                text += ["| key | default | meaning |", "|---|---|---|"]
                cells = [
                    (f"`{key.name}`", f"`{key.default}`" if key.default else "", key.meaning) for key in table.keys
                ]
                text += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in cells]
                text.append("")
    return "\n".join(text)


def module_table(package: str) -> str:
    """The folders and files of a package, each with the first sentence of its docstring, in Markdown."""
    rows = ["| module | what it is |", "|---|---|"]
    for path in sorted((ROOT / package).iterdir()):
        source = path / "__init__.py" if path.is_dir() else path
        if source.is_file() and source.suffix == ".py" and not path.name.startswith("__"):
            text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
            first = " ".join(text.split("\n\n")[0].split()).replace("|", r"\|")
            rows.append(f"| `{path.name}{'/' if path.is_dir() else ''}` | {first} |")
    return "\n".join(rows)


class Generated(Preprocessor):
    """Puts what is made from the code where a page asks for it."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines of the page, with what was asked for."""
        text: list[str] = []
        for line in lines:
            if line == "[help of irollan]":
                line = command_reference()
            elif line == "[keys of a map]":
                line = key_tables()
            elif found := _MODULES.fullmatch(line):
                line = module_table(found[1])
            text += line.split("\n")
        return text


class Doctests(Preprocessor):
    """Makes code blocks of the examples that stand in docstrings without a heading."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines, with a fence around each example outside of one."""
        text: list[str] = []
        fenced = example = False
        for line in (*lines, ""):
            fenced ^= line.lstrip().startswith("```")
            if not fenced and not example and line.startswith(">>> "):
                text.append("```pycon")
                example = True
            elif example and not line.strip():
                text.append("```")
                example = False
            text.append(line)
        return text


class Formulas(Postprocessor):
    """Makes MathML of what ``pymdownx.arithmatex`` found."""

    def run(self, text: str) -> str:
        """The page with its formulas."""

        def formula(found: re.Match[str]) -> str:
            source, block = unescape(found[3]), found[2] == "["
            return f'<div class="formula">{convert(source, display="block")}</div>' if block else convert(source)

        return _FORMULA.sub(formula, text)


class SiteExtension(Extension):
    """All of them."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register them: what is generated before code blocks are found, formulas after all else."""
        md.preprocessors.register(Generated(md), "generated", 100)
        md.preprocessors.register(Doctests(md), "doctests", 90)
        md.postprocessors.register(Formulas(md), "formulas", -10)


def makeExtension(**_: Any) -> SiteExtension:
    """What Markdown looks for."""
    return SiteExtension()
