"""Check scenes: python valley_scenes/check.py valley_scenes/written/0000.txt ...; without files, all of them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from reading import WRITTEN, Play, Scene, cards, scenes

_WORD = re.compile(r"[A-Za-z']+")
PLAIN = 3360
"""The first card of a plain scene."""
_PRONOUNS = re.compile(r"\b([Hh]e|[Ss]he|[Hh]im|[Hh]is|[Hh]ers?)\b")


def faults(scene: Scene) -> list[str]:
    """What is wrong with a scene."""
    card = scene.card
    turns = list(Play(scene).turns())
    found = scene.faults
    if abs(len(scene.turns) - card["turns"]) > 1:
        found.append(f"{len(scene.turns)} turns, where the card says {card['turns']}")
    people = {"OK", "TV", *re.findall(r"\b[A-Z]{2,3}\b", json.dumps(card))}
    for text in [t for turn in scene.turns for t in (turn.goal, turn.thought, turn.act)]:
        if strangers := set(re.findall(r"\b[A-Z]{2,3}\b", text)) - people:
            found.append(f"names that are not on the card: {', '.join(sorted(strangers))}: {text}")
        if _PRONOUNS.search(text):
            found.append(f"he or she: {text}")
    for turn in scene.turns:
        fewest, most = (4, 20) if card["id"] >= PLAIN else (7, 32)
        if not fewest <= len(_WORD.findall(turn.thought)) <= most:
            found.append(f"a thought of {len(_WORD.findall(turn.thought))} words: {turn.thought}")
        if '"' in turn.act and not 2 <= len(_WORD.findall(turn.act.partition(': "')[2])) <= most:
            found.append(f"too short or long: {turn.act}")
    if card["remembers"] and card["remembers"] not in scene.memories:
        found.append(f"no memory of {card['remembers']}")
    if len(card["people"]) > 2 and len(scene.turns) == len(turns):
        named = [name for group in scene.order for name in group]
        if not scene.order:
            found.append("no order")
        elif set(named) - set(card["people"]) or len(named) != len(set(named)):
            found.append(f"an order of others: {named}")
    return list(dict.fromkeys(found))


def main() -> int:
    """Check files, and say what is wrong."""
    paths = [Path(name) for name in sys.argv[1:]] or sorted(WRITTEN.glob("*.txt"))
    known, wrong, count, seen = cards(), 0, 0, set()
    for path in paths:
        for scene in scenes(path, known):
            count += 1
            found = faults(scene) if scene.card["id"] >= 0 else scene.faults
            if scene.card["id"] in seen:
                found.append("written twice")
            seen.add(scene.card["id"])
            for fault in found:
                print(f"{path.name} # {scene.card['id']}: {fault}")
            wrong += bool(found)
    print(f"{count} scenes, {wrong} with faults")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
