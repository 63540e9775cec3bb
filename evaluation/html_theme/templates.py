"""How every page is made of its template: all text is escaped, and a value that is missing is an error."""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluation.html_theme.printable import readable


def templates(package: str) -> Environment:
    """The templates of a package and those that all share, with all that is put into them readable, escaped as HTML."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("evaluation.html_theme")]),
        autoescape=True,
        finalize=_put,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _put(value: Any) -> Any:
    """What stands on the page of a value; no character that ``readable`` takes out means anything in HTML."""
    if isinstance(value, Markup):
        return Markup(readable(value))
    return readable(value) if isinstance(value, str) else value
