"""Human ratings from the file to the finding: section 5.2 of the paper as functions on pandas frames.

    ratings = read_ratings("ratings.csv")
    results = analyse(ratings)

The parts can be used alone: ``describe``, ``levene``, ``omnibus``, ``dunn_sidak``, ``games_howell``, ``icc``,
``alpha``, ``judge_agreement``, ``design_of``, ``mixed_model``, ``ordinal_model``, ``power``.
"""

from evaluation.statistics.agreement import alpha, icc
from evaluation.statistics.analysis import analyse, analyse_summary
from evaluation.statistics.csv_table import TableError
from evaluation.statistics.descriptives import describe, levene
from evaluation.statistics.design import Design, design_of, rated, repeats
from evaluation.statistics.html_page import write_page
from evaluation.statistics.judges import judge_agreement
from evaluation.statistics.leading import Lead
from evaluation.statistics.omnibus import omega_squared, omnibus
from evaluation.statistics.pairs import dunn_sidak, games_howell
from evaluation.statistics.power import power
from evaluation.statistics.ratings_file import Ratings, check_ratings, read_ratings
from evaluation.statistics.repeated import mixed_model, ordinal_model
from evaluation.statistics.result import Result
from evaluation.statistics.summary_file import paper_table, paper_tests, read_summary

__all__ = [
    "Design",
    "Lead",
    "Ratings",
    "Result",
    "TableError",
    "alpha",
    "analyse",
    "analyse_summary",
    "check_ratings",
    "describe",
    "design_of",
    "dunn_sidak",
    "games_howell",
    "icc",
    "judge_agreement",
    "levene",
    "mixed_model",
    "omega_squared",
    "omnibus",
    "ordinal_model",
    "paper_table",
    "paper_tests",
    "power",
    "rated",
    "read_ratings",
    "read_summary",
    "repeats",
    "write_page",
]
