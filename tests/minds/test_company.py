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


def with_profile(monkeypatch, **behaviour):
    """A resident that does this alone, whenever it can."""
    nothing = dict.fromkeys(("greets", "answers", "repeats", "returns", "takes", "eats", "roams"), 0.0)
    monkeypatch.setitem(profiles(), "mine", Profile(about="does one thing", **{**nothing, **behaviour}))
    return hosted("company:mine")


def test_it_passes_on_what_it_was_told(monkeypatch):
    resident = with_profile(monkeypatch, repeats=1.0)
    told = Message(time=0, sender="SG", addressee="LL", text="It is day 12.")
    seen = replace(first_observation(), admissible=("chat with MD: ...",))
    for observation in (replace(seen, messages=(told,)), replace(seen, time=1)):
        assert decide(resident, observation).action == 'chat with MD: "It is day 12."'


def test_it_hands_things_to_their_owners(monkeypatch):
    actions = ("put SG's clothes 1 in/on MD", "put SG's clothes 1 in/on SG")
    observation = replace(first_observation(), admissible=actions)
    assert decide(with_profile(monkeypatch, returns=1.0), observation).action == "put SG's clothes 1 in/on SG"
