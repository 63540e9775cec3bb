"""Actions: what is parsed, what is refused, and that an action is a string with parts."""

import copy
import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irollan_env.actions import LONGEST_CHAT, Action, Primitive, Refusal, chat_with
from irollan_env.english import phrase
from irollan_env.policies.simple import scripted_policy
from irollan_env.world.events import Event
from irollan_env.world.observation import Observation


@pytest.mark.parametrize(
    ("text", "primitive", "target", "item", "words", "partner"),
    [
        ("go to SG's Home", Primitive.GO_TO, "SG's Home", None, "", None),
        ("use sinkbasin 1", Primitive.USE, "sinkbasin 1", None, "", None),
        ("leave LL", Primitive.LEAVE, "LL", None, "", None),
        ("take toy 1 from table 6", Primitive.TAKE, "table 6", "toy 1", "", None),
        ("put book 11 in/on table 13", Primitive.PUT, "table 13", "book 11", "", None),
        ("put book 11 in/on LL", Primitive.PUT, "LL", "book 11", "", "LL"),
        ("chat with LL: hello: you", Primitive.CHAT, "LL", None, "hello: you", "LL"),
        ("chat with LL:hello", Primitive.CHAT, "LL", None, "hello", "LL"),
        ('chat with WM: "WM, did you?"', Primitive.CHAT, "WM", None, "WM, did you?", "WM"),
        ("chat with WM: 'yes'", Primitive.CHAT, "WM", None, "yes", "WM"),
        ("chat with WM: “yes”", Primitive.CHAT, "WM", None, "yes", "WM"),
        ('chat with WM: say "a" or "b"', Primitive.CHAT, "WM", None, 'say "a" or "b"', "WM"),
        ("chat with WM: ...", Primitive.CHAT, "WM", None, "...", "WM"),
        ("chat with WM: one\ntwo", Primitive.CHAT, "WM", None, "one\ntwo", "WM"),
    ],
)
def test_parts(text, primitive, target, item, words, partner):
    action = Action(text)
    assert (action.primitive, action.target, action.item) == (primitive, target, item)
    assert (action.words, action.partner) == (words, partner)
    assert action.listed == (f"chat with {target}: ..." if words else text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is none of the six actions: go to SOMEWHERE; use SOMETHING;"),
        ("wait", "none of the six actions"),
        ("GO TO outside", "none of the six actions"),
        ("go outside", "none of the six actions"),
        ("use", "none of the six actions"),
        ("leave", "none of the six actions"),
        (" go to outside", "none of the six actions"),
        ("take book 1", "take SOMETHING from SOMEWHERE"),
        ("put book 1 on table 1", "put SOMETHING in/on SOMEWHERE"),
        ("chat with LL", "chat with SOMEONE: CHAT CONTENT"),
        ("chat with LL:", "no words after the colon"),
        ('chat with LL: "  "', "no words after the colon"),
        ("chat with LL: a\x00b", "U+0000"),
        ("chat with LL: \x1b[31mred", "U+001B"),
        ("chat with LL: \ud800!", "U+D800"),
        (f"chat with LL: {'a' * (LONGEST_CHAT + 1)}", "2001 characters; at most 2000"),
        ("\x00\x01", r"'\x00\x01' is none of the six actions"),
    ],
)
def test_refusals(text, reason):
    refusal = Action.parse(text)
    assert isinstance(refusal, Refusal)
    assert refusal == text
    assert reason in refusal.reason
    with pytest.raises(ValueError, match=re.escape(reason)):
        Action(text)


def test_long_text_is_not_repeated():
    refusal = Action.parse("a" * 1_000_000)
    assert isinstance(refusal, Refusal)
    assert len(refusal.reason) < 400


@given(st.text())
def test_every_string_is_itself_read_or_refused(text):
    for prefix in ("", "go to ", "chat with LL: ", "take ", "put a in/on "):
        action = Action.parse(prefix + text)
        assert action == prefix + text
        assert hash(action) == hash(prefix + text)
        assert Action.parse(action) is action
        if isinstance(action, Action) and action.words:
            said = chat_with(action.target, action.words)
            assert (said.target, said.words) == (action.target, action.words)


@pytest.mark.parametrize("text", ["put book 11 in/on LL", 'chat with LL: "hello"', "sing"])
def test_copies_are_the_same_and_nothing_can_be_set(text):
    action = Action.parse(text)
    twin = pickle.loads(pickle.dumps(action))
    for other in (copy.deepcopy(action), copy.copy(action), twin):
        assert other == action
        assert type(other) is type(action)
    if isinstance(action, Action):
        assert (twin.primitive, twin.target, twin.words) == (action.primitive, action.target, action.words)
        with pytest.raises(AttributeError):
            action.target = "WM"
        with pytest.raises(AttributeError):
            del action.target
    assert json.dumps({action: [action]}) == json.dumps({text: [text]})


def test_only_strings():
    with pytest.raises(TypeError, match="got 3 of type int"):
        Action.parse(3)


def test_chat_with():
    assert chat_with("LL", "hello") == 'chat with LL: "hello"'
    with pytest.raises(ValueError, match="no words"):
        chat_with("LL", "")


def test_what_is_written_on_furniture_is_said_to_nobody():
    written = Action('chat with noticeboard 1: "Bread for a coin."')
    assert (written.partner, written.target, written.words) == (None, "noticeboard 1", "Bread for a coin.")
    assert phrase(written) == "write on noticeboard 1"
    assert Event(time=0, actor="AY", deed="held back", text=written.listed).describe("LL", ()) == (
        "AY wanted to write on noticeboard 1, and was held back."
    )
    admissible = (written.listed, Action("go to outside"))
    seen = Observation(time=0, resident="AY", place="Hall", sentence="", percepts=(), admissible=admissible)
    assert {scripted_policy(seen, np.random.default_rng(seed)) for seed in range(9)} == {"go to outside"}
