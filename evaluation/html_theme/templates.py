"""Jinja environment of all pages: text is sanitised and escaped, and a missing value is an error."""

from __future__ import annotations

from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evaluation.html_theme.printable import readable


def templates(package: str) -> Environment:
    """Return an environment with a package's templates and the shared ones; values are sanitised and HTML-escaped."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("evaluation.html_theme")]),
        autoescape=True,
        finalize=_put,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _put(value: Any) -> Any:
    """Sanitise a value for the page; ``readable`` removes no character that has a meaning in HTML markup."""
    if isinstance(value, Markup):
        return Markup(readable(value))
    return readable(value) if isinstance(value, str) else value
