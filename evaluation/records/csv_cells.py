"""Cells of CSV files that no spreadsheet takes for formulas.

A text that a spreadsheet would evaluate gets an apostrophe in front (OWASP, "CSV Injection"). Signs of full width and
invisible characters before the sign count too, as spreadsheets normalise and skip them.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

_SIGNS = frozenset("=+-@\N{MINUS SIGN}")
_BREAKS = ("\t", "\r", "\n")
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Me", "Mn", "Zl", "Zp", "Zs"})
_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols without a shape: Hangul fillers and the blank of Braille."""


def csv_cell(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula; ``read_cell`` takes it away."""
    return f"'{text}" if _is_formula(text.lstrip("'")) else text


def read_cell(text: str) -> str:
    """Return the text of which ``csv_cell`` made a cell."""
    return text[1:] if text.startswith("'") and _is_formula(text.lstrip("'")) else text


def table_to_csv(table: pd.DataFrame) -> str:
    """Format a table as CSV with a header and without its index, each text by ``csv_cell``."""
    texts = table.map(_cell_of_text).rename(columns=_cell_of_text)
    return str(texts.to_csv(index=False, lineterminator="\n"))


def _cell_of_text(value: Any) -> Any:
    return csv_cell(value) if isinstance(value, str) else value


def _is_formula(text: str) -> bool:
    if text.startswith(_BREAKS):
        return True
    seen = next((one for one in text if one not in _UNSEEN and unicodedata.category(one) not in _UNSEEN_CATEGORIES), "")
    return unicodedata.normalize("NFKC", seen)[:1] in _SIGNS
