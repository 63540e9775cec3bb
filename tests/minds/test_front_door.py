"""What users import from ``minds``: its example runs, and a resident of a plain loop decides as one of a run."""

from __future__ import annotations

import pytest
from hosting import decide, first_observation, hosted

import minds
from language_models.embedders.hash_embedder import HashEmbedder
from language_models.scripted import ScriptedModel


@pytest.mark.parametrize("mind", ["react", "odd_minds:Well"])
def test_a_resident_of_a_plain_loop_decides_as_one_of_a_run(mind: str) -> None:
    """Named, found before, or handed over as a class."""
    expected = decide(hosted(mind), first_observation())
    assert expected.action is not None
    for given in (mind, minds.find_mind(mind), minds.find_mind(mind, in_process=True).make):
        agent = minds.make_resident("LL", given, model=ScriptedModel(), embedder=HashEmbedder(), seed=0)
        assert agent.act(first_observation()).action == expected.action


def test_what_is_no_mind_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'react'"):
        minds.make_resident("LL", "reat", model=ScriptedModel(), embedder=HashEmbedder())
    with pytest.raises(ValueError, match="has no method act"):
        minds.make_resident("LL", lambda context: object(), model=ScriptedModel(), embedder=HashEmbedder())
