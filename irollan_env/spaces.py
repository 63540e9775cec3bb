"""The Gymnasium spaces of a valley's sentences and actions."""

from __future__ import annotations

import string

from gymnasium.spaces import Text

from irollan_env.primitives import LONGEST_CHAT
from irollan_env.sentence import Sentence
from irollan_env.tables import Tables

_KEYBOARD = frozenset(string.ascii_letters + string.digits + string.punctuation + " ")


def sentence_space(tables: Tables) -> Sentence:
    """All sentences: the keyboard's characters and those of the map's names, as long as a sentence can get."""
    return Sentence(min_length=1, max_length=_longest_sentence(tables), charset=_characters(tables))


def action_space(tables: Tables) -> Text:
    """Actions as text, chats included.

    The world takes every string; the space names the characters that a keyboard has and those of the map's names.
    What it samples is noise, which the world refuses: choose among the admissible actions instead.
    """
    longest_name = max(len(name) for name in tables.residents)
    return Text(
        min_length=1, max_length=len('chat with : ""') + longest_name + LONGEST_CHAT, charset=_characters(tables)
    )


def _characters(tables: Tables) -> frozenset[str]:
    names = (*tables.residents, *tables.places, *tables.furniture, *tables.items, *tables.status_bit)
    return _KEYBOARD.union(*names)


def _longest_sentence(tables: Tables) -> int:
    """An upper bound: everyone and everything in one place, all of it in every status and described at length."""
    names = (*tables.residents, *tables.furniture, *tables.items)
    doing = len("talking with the ") + max(len(name) for name in names)
    status = max(len(phrase) for phrase in tables.status_phrase)
    furniture = max((len(name) for name in tables.furniture), default=0)
    frame = len("You are in . Looking around you, you see and . You are holding . You are .") + doing
    people = sum(len("a person named  who is , ") + len(name) + doing for name in tables.residents)
    items = sum(len("the  placed on the , ") + len(name) + furniture + status for name in tables.items)
    places = zip(tables.places, tables.bare, strict=True)
    return frame + people + items + max(len(place) + len(scene) + 2 for place, scene in places)
