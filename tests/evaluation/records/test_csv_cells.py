"""No cell of a CSV file is a formula, and what is written is read back."""

import unicodedata

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.records import metrics
from evaluation.records.csv_cells import csv_cell, read_cell, table_to_csv
from evaluation.statistics.csv_table import read_table

FORMULAS = (
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\n1",
    "\uff1d1",
    "\u2212\uff11",
    "\u200b=1",
    "\u3164 @x",
    "'=1",
    "\ufe66",
)
PLAIN = ("", "LL", "1-1", "'tis", "ÄÖ", "a=b", "'", "\u200bLL")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_gets_an_apostrophe(text):
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", PLAIN)
def test_other_text_stays(text):
    assert csv_cell(text) == text


@given(st.text(st.sampled_from("'=+-@\uff1d\u200b \ta")) | st.text())
def test_a_cell_is_read_back_and_begins_with_no_sign(text):
    cell = csv_cell(text)
    assert read_cell(cell) == text
    assert unicodedata.normalize("NFKC", cell)[:1] not in tuple("=+-@\t\r\n")


def test_texts_and_columns_of_a_table_are_escaped_and_numbers_are_not(tmp_path):
    table = pd.DataFrame({"=name": ["=x", "b"], "value": [-1.5, 2]})
    assert table_to_csv(table) == "'=name,value\n'=x,-1.5\nb,2.0\n"
    (tmp_path / "table.csv").write_text(table_to_csv(table))
    assert list(read_table(tmp_path / "table.csv", ["=name", "value"]).frame["=name"]) == ["=x", "b"]


def test_metrics_of_strange_names_are_read_back(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text(metrics.HEADER + metrics.to_csv([metrics.Metric(0, "=LL", "driver", -1.0)]))
    assert "'=LL" in path.read_text()
    assert metrics.parse_csv(path, path.read_bytes()) == [
        {"time": 0, "subject": "=LL", "quantity": "driver", "value": -1.0}
    ]
