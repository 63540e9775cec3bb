"""A mind that leads, without a model: it reads a request as it stands, and answers in the form that was asked for."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from language_models.protocol import Generation, ModelError, Usage
from language_models.scripted import ScriptedModel, pick, stable_hash

Parts = Mapping[str, Any]
Planned = str | Parts | Exception | Callable[[str], "str | Parts"]
"""A text, the parts of an answer (its action an option's number or its beginning), a failure, or what makes them."""

_OPTION = re.compile(r"\[(\d+)\] ")
_END = re.compile(r"(?:,| or) $")
_ASKED = "Add one key after the others"
_GOALS = ("Get to know {}", "Share a meal with {} in the canteen", "Find out what {} likes", "Read in the reading room")
_WORDS = (
    "Good day, {}. Do you like books?",
    "Shall we go to the canteen together, {}?",
    "Gladly. I'll come along with you, {}.",
    "I will bring you something to eat tomorrow.",
    'They call it "the quiet room".',
)


def options_of(prompt):
    """The options of a request, in its order, each with the words that it shares with others."""
    found = []
    for line in prompt.rpartition("\nYou can:\n")[2].splitlines():
        head, *parts = _OPTION.split(line)
        if not line.startswith("- ") or not parts:
            continue
        for number, tail in zip(parts[::2], parts[1::2], strict=True):
            found.append((int(number), f"{head.removeprefix('- ')}{_END.sub('', tail)}"))
    assert [number for number, _ in found] == list(range(1, len(found) + 1)), found
    return [text for _, text in found]


def answered(prompt, parts):
    """An answer as the model would write it; what is left out is made up, and an action's words become its number."""
    whole = {"thought": "I look around.", "goal_is": "kept", "goal": "", "plan": [], "action": "stay"}
    whole |= {"words": "", **parts}
    if isinstance(whole["action"], str):
        options = options_of(prompt)
        numbers = [number for number, text in enumerate(options, 1) if text.startswith(whole["action"])]
        assert numbers, f"{whole['action']!r} is none of {options}"
        whole["action"] = numbers[0]
    if _ASKED in prompt:
        whole.setdefault("about", [])
    if "Goal is: kept" not in prompt:
        return json.dumps(whole)
    return (
        f"Thought: {whole['thought']}\nGoal is: {whole['goal_is']}\nGoal: {whole['goal']}\n"
        f"Plan: {'; '.join(whole['plan'])}\nAction: {whole['action']}\nWords: {whole['words']}"
    )


def lead(prompt, seed):
    """An answer that follows from the request alone: it goes about, talks, wants things, and describes people."""
    options = options_of(prompt)
    talks = [text for text in options if text.startswith(("talk to ", "talk with "))]
    others = [text for text in options if not text.startswith(("talk ", "stay", "turn away", "leave"))]
    draw = stable_hash("lead", prompt, seed)
    chosen = pick(talks if talks and draw % 5 < 3 else others or options, "action", prompt, seed)
    someone = chosen.split()[2] if chosen in talks else "somebody"
    parts = {
        "thought": "I have looked around, and this seems best to me now.",
        "goal_is": ("kept", "kept", "changed", "reached")[draw // 5 % 4],
        "goal": pick(_GOALS, "goal", prompt, seed).format(someone),
        "plan": [pick(("go to the canteen", "talk to AY", "take a book"), "plan", prompt, seed)],
        "action": options.index(chosen) + 1,
        "words": pick(_WORDS, "words", prompt, seed).format(someone) if chosen in talks else "",
    }
    if match := re.search(r"NAME: ([\w, ]+)\. TEXT:", prompt):
        who = pick(match[1].split(", "), "about", prompt, seed)
        rests = re.findall(r"^- memory (\d+):", prompt, re.MULTILINE)
        parts["about"] = [f"{who}: asks a lot and likes company [{', '.join(rests)}]"]
    return answered(prompt, parts)


class LeadingModel(ScriptedModel):
    """Leads, and is scripted in all else.

    It answers with what is planned, one a request for an action, the last one again and again; or as ``lead`` does.

    Attributes:
        requests: Every request for an action.
        places: The places that were imagined.
    """

    def __init__(self, *planned):
        super().__init__(name="leading")
        self.planned = list(planned)
        self.requests = []
        self.places = []

    @property
    def prompts(self):
        return [request.prompt for request in self.requests]

    async def generate(self, request):
        prompt, caller = request.prompt, request.caller
        if caller.module != "action":
            self.places.append(caller.resident)
            return Generation(text="There may be shelves with food and a few quiet tables.", usage=Usage())
        self.requests.append(request)
        usage = Usage(call=len(self.requests) - 1)
        planned = lead(prompt, request.seed)
        if self.planned:
            planned = self.planned.pop(0) if len(self.planned) > 1 else self.planned[0]
        planned = planned(prompt) if callable(planned) else planned
        if isinstance(planned, ModelError):
            raise ModelError(str(planned), usage=usage)
        if isinstance(planned, Exception):
            raise planned
        return Generation(text=planned if isinstance(planned, str) else answered(prompt, planned), usage=usage)
