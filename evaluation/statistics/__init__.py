"""Statistics of ratings: section 5.2 of the paper, and the tests that the design of the ratings calls for.

    import evaluation

    found = evaluation.anova("ratings.csv")
    print(found.summary())
    found.tables["pairs"]

The parts work on pandas frames and can be used alone: ``describe``, ``levene``, ``omnibus``, ``omega_squared``,
``dunn_sidak``, ``games_howell``, ``icc``, ``alpha``, ``judge_agreement``, ``design_of``, ``mixed_model``,
``ordinal_model``, ``power``.
"""

from evaluation.statistics.agreement import alpha, icc, judge_agreement
from evaluation.statistics.anova_results import Anova, anova, anova_of_means, paper_anova
from evaluation.statistics.csv_table import TableError
from evaluation.statistics.design import Design, design_of, rated, repeats
from evaluation.statistics.mixed_models import mixed_model, ordinal_model
from evaluation.statistics.omnibus import describe, levene, omega_squared, omnibus
from evaluation.statistics.pairs import dunn_sidak, games_howell
from evaluation.statistics.power_analysis import power
from evaluation.statistics.ratings_file import Ratings, check_ratings, read_ratings
from evaluation.statistics.result import Lead, Result
from evaluation.statistics.summary_file import paper_table, paper_tests, read_summary

__all__ = [
    "Anova",
    "Design",
    "Lead",
    "Ratings",
    "Result",
    "TableError",
    "alpha",
    "anova",
    "anova_of_means",
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
    "paper_anova",
    "paper_table",
    "paper_tests",
    "power",
    "rated",
    "read_ratings",
    "read_summary",
    "repeats",
]
