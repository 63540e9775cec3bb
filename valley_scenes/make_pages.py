"""Pages to learn from, of all written scenes: python valley_scenes/make_pages.py --out valley_scenes/pages.jsonl.

Each turn is a page, as the one whose turn it is finds things, and what follows. What is remembered, known and was said
before is told as in a run (itcma_s/deliberation/page/page.py).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import turns
from reading import WORDS, WRITTEN, Play, Scene, Turn, as_deed, cards, counted, scenes

from itcma_s.deliberation.answer import GoalIs
from itcma_s.deliberation.page.page import Page, infinitive, several
from itcma_s.deliberation.plain_words import joined
from itcma_s.protention.place_imagination import page_about
from ltrha import order_page
from ltrha.deeds import KEPT, Deed
from ltrha.standing import Standing

LATELY = 4
DECIDED = 0.22
"""Share of turns whose act is told before."""
IMAGINED = 0.25
"""Share of scenes that a page asks of what there may be where they play."""
_WHEN = re.compile(r"^(?:(?:yesterday|today|earlier|once|(?:this|one|last) \w+|(?:a|two|three|some|many) \w+ ago),? )+")
"""A run's memories have no date."""


def page(turn: Turn, scene: Scene, goal: str) -> Page:
    """The page of a turn."""
    me, card = turn.line.who, scene.card
    place = turn.place if turn.place == "outside" else f"in {turn.place}"
    return Page(
        me=me,
        where=place,
        company=turn.company,
        things=[
            *(f"{several(thing, count)} on the {spot}" for thing, spot, count in turn.things),
            *(several(tool) for tool in turn.tools),
        ],
        held={
            name: [several(thing, count) for thing, count in Counter(things).items()]
            for name, things in turn.held.items()
            if things
        },
        feeling=card["feelings"][me],
        knows=card["knows"].get(me, ()),
        remembers=_WHEN.sub("", scene.memories.get(me, "")),
        lately=turn.lately[-LATELY:],
        goal=goal,
    )


def pages(scene: Scene, r: random.Random) -> Iterator[dict[str, str]]:
    """Prompt and answer of every turn that can be."""
    split, number = scene.card["split"], scene.card["id"]
    for turn in Play(scene).turns():
        line, goal = turn.line, turn.goal
        if r.random() < DECIDED:
            yield {"split": split, "id": number, **decided(turn, scene)}
            continue
        kept = not line.goal or line.goal == goal
        if kept and goal and line.goal and r.random() < 0.25:
            goal, kept = "", False  # so that goals are formed, too
        goal_is: GoalIs = (
            "kept" if kept else "reached" if line.goal_is not in ("wants", "now wants") and goal else "changed"
        )
        one = page(turn, scene, goal)
        yield {
            "split": split,
            "id": number,
            "prompt": one.text(),
            "answer": turns.write_turn(line.who, goal, goal_is, line.goal, line.thought, line.act),
        }


def decided(turn: Turn, scene: Scene) -> dict[str, str]:
    """Prompt and answer where the act is decided on: the thought, and the words."""
    line, me = turn.line, turn.line.who
    said = WORDS.fullmatch(line.act)
    about = f"talk with {said[2]}" if said else infinitive(line.act.partition(" ")[2].removesuffix("."))
    one = replace(page(turn, scene, line.goal or turn.goal), about=about)
    words = f"\n{line.act}" if said else ""
    return {"prompt": one.text(), "answer": f"{me} thinks: {line.thought}{words}\n"}


def ordered(scene: Scene, r: random.Random) -> Iterator[dict[str, str]]:
    """Who brought most to the others in a scene, from first to last, and what that follows from."""
    people = [name for group in scene.order for name in group]
    if len(people) < 3 or set(people) != set(scene.card["people"]):
        return
    play = Play(scene)
    deeds: dict[str, tuple[Deed, ...]] = dict.fromkeys(people, ())
    for turn in play.turns():
        deeds[turn.line.who] = (*deeds[turn.line.who], as_deed(turn.line.act))[-KEPT:]
    standings = [
        Standing(name=name, place=scene.card["place"], topic=0.0, goal=play.goals.get(name, ""), deeds=deeds[name])
        for name in r.sample(people, len(people))
    ]
    groups = [joined(r.sample(group, len(group))) for group in scene.order]
    yield {"prompt": order_page.page(standings), "answer": f"{', then '.join(groups)}.\n"}


def imagined(scene: Scene) -> Iterator[dict[str, str]]:
    """What there may be where a scene plays, for those who were never there."""
    card = scene.card
    things = [several(*counted(thing)) for thing, _ in card["things"]]
    there = [*dict.fromkeys(several(spot) for _, spot in card["things"]), *map(several, card["tools"]), *things]
    if card["place"] != "outside" and len(there) > 2:
        yield {"prompt": page_about(card["place"]), "answer": f"There may be {joined(there)}.\n"}


def main() -> None:
    """Write pages of all scenes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("valley_scenes/pages.jsonl"))
    parser.add_argument("--first", type=int, default=0, help="only of cards from this number on")
    parser.add_argument("--end", type=int, default=10**9, help="and before this one")
    parser.add_argument("--turns", type=int, default=0, help="how often the pages of runs come among them")
    options = parser.parse_args()
    known, r = cards(), random.Random(0)
    with options.out.open("w", encoding="utf-8") as file:
        for path in sorted(WRITTEN.glob("*.txt")):
            for scene in scenes(path, known):
                if max(0, options.first) <= scene.card["id"] < options.end:
                    file.writelines(json.dumps(one) + "\n" for one in pages(scene, r))
                    of = {"split": scene.card["split"], "id": scene.card["id"]}
                    file.writelines(json.dumps({**of, **one}) + "\n" for one in ordered(scene, r))
                    if r.random() < IMAGINED:
                        file.writelines(json.dumps({**of, **one}) + "\n" for one in imagined(scene))
        for one in (one for one in turns.read() if one.turn):
            for _ in range(options.turns if one.split == "train" else min(options.turns, 1)):
                told = one.as_decided() if not one.decided and r.random() < DECIDED else one
                page = {"split": one.split, "id": one.id, "prompt": told.page, "answer": f"{told.turn}\n"}
                file.writelines([json.dumps(page) + "\n"])


if __name__ == "__main__":
    main()
