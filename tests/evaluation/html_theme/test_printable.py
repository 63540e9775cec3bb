"""Tests that untrusted text is harmless on a terminal and on a page."""

import unicodedata

import pytest

from evaluation.commands.errors import print_note, print_refusal
from evaluation.html_theme.printable import printable, printable_lines, readable, readable_data
from evaluation.html_theme.templates import templates

BIDI = [chr(code) for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
EVERY = [chr(code) for code in range(0x110000)]
LAID_OUT = {"\t", "\n", "\r"}
SHOWN = "\N{REPLACEMENT CHARACTER}"


def test_all_that_acts_is_shown_and_nothing_else_is_touched():
    acts = {one for one in EVERY if unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp")} | set(BIDI)
    assert {one for one in EVERY if printable(one) != one} == acts
    assert {one for one in EVERY if readable(one) != one} == acts - LAID_OUT
    assert {printable(one) for one in acts} == {SHOWN}


def test_words_of_every_script_stay_as_they_are():
    for words in ("نمی‌خواهم", "עברית", "👩‍👩‍👧", "Qu’est-ce\u202fque c’est ?", "走去外面"):
        assert printable(words) == readable(words) == words


def test_lines_stay_lines():
    assert printable_lines("a\x1b[2J\tb\r\nc\rd\n") == f"a{SHOWN}[2J   b\nc\nd"


def test_every_text_of_data_is_made_readable():
    data = {"k\x1b": ["\u202ea\n", ("b", 3, None, True)], "n": {"x": 0.5}}
    assert readable_data(data) == {f"k{SHOWN}": [f"{SHOWN}a\n", ["b", 3, None, True]], "n": {"x": 0.5}}


def test_what_a_server_says_does_not_steer_the_terminal(capsys):
    print_note("refused: \x1b]0;PWNED\x07 \x1b[31mred\n \u202eturned")
    assert print_refusal(ValueError("\x9b2J is no name")) == 2
    assert capsys.readouterr().err == (
        f"irollan: refused: {SHOWN}]0;PWNED{SHOWN} {SHOWN}[31mred {SHOWN}turned\nirollan: {SHOWN}2J is no name\n"
    )


@pytest.mark.parametrize(
    "template", ["{{ words }}", "{% macro say(it) %}<b>{{ it }}</b>{% endmacro %}{{ say(words) }}"]
)
def test_what_is_put_into_a_page_does_not_turn_it(template):
    page = templates("evaluation.report").from_string(template).render(words="<i>\u202e\x1b\n&")
    assert page.replace("<b>", "").replace("</b>", "") == f"&lt;i&gt;{SHOWN}{SHOWN}\n&amp;"
