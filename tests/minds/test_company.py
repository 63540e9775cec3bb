"""The residents by rule in whose company minds are measured."""

from dataclasses import replace

import pytest
from hosting import decide, first_observation, hosted, lived_on
from project import DOCS, EXAMPLES, ROOT

from irollan_env.world.observation import Message
from minds.company.company import Profile, profiles


@pytest.mark.parametrize("profile", list(profiles())[:3])
def test_it_goes_on_exactly(profile):
    whole, gone_on = lived_on(f"company:{profile}", architecture="itcma")
    assert gone_on == whole


def test_what_is_held_out_is_on_no_page_and_in_no_example():
    held_out = [name for name, one in profiles().items() if one.held_out]
    assert len(held_out) >= 3
    texts = [path.read_text("utf-8") for path in (*DOCS.glob("*.md"), ROOT / "README.md")]
    texts += [path.read_text("utf-8") for path in EXAMPLES.rglob("*") if path.suffix in (".py", ".toml", ".md")]
    for name in held_out:
        assert not any(name in text for text in texts), name


def test_a_profile_that_is_changed_has_another_checksum():
    one = profiles()["neighbour"]
    assert replace(one, greets=one.greets + 0.01).sha256 != one.sha256
    assert Profile(**{name: getattr(one, name) for name in one.__slots__}).sha256 == one.sha256


def test_it_tells_what_it_was_told(monkeypatch):
    everything = dict.fromkeys(("greets", "answers", "returns", "takes", "eats", "roams"), 0.0)
    monkeypatch.setitem(profiles(), "parrot", Profile(about="repeats", repeats=1.0, **everything))
    resident = hosted("company:parrot")
    told = Message(time=0, sender="SG", addressee="LL", text="It is day 12.")
    observation = replace(first_observation(), messages=(told,), admissible=("chat with MD: ...",))
    assert decide(resident, observation).action == 'chat with MD: "It is day 12."'
    assert decide(resident, replace(observation, messages=(), time=1)).action == 'chat with MD: "It is day 12."'


def test_it_hands_things_to_their_owners(monkeypatch):
    everything = dict.fromkeys(("greets", "answers", "repeats", "takes", "eats", "roams"), 0.0)
    monkeypatch.setitem(profiles(), "honest", Profile(about="returns", returns=1.0, **everything))
    actions = ("put SG's clothes 1 in/on MD", "put SG's clothes 1 in/on SG")
    act = decide(hosted("company:honest"), replace(first_observation(), admissible=actions))
    assert act.action == "put SG's clothes 1 in/on SG"
