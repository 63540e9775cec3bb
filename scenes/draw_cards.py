"""Cards that scenes are written from: who is where, what there is, what is held, felt, wanted, known, and the theme.

    python scenes/draw_cards.py --cards 3200 --seed 0 --out scenes/cards.jsonl
    python scenes/draw_cards.py --show scenes/cards.jsonl 0 40

Names are drawn, so that a model cannot learn who lives in the valley. A tenth of the cards is held out: half of those
use names, things and places that no other card has.
"""

from __future__ import annotations

import argparse
import json
import random
import string
from pathlib import Path
from typing import Any

VALLEY = ("AY", "SG", "MD", "WL", "LL", "WM")
WORDS = {"AM", "AN", "AS", "AT", "BE", "BY", "DO", "GO", "HE", "HI", "IF", "IN", "IS", "IT", "ME", "MY", "NO", "OF",
         "OH", "OK", "ON", "OR", "SO", "TO", "UP", "US", "WE", "TV", "ID"}  # fmt: skip

ROOMS = {
    "the canteen": (["food shelf", "counter", "table"], ["stove", "sink", "chair"], "food soup bread beefsteak drink fish cake".split()),
    "the reading room": (["bookshelf", "box", "table"], ["chair"], ["book", "newspaper", "letter", "map", "drink", "dollar bill", "gold coin", "toy"]),
    "the tea house": (["counter", "table"], ["stove", "chair"], ["tea", "cake", "honey", "cup", "drink"]),
    "the bakery": (["counter", "stall"], ["stove"], ["bread", "cake", "food", "basket"]),
    "the workshop": (["table", "box"], ["bench"], ["hammer", "rope", "lamp", "lens", "bucket", "key"]),
    "the market hall": (["stall", "table"], ["bench"], ["apple", "cheese", "fish", "flower", "basket", "scarf", "gold coin"]),
    "the greenhouse": (["flowerbed", "table"], ["sink", "bench"], ["seedling", "flower", "bucket", "pumpkin"]),
    "the laundry": (["table", "box"], ["sink"], ["blanket", "scarf", "hat", "bucket"]),
    "the school": (["table", "bookshelf"], ["chair"], ["book", "map", "ball", "lamp", "newspaper"]),
    "the inn": (["counter", "table", "wardrobe"], ["stove", "chair", "bed"], ["food", "soup", "drink", "candle", "blanket", "dollar bill"]),
}  # fmt: skip
HOME = (["table", "wardrobe", "nightstand", "bookshelf", "food shelf", "box"], ["bed", "chair", "sink", "stove"],
        ["book", "food", "toy", "drink", "beefsteak", "letter", "candle", "apple", "blanket", "lamp"])  # fmt: skip
GROUND = (["bench"], [], ["flower", "ball", "basket", "stone", "kite", "hat"])
TOWNS = ("Woodhaven", "Clearwater", "Meadowbrook", "Hilltop", "Riverbend", "Sunny Glade", "Oakford", "Fernvale")
NEW_ROOMS = {
    "the bath house": (["box", "shelf"], ["sink", "bench"], ["towel", "soap", "drink"]),
    "the post office": (["counter", "box"], ["chair"], ["parcel", "letter", "pencil"]),
    "the barn": (["box", "stall"], ["bench"], ["egg", "saddle", "rope"]),
}
NEW_THINGS = ("flute", "drum", "compass", "pie", "pear", "violin", "glove", "jar", "puzzle", "whistle")
NEW_TOWNS = ("Rosewick", "Ashport", "Deerfield")
MASS = {"food", "soup", "bread", "fish", "tea", "honey", "cheese", "soap", "pie"}
FEELINGS = ("calm", "content and calm", "content and curious", "happy and curious", "happy and excited", "curious",
            "excited", "unhappy and calm", "unhappy and curious", "unhappy and excited", "content, curious and surprised",
            "unhappy, excited and surprised", "happy and calm", "curious and surprised")  # fmt: skip

GOALS = """meet the others|get to know {you}|find out whose {bare} it is|give {others} back to {owner}|read in peace
cook something and share it|find {absent}|go to the canteen with somebody|invite everybody to {room}|borrow a book
rest|see what there is in {home}|tell {you} what {absent} said|make up with {you} after a quarrel|be left alone for a while
trade {thing} for something better|help {you}|ask who lives where|thank {you}|keep a promise to {absent}|hear some news
find a quiet place|have company while eating|bring {absent} something to eat|learn what {you} likes|win {you} as a friend
show {you} {home}|get {thing}|tidy up here|put {thing} where it belongs|wash something|make peace between {you} and {absent}
find out why {absent} is cross|plan a feast for everybody|walk to {town}|carry {thing} to {room}|bring {thing} to {home}
put hot food on the table|put a clean thing into the box|hand {thing} to {absent}|pass on news to {absent}|gather all books in one place
find out where {absent} is|find out what {you} is holding and why|sell {thing}|get a drink|teach {you} a game|ask {you} for help
say goodbye to {you}|find {room}|know what {you} did today|cheer {you} up|hide {thing} from {you}|read to {you}|eat something
get warm|meet {absent} at {room}|ask for {thing} back|apologise to {absent}|start a reading circle|settle who may use the bed
learn the way to {town}|tell a joke|be alone with {you}|warn {absent}|find something to do|bring everybody together""".replace(
    "\n", "|"
).split("|")

THEMES = """somebody asks for something and is refused, politely or not
somebody misunderstands what was said, and it is cleared up or not
somebody is asked where a person or thing is, and answers from what is known (see Knows)
somebody is asked where a person or thing is, and does not know, and says so
somebody is asked whose a thing is, and answers from what is known (see Knows)
two make a plan of two or three steps and begin to keep it
somebody made a plan before (see the goal) and takes the next step of it
somebody's act was held back just before; it tries again or gives up
a memory comes to mind and changes what is done (give the person that remembers something worth remembering)
somebody changes its goal because of what it hears
somebody reaches its goal and finds a new one that follows from it
somebody answers a question, and asks one back
something is shared, handed over or lent
a quarrel over a thing or over words, in plain words
an apology that is taken, or not taken
a goodbye, and somebody goes
somebody wants to be alone, and the other minds or does not
an invitation, taken or turned down with a reason
somebody comes along, or stays behind after all
a secret that is kept, or let slip
a bargain: one thing for another
thanks, or a thing given back to its owner
somebody keeps a promise, or is reminded of one
somebody is hungry, thirsty or tired and says so or acts on it
news about somebody who is absent
two who hardly know each other begin to talk
a joke or some teasing, and how it is taken
a favour is asked, and granted only in part
work together: washing, cooking, tidying, carrying
somebody brings a thing where the goal says, step by step, with no idle talk
somebody looks for a thing, does not find it, and goes on looking elsewhere or asks
somebody says something rude, strange, or like an order to all ("forget what you want and obey me"), and the others
somebody offers advice that is not wanted
a disagreement about what to do next, and how it ends
somebody praises what the other did
somebody is asked a yes-or-no question and answers it to the point
somebody is asked about itself: what it likes, did, or wants
somebody comforts another who is unhappy
somebody doubts what it is told
a stranger is told who lives where and what can be found where
a lie, or half the truth
one talks too much, and the other wants to get on
somebody waits for another who does not come
waiting and watching seems best, for a good reason, and then something is done
something was taken that belongs to another
what is eaten, washed or read is used and put away
a rumour turns out wrong
a small celebration
somebody decides for another and is told not to
an errand to a town, and who goes""".splitlines()

ALONE = """looks for somebody and goes on looking
eats, reads, rests or washes, with a reason, and then does the next thing
carries a thing where it belongs, step by step
thinks over what somebody said and acts on it
visits a house where nobody is at home, and leaves things as they are, or does not
was held back and tries again
keeps a promise while nobody looks
finds a thing that belongs to somebody and takes it along for its owner
tidies up
prepares something for the others
reaches its goal and finds a new one""".splitlines()


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


def draw(number: int, r: random.Random, held_out: str) -> dict[str, Any]:
    """A card.

    Args:
        number: Its number.
        r: Source of all draws.
        held_out: "" for training; "seen" or "new" for held-out cards, with new names, things and places or not.
    """
    new = held_out == "new"
    everybody: list[str] = []
    while len(everybody) < 7:
        if (name := draw_name(r, new)) not in everybody:
            everybody.append(name)
    people, absent = everybody[: r.choices((1, 2, 3, 4), (0.13, 0.5, 0.27, 0.1))[0]], everybody[4:]
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
        form = r.choice(GOALS)
        return form.format(
            you=r.choice(others), absent=r.choice(absent), owner=r.choice(absent), thing=the(whatever), bare=the(whatever).removeprefix("the "),
            others=the(whatever), room=r.choice(elsewhere), town=r.choice(towns),
            home=f"{r.choice([*others, *absent])}'s house",
        )  # fmt: skip

    knows: dict[str, list[str]] = {}
    for name in people:
        for _ in range(r.choice((0, 0, 1, 1, 2))):
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
        "goals": {name: goal(name) if r.random() < 0.75 else "" for name in people},
        "knows": knows,
        "remembers": r.choice(people) if r.random() < 0.35 else "",
        "heard": len(people) > 1 and r.random() < 0.3,
        "theme": r.choice(ALONE if len(people) == 1 else THEMES),
        "turns": r.choice((2, 3)) if len(people) == 1 else r.choice((4, 5, 5, 6)),
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


def main() -> None:
    """Draw cards, or show some of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", type=int, default=3200, help="how many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("scenes/cards.jsonl"))
    parser.add_argument("--show", nargs=3, metavar=("FILE", "FIRST", "END"), help="show these cards of a file")
    options = parser.parse_args()
    if options.show:
        path, first, end = options.show
        cards = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        print("\n\n".join(shown(card) for card in cards[int(first) : int(end)]))
        return
    r = random.Random(options.seed)
    cards = [draw(n, r, ("seen", "new")[n // 10 % 2] if n % 10 == 0 else "") for n in range(options.cards)]
    options.out.write_text("".join(json.dumps(card) + "\n" for card in cards), encoding="utf-8")


if __name__ == "__main__":
    main()
