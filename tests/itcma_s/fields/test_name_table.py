import json

import numpy as np
import pytest
from toy_fields import ToyEmbedder

from itcma_s.fields.name_table import NameTable


def test_names_are_embedded_once_and_in_one_batch(table, embedder):
    assert table.ids(["bed 1", "cup 2", "bed 1"]).tolist() == [0, 1, 0]
    assert table.ids(["cup 2", "LL", "SG"]).tolist() == [1, 2, 3]
    assert table.ids([]).tolist() == []
    assert embedder.batches == [["bed 1", "cup 2"], ["LL", "SG"]]
    assert table.names == ("bed 1", "cup 2", "LL", "SG")
    assert table.name(2) == "LL"
    assert len(table) == 4
    assert "LL" in table


@pytest.mark.parametrize(("gram_limit", "most"), [(0, 90), (3, 90), (4096, 90), (4096, 600)])
def test_cosines_are_dot_products_clipped_at_0_and_rounded(embedder, gram_limit, most):
    table = NameTable(embedder, gram_limit=gram_limit)
    for size in (1, 2, 5, most):  # grows by blocks
        table.ids([f"cup {n}" if n % 2 else f"thing{n}" for n in range(size)])
    ids = np.arange(len(table), dtype=np.int32)
    expected = np.clip(table.vectors.astype(float) @ table.vectors.T.astype(float), 0.0, 1.0)
    cosines = table.cosines(ids, ids)
    assert cosines.dtype == np.float32
    np.testing.assert_allclose(cosines, expected.round(5), atol=1.1e-5)
    assert (np.diag(cosines) == 1.0).all()
    assert (cosines >= 0.0).all()
    assert (expected == 0.0).any()
    np.testing.assert_allclose(table.cosine_rows(ids[3:7]), cosines[3:7], atol=1e-6)
    np.testing.assert_allclose(table.cosines(ids[3:7], ids[60:40:-1]), cosines[3:7, 60:40:-1], atol=1e-6)
    assert table.cosines(ids[:2], ids[:0]).shape == (2, 0)


def test_distinct_ids_are_those_of_numpy(table):
    table.ids([f"cup {n}" for n in range(30)])
    for size in (0, 1, 60):
        ids = np.random.default_rng(size).integers(0, 30, size).astype(np.int32)
        unique, places = table.distinct(ids)
        expected = np.unique(ids, return_inverse=True)
        assert unique.dtype == np.int32
        assert (unique.tolist(), places.tolist()) == (expected[0].tolist(), expected[1].tolist())


def test_a_restored_table_is_the_same(table):
    table.ids(["bed 1", "cup 2"])
    table.ids(["LL"])
    other = NameTable(ToyEmbedder())
    other.ids(["anything"])
    other.set_state(json.loads(json.dumps(table.get_state())))
    ids = np.arange(3, dtype=np.int32)
    assert other.names == table.names
    assert (other.vectors == table.vectors).all()
    assert (other.cosines(ids, ids) == table.cosines(ids, ids)).all()
    assert other.ids(["SG", "LL"]).tolist() == table.ids(["SG", "LL"]).tolist() == [3, 2]


@pytest.mark.parametrize("name", ["", "  "])
def test_an_empty_name_is_refused_and_leaves_the_table_as_it_was(table, name):
    with pytest.raises(ValueError, match="a name must be a non-empty string"):
        table.ids(["bed 1", name])
    assert len(table) == 0


def test_ids_beyond_the_table_are_refused(table):
    ids = table.ids(["bed 1"])
    for bad in (1, -1):
        with pytest.raises(IndexError, match="ids must lie in"):
            table.cosines(ids, np.array([bad], dtype=np.int32))
    with pytest.raises(IndexError, match="no name has id 1"):
        table.name(1)
    for ask in (table.names_of, table.distinct):
        with pytest.raises(IndexError, match="ids must lie in"):
            ask(np.array([0, 1], dtype=np.int32))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.ones((1, 24)), "vectors of length 1"),
        (np.full((1, 24), np.nan), "vectors of length 1"),
        (np.ones((2, 24)), r"must return shape \(1, 24\), got \(2, 24\)"),
    ],
)
def test_a_wrong_embedder_is_named(embedder, rows, message):
    embedder.embed = lambda texts: rows
    with pytest.raises(ValueError, match=message):
        NameTable(embedder).ids(["bed 1"])


def test_states_that_do_not_fit_are_refused(table):
    state = {"embedder": "toy", "names": ["a", "b"], "batches": [1]}
    with pytest.raises(ValueError, match="do not fit batches"):
        table.set_state(state)
    with pytest.raises(ValueError, match="embedded by 'other'"):
        table.set_state({**state, "embedder": "other"})
