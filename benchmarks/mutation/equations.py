"""The files with the paper's equations, and the tests that should fail on a mutant of each."""

from __future__ import annotations

from collections.abc import Mapping

_WIRING = "tests/itcma_s/test_wiring.py"

TESTS: Mapping[str, tuple[str, ...]] = {
    "itcma_s/emotion/emotion.py": ("tests/itcma_s/emotion/test_feelings.py", "tests/itcma_s/emotion/test_emotion.py"),
    "itcma_s/emotion/driver.py": ("tests/itcma_s/emotion/test_feelings.py", "tests/itcma_s/emotion/test_driver.py"),
    "itcma_s/emotion/feelings.py": ("tests/itcma_s/emotion/test_feelings.py",),
    "itcma_s/emotion/appraisal.py": (
        "tests/itcma_s/emotion/test_feelings.py",
        "tests/itcma_s/emotion/test_appraisal.py",
        "tests/itcma_s/emotion/test_events.py",
    ),
    "itcma_s/fields/similarity.py": ("tests/itcma_s/fields/test_phenomenal_field.py",),
    "itcma_s/fields/blending.py": ("tests/itcma_s/fields/test_blending.py",),
    "itcma_s/memory/long_term_memory.py": (_WIRING, "tests/itcma_s/memory/test_memory.py"),
    "itcma_s/memory/compression.py": ("tests/itcma_s/memory/test_compression.py",),
    "itcma_s/memory/levenshtein.py": ("tests/itcma_s/memory/test_levenshtein.py",),
    "itcma_s/memory/past.py": (_WIRING, "tests/itcma_s/memory/test_past.py"),
    "itcma_s/resident.py": (_WIRING, "tests/itcma_s/test_resident.py"),
    "itcma_s/elimination/elimination.py": (_WIRING, "tests/itcma_s/elimination/test_elimination.py"),
    "ltrha/topic.py": ("tests/ltrha/test_topic.py",),
    "ltrha/resources.py": ("tests/ltrha/test_resources.py",),
    "ltrha/matrix.py": ("tests/ltrha/test_matrix.py", "tests/ltrha/test_order.py"),
    "ltrha/likeness_ranker.py": ("tests/ltrha/test_likeness_ranker.py",),
    "ltrha/habitus.py": ("tests/ltrha/test_habitus.py",),
    "ltrha/framework.py": ("tests/ltrha/test_framework.py",),
}
"""Tests of each file, the fastest first."""
