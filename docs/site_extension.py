"""What the site's Markdown has beside the usual: the help of every command, and formulas as MathML.

A page with the line ``[help of irollan]`` gets the help of every command there. Formulas between dollar signs become
MathML, which browsers draw by themselves, so that the site needs no script from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import typer
from latex2mathml.converter import convert
from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

HELP = "[help of irollan]"
_WIDTH = 96
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)


def commands(command: Any, context: Any) -> Iterator[tuple[str, str]]:
    """Each command below this one with its help, in the order in which ``--help`` lists them."""
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        inner = type(context)(below, info_name=name, parent=context, max_content_width=_WIDTH, terminal_width=_WIDTH)
        yield inner.command_path, below.get_help(inner)
        if hasattr(below, "list_commands"):
            yield from commands(below, inner)


class CommandHelp(Preprocessor):
    """Puts the help of all commands where a page asks for it."""

    def run(self, lines: list[str]) -> list[str]:
        """The lines of the page, with the help."""
        if HELP not in lines:
            return lines
        from evaluation.commands.cli import app

        command = typer.main.get_command(app)
        found = commands(command, typer.Context(command, info_name="irollan"))
        told = "\n".join(f"## {path}\n\n```text\n{text}\n```\n" for path, text in found)
        at = lines.index(HELP)
        return [*lines[:at], *told.split("\n"), *lines[at + 1 :]]


class Formulas(Postprocessor):
    """Makes MathML of what ``pymdownx.arithmatex`` found."""

    def run(self, text: str) -> str:
        """The page with its formulas."""
        return _FORMULA.sub(lambda it: convert(unescape(it[3]), "block" if it[2] == "[" else "inline"), text)


class SiteExtension(Extension):
    """Both of them."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Register them: the help before code blocks are found, formulas after all else."""
        md.preprocessors.register(CommandHelp(md), "command_help", 100)
        md.postprocessors.register(Formulas(md), "formulas", -10)


def makeExtension(**_: Any) -> SiteExtension:
    """What Markdown looks for."""
    return SiteExtension()
