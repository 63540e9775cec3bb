"""Cards that scenes are written from: who is where, what there is, what is held, felt, wanted, known, and the theme.

    python valley_scenes/draw_cards.py --seed 0 --out valley_scenes/cards.jsonl
    python valley_scenes/draw_cards.py --show valley_scenes/cards.jsonl 0 40

Names are drawn, so that a model cannot learn who lives in the valley. A tenth of the cards is held out: half of those
use names, rooms and towns that no other card has. The later cards are for plain scenes: everyday matters, and people
alone more often.
"""

from __future__ import annotations

import argparse
import json
import random
import string
import tomllib
from pathlib import Path
from typing import Any

VALLEY = ("AY", "SG", "MD", "WL", "LL", "WM")
WORDS = {"AM", "AN", "AS", "AT", "BE", "BY", "DO", "GO", "HE", "HI", "IF", "IN", "IS", "IT", "ME", "MY", "NO", "OF",
         "OH", "OK", "ON", "OR", "SO", "TO", "UP", "US", "WE", "TV", "ID"}  # fmt: skip

_DATA = tomllib.loads((Path(__file__).parent / "cards.toml").read_text(encoding="utf-8"))
GOALS, THEMES, ALONE, FEELINGS = (_DATA[key] for key in ("goals", "themes", "themes_alone", "feelings"))
PLAIN_GOALS, PLAIN_THEMES, PLAIN_ALONE = (_DATA[f"plain_{key}"] for key in ("goals", "themes", "themes_alone"))
TOWNS, NEW_TOWNS, NEW_THINGS = (_DATA[key] for key in ("towns", "new_towns", "new_things"))
MASS = frozenset(_DATA["mass"])


def _furnished(place: dict[str, list[str]]) -> tuple[list[str], list[str], list[str]]:
    """Where things lie in a place, what can be used there, and what lies there."""
    return place["spots"], place["tools"], place["things"]


ROOMS, NEW_ROOMS = ({name: _furnished(one) for name, one in _DATA[key].items()} for key in ("rooms", "new_rooms"))
HOME, GROUND = _furnished(_DATA["home"]), _furnished(_DATA["ground"])


def is_new_name(name: str) -> bool:
    """Whether a name is kept for held-out cards."""
    return name not in VALLEY and sum(map(ord, name)) % 9 == 0


def draw_name(r: random.Random, new: bool) -> str:
    """A designation: one of the valley's six, or two or three letters."""
    while True:
        if not new and r.random() < 0.3:
            return r.choice(VALLEY)
        name = "".join(r.choices(string.ascii_uppercase, k=r.choice((2, 2, 3))))
        if name not in WORDS and is_new_name(name) == new and len(set(name)) + (len(name) == 2) > 1:
            return name


def some(thing: str, r: random.Random) -> str:
    """A thing as it is told: "a book", "food", "three apples"."""
    if thing in MASS or thing.endswith("clothes"):
        return thing
    if r.random() < 0.12 and not thing.endswith(("knife", "s")):
        return f"{r.choice(('two', 'three'))} {thing}{'es' if thing.endswith('x') else 's'}"
    return f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"


def draw(number: int, r: random.Random, held_out: str, *, plain: bool = False) -> dict[str, Any]:
    """A card.

    Args:
        number: Its number.
        r: Source of all draws.
        held_out: "" for training; "seen" or "new" for held-out cards, with new names, things and places or not.
        plain: Whether it is for a plain scene.
    """
    new = held_out == "new"
    everybody: list[str] = []
    while len(everybody) < 7:
        if (name := draw_name(r, new)) not in everybody:
            everybody.append(name)
    many = (0.34, 0.42, 0.18, 0.06) if plain else (0.13, 0.5, 0.27, 0.1)
    people, absent = everybody[: r.choices((1, 2, 3, 4), many)[0]], everybody[4:]
    me = people[0]
    towns = NEW_TOWNS if new else TOWNS
    sort = r.choices(("room", "home", "outside", "town"), (0.45, 0.33, 0.15, 0.07))[0]
    rooms = NEW_ROOMS if new else ROOMS
    if sort == "room":
        place = r.choice(list(rooms)) if new or r.random() < 0.4 else r.choice(("the canteen", "the reading room"))
        spots, tools, pool = rooms[place]
    elif sort == "home":
        place, (spots, tools, pool) = f"{r.choice([*people, *people, *absent])}'s house", HOME
    else:
        place, (spots, tools, pool) = ("outside" if sort == "outside" else r.choice(towns)), GROUND
    extra = list(NEW_THINGS) if new else ["kite", "key", "comb", "mirror", "clock", "shell", "feather", "coat"]
    pool = [*(p for p in pool if not new or place in rooms), *r.sample(extra, 2), *(extra if new else [])]
    things = [(some(t, r), r.choice(spots)) for t in r.sample(pool, min(len(pool), r.choice((0, 1, 2, 2, 3, 4))))]
    if sort != "outside" and r.random() < 0.25:
        things.append((f"{r.choice([*people, *absent])}'s clothes", r.choice(spots)))
    if sort in ("outside", "town"):
        things = things[:1] if r.random() < 0.4 else []
    goods = ["book", "food", "drink", "toy", "dollar bill", "gold coin", "letter", "apple", "scarf", "flower"]
    goods = list(NEW_THINGS) if new else goods
    held = {
        name: some(r.choice(goods), random.Random(1)) if r.random() < 0.85 else f"{r.choice(everybody)}'s clothes"
        for name in people
        if r.random() < (0.45 if name == me else 0.25)
    }
    known_things = [t for t, _ in things] + list(held.values())
    whatever = r.choice(known_things) if known_things else some(r.choice(goods), random.Random(1))

    elsewhere = [room for room in rooms if room != place]

    def goal(name: str) -> str:
        others = [one for one in people if one != name] or absent
        form = r.choice(PLAIN_GOALS if plain else GOALS)
        return form.format(
            you=r.choice(others), absent=r.choice(absent), owner=r.choice(absent), thing=the(whatever),
            bare=the(whatever).removeprefix("the "),
            others=the(whatever), room=r.choice(elsewhere), town=r.choice(towns),
            home=f"{r.choice([*others, *absent])}'s house",
        )  # fmt: skip

    knows: dict[str, list[str]] = {}
    for name in people:
        for _ in range(r.choice((0, 1, 1, 2, 3) if plain else (0, 0, 1, 1, 2))):
            one = r.choice(absent)
            somewhere = r.choice([*elsewhere, f"{one}'s house"])
            facts = (
                f"{one} was {r.choice(('outside', 'in the canteen', f'in {somewhere}'))}",
                f"{one} went out of {r.choice(elsewhere)}",
                f"there is {some(r.choice(goods), random.Random(1))} in {somewhere}",
                f"{the(whatever)} belongs to {r.choice(everybody)}",
                f"there is a {r.choice(('stove', 'sink', 'bed'))} in {somewhere}",
            )
            knows.setdefault(name, []).append(r.choice(facts))
    themes, themes_alone = (PLAIN_THEMES, PLAIN_ALONE) if plain else (THEMES, ALONE)
    return {
        "id": number,
        "split": held_out or "train",
        "place": place,
        "people": people,
        "absent": absent,
        "things": things,
        "tools": [tool for tool in tools if r.random() < 0.7],
        "held": held,
        "feelings": {name: r.choice(FEELINGS) for name in people},
        "goals": {name: goal(name) if r.random() < (0.5 if plain else 0.75) else "" for name in people},
        "knows": knows,
        "remembers": r.choice(people) if r.random() < 0.35 else "",
        "heard": len(people) > 1 and r.random() < 0.3,
        "theme": r.choice(themes_alone if len(people) == 1 else themes),
        "turns": (3 if plain else r.choice((2, 3))) if len(people) == 1 else r.choice((4, 5, 5, 6)),
    }


def the(thing: str) -> str:
    """What was told, told again: "the book" for "a book"."""
    first, _, rest = thing.partition(" ")
    if thing.endswith("clothes"):
        return thing
    return f"the {rest if first in ('a', 'an', 'two', 'three') else thing}"


def shown(card: dict[str, Any]) -> str:
    """A card as whoever writes from it reads it."""
    where = card["place"] if card["place"] == "outside" else f"in {card['place']}"
    lying = "; ".join(f"{t} on the {s}" for t, s in card["things"]) or "none"
    lines = [
        f"# {card['id']} ({card['turns']} turns)",
        f"{', '.join(card['people'])} {where}. Elsewhere: {', '.join(card['absent'])}.",
    ]
    lines.append(f"Things: {lying}. Furniture to use: {', '.join(card['tools']) or 'none'}.")
    lines.append(f"Held: {'; '.join(f'{n} {t}' for n, t in card['held'].items()) or 'nothing'}.")
    lines.append(f"Feel: {'; '.join(f'{n} {f}' for n, f in card['feelings'].items())}.")
    lines.append(
        f"Goals: {'; '.join(f'{n} wants to {g}' if g else f'{n} has none yet' for n, g in card['goals'].items())}."
    )
    if card["knows"]:
        lines.append(
            "Knows: " + "; ".join(f"{n} knows that {' and that '.join(k)}" for n, k in card["knows"].items()) + "."
        )
    if card["remembers"]:
        lines.append(f"Write what {card['remembers']} remembers.")
    if card["heard"]:
        lines.append("Write what was said right before (one line).")
    lines.append(f"Theme: {card['theme']}.")
    return "\n".join(lines)


def write(path: Path, count: int, plain: int, seed: int) -> None:
    """Draw cards into a file; every tenth is held out, with new names, things and places in turn."""
    r = random.Random(seed)
    held_out = [("seen", "new")[n // 10 % 2] if n % 10 == 0 else "" for n in range(count + plain)]
    cards = [draw(n, r, held_out[n], plain=n >= count) for n in range(count + plain)]
    path.write_text("".join(json.dumps(card) + "\n" for card in cards), encoding="utf-8")


def main() -> None:
    """Draw cards, or show some of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=3360, help="how many")
    parser.add_argument("--plain", type=int, default=2400, help="how many more for plain scenes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("valley_scenes/cards.jsonl"))
    parser.add_argument("--show", nargs=3, metavar=("FILE", "FIRST", "END"), help="show these cards of a file")
    options = parser.parse_args()
    if options.show:
        path, first, end = options.show
        cards = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        print("\n\n".join(shown(card) for card in cards[int(first) : int(end)]))
        return
    write(options.out, options.cards, options.plain, options.seed)


if __name__ == "__main__":
    main()
