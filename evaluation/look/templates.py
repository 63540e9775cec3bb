"""How every page is made of its template: all text is escaped, and a value that is missing is an error."""

from __future__ import annotations

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined


def templates(package: str) -> Environment:
    """The templates of a package and those that all share, with all that is put into them escaped as HTML."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("evaluation.look")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
