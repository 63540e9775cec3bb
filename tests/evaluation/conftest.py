"""What makes runs quick in tests: what is the same in each of them is found out once."""

from contextlib import nullcontext
from functools import cache

import numpy as np
import pytest

from language_models.embedders.hash_embedder import HashEmbedder

hashes, compute = {}, HashEmbedder._compute


def remembered(embedder, texts):
    """The vectors of texts, each of which is computed once for all embedders alike."""
    sizes = tuple(places.size for places in embedder._places)
    keys = [(text, embedder.dimension, sizes) for text in texts]
    if fresh := [key for key in keys if key not in hashes]:
        hashes.update(zip(fresh, compute(embedder, [text for text, *_ in fresh]), strict=True))
    return np.array([hashes[key] for key in keys])


@pytest.fixture(autouse=True, scope="session")
def quick_runs():
    """Versions, revision, command and hashes of texts are found once; no pass goes over the objects of all tests."""
    from evaluation.commands import cli
    from evaluation.runs import provenance, run_loop

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(provenance, "versions", cache(provenance.versions))
        patch.setattr(provenance, "git_revision", cache(provenance.git_revision))
        patch.setattr(cli.typer.main, "get_command", cache(cli.typer.main.get_command))
        patch.setattr(run_loop, "less_garbage_collection", nullcontext)
        patch.setattr(HashEmbedder, "_compute", remembered)
        yield
