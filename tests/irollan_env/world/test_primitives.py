"""Reading and writing the six primitives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from irollan_env.world.primitives import (
    LONGEST_CHAT,
    Chat,
    GoTo,
    Leave,
    Put,
    Refusal,
    Take,
    Use,
    chat_with,
    is_chat,
    parse,
    write,
)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("go to SG's Home", GoTo("SG's Home")),
        ("use sinkbasin 1", Use("sinkbasin 1")),
        ("leave LL", Leave("LL")),
        ("take toy 1 from table 6", Take("toy 1", "table 6")),
        ("put book 11 in/on table 13", Put("book 11", "table 13")),
        ("chat with LL: hello: you", Chat("LL", "hello: you")),
        ("chat with LL:hello", Chat("LL", "hello")),
        ('chat with WM: "WM, did you?"', Chat("WM", "WM, did you?")),
        ("chat with WM: 'yes'", Chat("WM", "yes")),
        ("chat with WM: “yes”", Chat("WM", "yes")),
        ('chat with WM: say "a" or "b"', Chat("WM", 'say "a" or "b"')),
        ("chat with WM: ...", Chat("WM", "...")),
        ("chat with WM: one\ntwo", Chat("WM", "one\ntwo")),
    ],
)
def test_parse(text: str, action: object) -> None:
    assert parse(text) == action
    assert parse(write(parse(text))) == action  # type: ignore[arg-type]


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
        ("take book 1", "Say where to take it from"),
        ("put book 1 on table 1", "Say where to put it: put SOMETHING in/on SOMEWHERE."),
        ("chat with LL", "Say what you want to say: chat with SOMEONE: CHAT CONTENT."),
        ("chat with LL:", "no words after the colon"),
        ('chat with LL: "  "', "no words after the colon"),
        ("chat with LL: a\x00b", "the unprintable character U+0000"),
        ("chat with LL: \x1b[31mred", "the unprintable character U+001B"),
        ("chat with LL: \ud800!", "the unprintable character U+D800"),
        (f"chat with LL: {'a' * (LONGEST_CHAT + 1)}", "These are 2001 characters; at most 2000"),
        ("\x00\x01", r"'\x00\x01' is none of the six actions"),
    ],
)
def test_refusals(text: str, reason: str) -> None:
    refusal = parse(text)
    assert isinstance(refusal, Refusal)
    assert reason in refusal.reason


def test_long_text_is_not_repeated() -> None:
    refusal = parse("a" * 1_000_000)
    assert isinstance(refusal, Refusal)
    assert len(refusal.reason) < 400


@given(st.text())
def test_every_string_is_read_or_refused(text: str) -> None:
    for prefix in ("", "go to ", "chat with LL: ", "take ", "put a in/on "):
        action = parse(prefix + text)
        if not isinstance(action, Refusal):
            assert parse(write(action)) == action


def test_only_strings() -> None:
    with pytest.raises(TypeError, match="must be a string or None, got 3 of type int"):
        parse(3)  # type: ignore[arg-type]


def test_chat_helpers() -> None:
    assert chat_with("LL", "hello") == 'chat with LL: "hello"'
    assert is_chat("chat with LL: ...")
    assert not is_chat("go to LL's Home")
