"""What the tests of itcma_s share."""

from __future__ import annotations

import pytest
from toy_fields import ToyEmbedder

from itcma_s.fields.name_table import NameTable


@pytest.fixture
def embedder() -> ToyEmbedder:
    return ToyEmbedder()


@pytest.fixture
def table(embedder: ToyEmbedder) -> NameTable:
    return NameTable(embedder)
