import hashlib
import subprocess
import sys

import numpy as np
import pytest

from language_models.embedders.hash_embedder import HashEmbedder

PLACES = ["Public Reading Room", "kitchen", "bed 2", "sinkbasin 1", "10 dollar bill"]
TEXTS = [
    *PLACES,
    *(f"go to {place}" for place in PLACES),
    *(f"Ada is in the {place} and sees {', '.join(PLACES[:n])}." for place in PLACES for n in range(1, 4)),
]


def test_vectors_have_length_one() -> None:
    model = HashEmbedder(64)
    vectors = model.embed([*TEXTS, TEXTS[0], ""])
    assert vectors.shape == (len(TEXTS) + 2, model.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (vectors[0] == vectors[-2]).all()
    assert model.embed([]).shape == (0, model.dimension)
    with pytest.raises(ValueError, match="got the one string 'kitchen'"):
        model.embed("kitchen")


def test_hashes_are_the_same_everywhere() -> None:
    vectors = HashEmbedder(8, sizes=(1, 2)).embed(["bed 1"])
    code = (
        "from language_models.embedders.hash_embedder import HashEmbedder; "
        "print(HashEmbedder(8, sizes=(1, 2)).embed(['bed 1']).tobytes().hex())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONHASHSEED": "3"})
    assert run.stdout.strip() == vectors.tobytes().hex()


def test_hashes_do_not_hang_on_what_is_hashed_beside_them() -> None:
    texts = [*TEXTS, "", "a", "\ud800"]
    alone = [HashEmbedder(4).embed([text])[0] for text in texts]
    assert HashEmbedder(4).embed([*texts, *texts]).tobytes() == np.stack([*alone, *alone]).tobytes()


def test_each_gram_counts_at_the_place_that_its_hash_names() -> None:
    counts = np.zeros(3)
    for gram in ("2:\x02b", "2:be", "2:ed", "2:d\x03"):
        number = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big")
        counts[(number >> 1) % 3] += 1 if number & 1 else -1
    found = HashEmbedder(3, sizes=(2,)).embed(["Bed"])[0]
    np.testing.assert_allclose(found, counts / np.linalg.norm(counts), atol=1e-6)


def test_similar_names_have_similar_hashes() -> None:
    one, two, case, other = HashEmbedder().embed(["sinkbasin 1", "sinkbasin 2", "Sinkbasin 1", "go to the park"])
    assert one @ two > 0.7 > 0.3 > one @ other
    assert (one == case).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"dimension": 0}, "dimension must be at least 1, got 0"), ({"sizes": ()}, r"got \[\]"), ({"sizes": (0,)}, "got")],
)
def test_wrong_hash_embedders(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HashEmbedder(**options)  # type: ignore[arg-type]
