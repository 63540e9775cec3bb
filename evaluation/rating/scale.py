"""What a rating is: the five dimensions, the seven points, and the columns of a ratings file (section 5.2)."""

from __future__ import annotations

DIMENSIONS = ("personification", "consistency", "logicality", "exploration", "proactiveness")
LOWEST, HIGHEST = 1, 7
COLUMNS = ("rater", "run", "architecture", "resident", "dimension", "rating")
OPTIONAL_COLUMNS = ("comment", "expected")
ATTENTION_CHECK = "attention-check"
"""The dimension of a row that is no rating of a resident but a test whether its rater reads: ``rating`` is the answer,
``expected`` the answer that was asked for."""
