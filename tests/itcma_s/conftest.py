"""What the tests of itcma_s share."""

import pytest
from toy_fields import ToyEmbedder

from itcma_s.fields.name_table import NameTable


@pytest.fixture
def embedder():
    return ToyEmbedder()


@pytest.fixture
def table(embedder):
    return NameTable(embedder)
