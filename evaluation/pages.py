"""How every page is made of its template: all text is escaped, and a value that is missing is an error."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined


def templates(package: str = "evaluation") -> Environment:
    """The templates in the folder ``templates`` of a package, with all that is put into them escaped as HTML."""
    return Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
