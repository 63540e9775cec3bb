"""Argument parsers shared by several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def whole_number(text: str) -> int:
    """Parse a whole number.

    Raises:
        typer.BadParameter: for anything else.
    """
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def filled(text: str) -> str:
    """Parse a text that is not blank.

    Raises:
        typer.BadParameter: for an empty one.
    """
    if not text:
        raise typer.BadParameter("it must not be empty")
    return text


def filled_path(text: str) -> Path:
    """Parse a path that is not blank.

    Raises:
        typer.BadParameter: for an empty path, which would mean the current directory.
    """
    return Path(filled(text))


RunArgument = Annotated[
    Path, typer.Argument(metavar="RUN", parser=filled_path, help="The directory of a run.", show_default=False)
]

AsJson = Annotated[
    bool,
    typer.Option("--json", help="Print the answer as JSON, for other programs; what is refused (status 2) has none."),
]
AtOnce = Annotated[
    int, typer.Option(metavar="N", parser=whole_number, help="How many runs are active at once in a process.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace a run that is in DIR already.")]

MODEL_HELP = (
    "The language model; see irollan models. Again with ROLE=NAME for one module alone (elimination, protention, "
    "action, writing, matrix, person), or a TOML file that says all."
)

MaxTokens = Annotated[
    int | None,
    typer.Option(
        metavar="N", parser=whole_number, help="Stop before the step that could go beyond N tokens.", show_default=False
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option(metavar="X", help="Stop before the step that could go beyond X US dollars.", show_default=False),
]
Prices = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=filled_path, help="What tokens cost, by model, as TOML.", show_default=False),
]
NoLimits = Annotated[bool, typer.Option("--no-limits", help="Drop the limits of RUN; those given here hold.")]
