"""The examples of docs/environment.md run, and give what the page says they give."""

import doctest

from project import DOCS

PAGE = DOCS / "environment.md"


def test_the_examples_run() -> None:
    result = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert result.attempted > 20
    assert result.failed == 0
