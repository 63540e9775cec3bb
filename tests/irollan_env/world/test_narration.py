"""The six observations that appendix A prints, word for word, from world states."""

from dataclasses import replace

import pytest
from staging import MAP, stage

from irollan_env import World

READING_ROOM = (
    "a door to outside, the table 13, the table 14, the table 15, the table 16, the table 17, the table 18, the chair "
    "22, the chair 23, the chair 24, the chair 25, the chair 26, the chair 27, the bookshelf 9, the bookshelf 10, the "
    "bookshelf 11, the bookshelf 12, the bookshelf 13, the bookshelf 14, the bookshelf 15, the bookshelf 16, the "
    "storagebin 8, the storagebin 9, the storagebin 10, the storagebin 11, the storagebin 12, the storagebin 13, the "
    "book 12 placed on the bookshelf 12, the book 13 placed on the bookshelf 13, the book 14 placed on the bookshelf "
    "14, the book 15 placed on the bookshelf 15, the book 16 placed on the bookshelf 16, the beverage 3 placed on the "
    "storagebin 9, the beverage 4 placed on the storagebin 10, the beverage 5 placed on the storagebin 12, and the "
    "AY's clothes 1 placed on the storagebin 12."
)
APPENDIX = {
    "AY": (
        "You are in outside. Looking around you, you see a door to AY's Home, a door to WM's Home, a door to MD's "
        "Home, a door to Public Canteen, a door to LL's Home, a door to Public Reading Room, a door to SG's Home, and "
        "a door to WL's Home. You are holding the SG's clothes 1 in the clean damp status. You are moving."
    ),
    "SG": (
        "You are in Public Reading Room. Looking around you, you see a person named LL who is moving, a person named "
        f"WM who is moving, {READING_ROOM} You are holding the book 10, the 10 dollar. You are moving."
    ),
    "WL": (
        "You are in LL's Home. Looking around you, you see a door to outside, the table 2, the table 3, the chair 2, "
        "the chair 3, the chair 4, the chair 5, the chair 6, the chair 7, the bed 2, the bookshelf 1, the bookshelf 2, "
        "the bookshelf 3, the countertop 1, the foodshelf 2, the sinkbasin 1, the storagebin 1, the storagebin 2, the "
        "stoveburner 1, the wardrobe 2, the wardrobe 3, the nightstand 1, the nightstand 2, the toy 3 placed on the "
        "chair 7 in the clean damp status, the book 1 placed on the bookshelf 1, the book 2 placed on the bookshelf "
        "2, the book 3 placed on the table 2, the LL's clothes 1 placed on the chair 7, the LL's clothes 2 placed on "
        "the chair 7, and the WL's clothes 1 placed on the chair 4. You are holding the beefsteak, the food 12."
    ),
    "LL": (
        "You are in Public Reading Room. Looking around you, you see a person named WM who is moving, a person named "
        f"SG who is moving, {READING_ROOM} You are holding the 1 gold coin. You are moving."
    ),
    "WM": (
        "You are in Public Reading Room. Looking around you, you see a person named LL who is moving, a person named "
        f"SG who is moving, {READING_ROOM} You are holding the book 11. You are moving."
    ),
}
MD = (
    "You are in WL's Home. Looking around you, you see a person named AY who is moving, a door to outside, the table "
    "5, the table 6, the chair 9, the chair 10, the bed 4, the bookshelf 4, the bookshelf 5, the bookshelf 6, the "
    "storagebin 4, the storagebin 5, the wardrobe 5, the nightstand 3, the nightstand 4, the food 9 placed on the "
    "storagebin 5, the toy 1 placed on the table 6, the toy 2 placed on the nightstand 3, the book 4 placed on the "
    "bookshelf 4, the book 5 placed on the bookshelf 5, the book 6 placed on the bookshelf 6, the beverage 2 placed "
    "on the storagebin 4, and the MD' clothes 1 placed on the wardrobe 5. You are moving."
)


@pytest.fixture(scope="module")
def time_step_51():
    """The world as the appendix shows it to all but MD."""
    return stage(
        people={
            "AY": "outside",
            "MD": "WL's Home",
            "WL": "LL's Home",
            "LL": "Public Reading Room",
            "WM": "Public Reading Room",
            "SG": "Public Reading Room",
        },
        doing=dict.fromkeys(("AY", "SG", "MD", "LL", "WM"), "moving"),
        holding={
            "AY": ["SG's clothes 1"],
            "SG": ["book 10", "10 dollar"],
            "WL": ["beefsteak", "food 12"],
            "LL": ["1 gold coin"],
            "WM": ["book 11"],
        },
        lying={
            "AY's clothes 1": "storagebin 12",
            "book 9": "table 9",
            "food 2": "table 9",
            "food 3": "table 9",
            "beverage 1": "table 9",
            "toy 3": "chair 7",
            "book 3": "table 2",
            "LL's clothes 1": "chair 7",
            "LL's clothes 2": "chair 7",
            "WL's clothes 1": "chair 4",
        },
        status={"SG's clothes 1": ["clean", "damp"], "toy 3": ["clean", "damp"]},
    )


@pytest.mark.parametrize("name", APPENDIX)
def test_appendix_word_for_word(time_step_51, name):
    assert time_step_51.observe(name).sentence == APPENDIX[name]


def test_appendix_word_for_word_md():
    """MD sees AY where AY itself does not yet know to be; the paper prints "MD' clothes 1"."""
    items = tuple(replace(item, name=item.name.replace("MD's", "MD'")) for item in MAP.items)
    world = stage(
        valley_map=replace(MAP, items=items),
        people={"WL": "outside", "MD": "WL's Home", "AY": "WL's Home"},
        doing={"MD": "moving", "AY": "moving"},
        lying={"MD' clothes 1": "wardrobe 5", "WL's clothes 1": "chair 4"},
    )
    assert world.observe("MD").sentence == MD


@pytest.mark.parametrize(
    ("people", "seen"),
    [
        ([], "a door to outside"),
        (["B"], "a person named B, and a door to outside"),
        (["B", "C"], "a person named B, a person named C, and a door to outside"),
    ],
)
def test_a_bare_room(people, seen):
    residents = tuple(
        replace(MAP.residents[0], name=name, home="AY's Home" if name == "A" or name in people else "LL's Home")
        for name in "ABC"
    )
    bare = replace(MAP, furniture=(), items=(), residents=residents)
    assert World(bare).sentence("A") == f"You are in AY's Home. Looking around you, you see {seen}."
