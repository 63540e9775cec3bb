"""Write identities by rule: ages, work that the map has, families, ties between people, wishes, character, memories."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from irollan_env.map.records import Inhabitant
from irollan_env.map.valley_map import ValleyMap
from irollan_env.naming import kind
from irollan_env.random_streams import stream

YOUNGEST, OLDEST = 16, 84
_TIES = (1, 2, 3)
"""How many people outside the family somebody seeks out."""


@cache
def words() -> Mapping[str, Any]:
    """Return the words and sentences of ``words.toml``."""
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


@dataclass(slots=True)
class _Person:
    """One resident in the making."""

    resident: str
    pronouns: str
    age: int = 0
    family: str = ""
    work: Mapping[str, Any] = field(default_factory=dict)
    relations: dict[str, dict[str, Any]] = field(default_factory=dict)
    wishes: list[str] = field(default_factory=list)
    shared: list[tuple[int, str]] = field(default_factory=list)


def write_people(valley_map: ValleyMap, seed: int) -> dict[str, dict[str, Any]]:
    """Write an identity for each resident of a map, all of them different.

    Args:
        valley_map: The map; residents who share a home are a family, and some who live alone are related.
        seed: Seed of all draws, at least 0.

    Returns:
        Identities by resident, as ``evaluation.runs.identities.read_identities`` gives them.
    """
    generator = stream(seed, "people")
    drawn = _pronouns(len(valley_map.residents), generator)
    residents = zip(valley_map.residents, drawn, strict=True)
    people = {one.name: _Person(one.name, _given(one) or own) for one, own in residents}
    homes = {one.name: one.home for one in valley_map.residents}
    for number, family in enumerate(_families(valley_map, generator)):
        surname, at_home = _nth(words()["names"]["families"], number), len({homes[name] for name in family}) == 1
        _make_family([people[name] for name in family], surname, at_home, generator)
    _find_work(list(people.values()), _vocabulary(valley_map), generator)
    _tie(list(people.values()), generator)
    names = _names(valley_map.residents, people, generator)
    characters = _characters(len(people), generator)
    pasts = {part: _Deck(words()[part]["sentences"], generator) for part in ("childhood", "arrival")}
    trades: dict[str, tuple[_Deck, _Deck]] = {}
    found = {}
    for person, character in zip(people.values(), characters, strict=True):
        work = person.work
        if (trade := work["name"]) not in trades:
            trades[trade] = (_Deck(work["wishes"], generator), _Deck(work["memories"], generator))
        wishes, deeds = trades[trade]
        found[person.resident] = {
            **({"name": names[person.resident]} if person.resident in names else {}),
            "age": person.age,
            "pronouns": person.pronouns,
            "occupation": trade,
            "traits": character,
            "skills": list(work["skills"]),
            "goals": [wishes.draw(), *person.wishes[:1]],
            "memories": _memories(person, pasts, deeds, generator),
            "relations": person.relations,
        }
    return found


class _Deck:
    """Sentences in a drawn order, dealt until none is left, and then anew."""

    def __init__(self, sentences: Sequence[str], generator: np.random.Generator) -> None:
        self._order: list[str] = [sentences[place] for place in generator.permutation(len(sentences))]
        self._dealt = 0

    def draw(self) -> str:
        self._dealt += 1
        return self._order[(self._dealt - 1) % len(self._order)]


def _pick(options: Sequence[Any], generator: np.random.Generator) -> Any:
    return options[int(generator.integers(len(options)))]


def _nth(options: Sequence[str], number: int) -> str:
    """Return an option, combined with another once all were used: "Abel", ..., "Almeida-Abel"."""
    rounds, place = divmod(number, len(options))
    return options[place] if not rounds else f"{options[place]}-{_nth(options, (place + rounds) % len(options))}"


def _pronouns(count: int, generator: np.random.Generator) -> list[str]:
    """Deal pronouns evenly, those of the first two kinds alike and the third to one in twenty-five."""
    first, second, third = words()["kin"]["spouse"]
    dealt = [third if place % 25 == 24 else (first, second)[place % 2] for place in range(count)]
    return [dealt[place] for place in generator.permutation(count)]


def _given(resident: Inhabitant) -> str:
    """Return the pronouns that the map has for a resident, where there are words of kinship for them."""
    return resident.pronouns if resident.pronouns in words()["kin"]["spouse"] else ""


def _families(valley_map: ValleyMap, generator: np.random.Generator) -> list[list[str]]:
    """Group residents into families: those of one home; of those who live alone, some in pairs."""
    homes: dict[str, list[str]] = {}
    for one in valley_map.residents:
        homes.setdefault(one.home, []).append(one.name)
    families = [names for names in homes.values() if len(names) > 1]
    alone = [names[0] for names in homes.values() if len(names) == 1]
    order = [alone[place] for place in generator.permutation(len(alone))]
    while order:
        size = 2 if len(order) > 1 and generator.random() < 0.3 else 1
        families.append(order[:size])
        del order[:size]
    return families


def _make_family(people: Sequence[_Person], surname: str, at_home: bool, generator: np.random.Generator) -> None:
    """Give a family its ages and relations: somebody alone, or a couple, siblings, or parents with children.

    Args:
        people: Its members.
        surname: Their name.
        at_home: Whether they live in one home.
        generator: Source of the draws.
    """
    for person in people:
        person.family = surname
    grown = int(generator.triangular(YOUNGEST + 4, 38, OLDEST - 8))
    if len(people) == 1:
        people[0].age = grown
        return
    forms = (0, 1, 2) if at_home else (0, 1)
    parents = 2 if len(people) > 2 else _pick(forms, generator)
    couple, children = people[:parents], people[parents:]
    first = int(generator.integers(YOUNGEST, 40)) if couple and children else max(grown, YOUNGEST + 2 * len(people))
    for place, child in enumerate(children):
        child.age = max(YOUNGEST, first - 2 * place - int(generator.integers(0, 3)))
    for parent in couple:
        parent.age = min(OLDEST, (first + int(generator.integers(20, 31)) if children else first) + _few(generator))
    for one, other in combinations(couple, 2):
        _relate(one, other, ("spouse", "spouse"), (0.4, 1.0), generator)
    for parent in couple:
        for child in children:
            _relate(parent, child, ("child", "parent"), (0.2, 0.9), generator)
    for one, other in combinations(children, 2):
        kin = "twin" if one.age == other.age else "younger" if one.age > other.age else "older"
        back = {"twin": "twin", "younger": "older", "older": "younger"}[kin]
        _relate(one, other, (kin, back), (-0.2, 0.9), generator)


def _few(generator: np.random.Generator) -> int:
    return int(generator.integers(0, 7))


def _relate(
    one: _Person,
    other: _Person,
    kin: tuple[str, str],
    feeling: tuple[float, float],
    generator: np.random.Generator,
) -> None:
    """Make two people kin of each other: what the other is to the one, and the one to the other."""
    table = words()["kin"]
    abouts = (table[kin[0]][other.pronouns], table[kin[1]][one.pronouns])
    _feel(one, other, abouts, feeling, generator)
    _remember(one, other, table["wishes"], table["memories"], generator)


def _feel(
    one: _Person,
    other: _Person,
    abouts: tuple[str, str],
    feeling: tuple[float, float],
    generator: np.random.Generator,
) -> None:
    """Relate two people to each other, with feelings that are near each other and of one sign."""
    base = generator.uniform(*feeling)
    for person, about, whom in ((one, abouts[0], other), (other, abouts[1], one)):
        felt = float(np.clip(base + generator.uniform(-0.1, 0.1), *feeling))
        person.relations[whom.resident] = {"about": about, "feeling": round(felt, 1) + 0.0}


def _remember(
    one: _Person,
    other: _Person,
    wishes: Sequence[str],
    memories: Sequence[str | Sequence[str]],
    generator: np.random.Generator,
) -> None:
    """Give two people a memory of each other, at the same time, and a wish about each other."""
    days = int(_pick((2, 5, 9, 20, 33, 60, 120, 300, 500), generator) + generator.integers(0, 4))
    told = _pick(memories, generator)
    mine, theirs = (told, told) if isinstance(told, str) else told
    for person, whom, sentence in ((one, other, mine), (other, one, theirs)):
        person.shared.append((days, sentence.format(other=whom.resident)))
        person.wishes.append(_pick(wishes, generator).format(other=whom.resident))


def _find_work(people: Sequence[_Person], has: frozenset[str], generator: np.random.Generator) -> None:
    """Give everybody work that the map has a place or things for; what fits everywhere where all of that is taken."""
    taken: Counter[str] = Counter()
    for place in generator.permutation(len(people)):
        person = people[place]
        fits = [
            work
            for work in words()["work"]
            if work.get("least", YOUNGEST) <= person.age <= work.get("most", OLDEST)
            and (not work.get("needs") or has.intersection(work["needs"]))
        ]
        # What needs something of the map, and few do already.
        rank = {work["name"]: 2 * taken[work["name"]] + (not work.get("needs")) for work in fits}
        least = min(rank.values())
        person.work = _pick([work for work in fits if rank[work["name"]] == least], generator)
        taken[person.work["name"]] += 1


def _vocabulary(valley_map: ValleyMap) -> frozenset[str]:
    """Return what a map has: kinds of furniture and things, and the words, alone and in pairs, of names of places."""
    found = {piece.kind.lower() for piece in valley_map.furniture} | {
        kind(item).lower() for item in valley_map.tables.items
    }
    for area in valley_map.areas:
        spoken = area.name.lower().split()
        found |= {*spoken, *(f"{one} {other}" for one, other in pairwise(spoken))}
    return frozenset(found)


def _tie(people: Sequence[_Person], generator: np.random.Generator) -> None:
    """Tie everybody to a few people outside the family, each tie on both sides."""
    ties = words()["tie"]
    chances = np.array([tie["weight"] for tie in ties], dtype=float)
    for person in people:
        for _ in range(int(_pick(_TIES, generator))):
            other = _pick(people, generator)
            if other is person or other.resident in person.relations or len(other.relations) > 2 * max(_TIES):
                continue
            tie = ties[int(generator.choice(len(ties), p=chances / chances.sum()))]
            about = _pick(tie["about"], generator)
            _feel(person, other, (about, about), tuple(tie["feeling"]), generator)
            _remember(person, other, tie["wishes"], tie["memories"], generator)


def _names(
    residents: Sequence[Inhabitant], people: Mapping[str, _Person], generator: np.random.Generator
) -> dict[str, str]:
    """Name everybody whose designation is no name: as the map displays it, else by a first name and the family's."""
    decks = {key: _Deck(words()["names"][key], generator) for key in words()["kin"]["spouse"]}
    found: dict[str, str] = {}
    used = {one.name for one in residents}
    for one in residents:
        if one.display_name != one.name and one.display_name not in used:
            found[one.name] = one.display_name
        elif one.name.isupper():
            person = people[one.name]
            for _ in range(len(used) + 1):
                name = f"{decks[person.pronouns].draw()} {person.family}"
                if name not in used:
                    break
            found[one.name] = name
        used.add(found.get(one.name, one.name))
    return found


def _characters(count: int, generator: np.random.Generator) -> list[str]:
    """Draw characters of two lines each, all different as long as there are that many."""
    alone, together = words()["traits"]["alone"], words()["traits"]["together"]
    pairs = len(alone) * len(together)
    order = np.concatenate([generator.permutation(pairs) for _ in range(-(-count // pairs))])[:count]
    return [f"{alone[place % len(alone)]}; {together[place // len(alone)]}" for place in order.tolist()]


def _memories(
    person: _Person, pasts: Mapping[str, _Deck], trade: _Deck, generator: np.random.Generator
) -> list[dict[str, Any]]:
    """Give somebody three memories with times: of childhood, of its work or arrival, and one that is shared."""
    child = int(generator.integers(5, 13))
    grown = max(1, min(person.age - YOUNGEST, int(generator.integers(1, 16))))
    middle = trade if generator.random() < 0.6 else pasts["arrival"]
    found: list[dict[str, Any]] = [
        {"at": _years(person.age - child), "text": pasts["childhood"].draw()},
        {"at": _years(grown), "text": middle.draw()},
    ]
    if person.shared:
        days, text = _pick(person.shared, generator)
        found.append({"at": days, "text": text})
    else:
        last = pasts["arrival"] if middle is trade else trade
        found.append({"at": _years(max(1, grown // 2)), "text": last.draw()})
    return found


def _years(count: int) -> str:
    return "last year" if count == 1 else f"{count} years ago"
