"""Votes: ballot boxes that are counted at a time, and rule sheets that residents amend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from irollan_env.actions import SILENCE, Action, Primitive
from irollan_env.hints import quote
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanics.settings import CLOSED, Positive, SettledMechanic, check_name
from irollan_env.world.transitions import Refused

if TYPE_CHECKING:
    from irollan_env.world.world import World


LONGEST_PROPOSAL = 1000
"""Characters of a proposal or question, so that what is announced of it can be said."""


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Ballot:
    """A vote at a ballot box.

    Attributes:
        question: What is asked.
        options: The answers of which each voter gives one.
        counted_at: The time step at which it is counted.
        voters: Who has a ballot; everybody when empty.
        sets: Path of a mechanic's setting that the vote decides, its keys separated by ``/``:
            ``"trade/shelves/shelf 2/prices/bread"``; empty for none.
        values: For each option, the value it gives that setting.
    """

    question: str = Field(max_length=LONGEST_PROPOSAL)
    options: tuple[Annotated[str, Field(max_length=60)], ...] = Field(min_length=2, max_length=12)
    counted_at: Positive
    voters: tuple[str, ...] = ()
    sets: str = ""
    values: tuple[str | int | float | bool, ...] = ()


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class Sheet:
    """A sheet of rules that is amended by vote.

    Attributes:
        rules: The rules at the start.
        majority: Least share of the voters that has to be for a proposal, in (0, 1]; more than half in any case.
        voters: Who proposes and votes; everybody when empty.
        open_for: After how many steps a proposal without a majority falls.
    """

    rules: tuple[str, ...] = ()
    majority: float = Field(default=0.5, gt=0, le=1)
    voters: tuple[str, ...] = ()
    open_for: Positive = 24


@dataclass(frozen=True, kw_only=True, config=CLOSED)
class VotesSettings:
    """Settings of the mechanic ``votes``.

    Attributes:
        boxes: Furniture -> the vote that is held there.
        sheets: Furniture -> the sheet of rules that hangs there.
    """

    boxes: Mapping[str, Ballot] = field(default_factory=dict)
    sheets: Mapping[str, Sheet] = field(default_factory=dict)


class Votes(SettledMechanic[VotesSettings]):
    """Holds votes: ``chat with ballotbox 1: yes`` casts a ballot, which nobody hears.

    At a sheet of rules, ``use rulesheet 1`` reads it, ``chat with rulesheet 1: "propose ..."`` adds a rule,
    ``"repeal 2"`` proposes to take rule 2 out, and ``"yes"`` or ``"no"`` votes on the proposal that is open.
    """

    name = "votes"
    kind = VotesSettings

    def check(self, valley_map: ValleyMap) -> None:
        """Check that boxes and sheets are furniture, and voters residents."""
        tables, settings = valley_map.tables, self.settings
        for key, places in (("boxes", settings.boxes), ("sheets", settings.sheets)):
            for name, place in places.items():
                check_name(f"mechanics.votes.{key}", "furniture", name, tables.furniture_number)
                for voter in place.voters:
                    check_name(f"mechanics.votes.{key}.{name}.voters", "resident", voter, tables.resident_number)
        for name, ballot in settings.boxes.items():
            where = f"mechanics.votes.boxes.{name}"
            folded = [option.casefold().strip() for option in ballot.options]
            if len(set(folded)) < len(folded) or not all(folded):
                raise ValueError(f"{where}.options must be different words, got {list(ballot.options)}")
            if bool(ballot.sets) != bool(ballot.values) or (ballot.sets and len(ballot.values) != len(folded)):
                raise ValueError(f"{where} needs 'sets' together with one of 'values' for each option")
            if ballot.sets and "/" not in ballot.sets:
                raise ValueError(
                    f"{where}.sets must be a path with slashes, such as trade/shelves/..., got {ballot.sets!r}"
                )
            if ballot.sets:
                known = [one for one in valley_map.mechanics if one != self.name]
                check_name(f"{where}.sets", "mechanic", ballot.sets.partition("/")[0], known)

    def begin(self, world: World) -> None:
        """Hang up the sheets with their first rules."""
        self.kept = {"ballots": {}, "counted": {}, "sheets": {}}
        self._put_up()
        twin = world.copy()
        for name, ballot in self.settings.boxes.items():
            for value in ballot.values:
                try:
                    self._decide(twin, ballot, value)
                except ValueError as error:
                    raise ValueError(f"mechanics.votes.boxes.{name}.values: {error}") from error

    def set(self, path: Sequence[str], value: Any) -> None:
        """Change a setting; see ``SettledMechanic``."""
        super().set(path, value)
        self._put_up()

    def _put_up(self) -> None:
        """Put up the boxes and sheets that are new."""
        for name in self.settings.boxes:
            self.kept["ballots"].setdefault(name, {})
        for name, sheet in self.settings.sheets.items():
            self.kept["sheets"].setdefault(name, {"rules": list(sheet.rules), "proposal": None, "amended": 0})

    def offers(self, world: World, resident: str) -> Iterable[Action]:
        """Offer a ballot to who has one left, and the sheets to everybody here."""
        for furniture in world.furniture_in(world.place_of(resident)):
            if furniture in self.settings.boxes and self._may_vote(resident, furniture):
                yield Action(f"chat with {furniture}: {SILENCE}")
            if furniture in self.settings.sheets:
                yield Action(f"use {furniture}")
                if _is_voter(resident, self.settings.sheets[furniture].voters):
                    yield Action(f"chat with {furniture}: {SILENCE}")

    def perform(self, world: World, resident: str, action: Action) -> str | None:
        """Cast a ballot, read a sheet, or propose and vote there."""
        if action.primitive is Primitive.USE:
            return f"You use the {action.target}."
        if action.words == SILENCE:
            return f"You say nothing at the {action.target}."
        act = self._cast if action.target in self.settings.boxes else self._amend
        return act(world, resident, action.target, action.words)

    def after_action(self, world: World, resident: str, action: Action) -> str:
        """Show the rules of a sheet to who reads it."""
        reads = action.primitive is Primitive.USE and action.target in self.settings.sheets
        return self._sheet_text(action.target) if reads else ""

    def after_step(self, world: World) -> None:
        """Count the boxes that are due, and let old proposals fall."""
        for name, ballot in self.settings.boxes.items():
            if world.time >= ballot.counted_at and name not in self.kept["counted"]:
                self._count(world, name, ballot)
        for name, sheet in self.settings.sheets.items():
            proposal = self.kept["sheets"][name]["proposal"]
            if proposal is not None and world.time - proposal["time"] >= sheet.open_for:
                self.kept["sheets"][name]["proposal"] = None
                world.announce(name, f'The proposal "{proposal["text"]}" has fallen.', place=self._place(name))

    def observe(self, world: World, resident: str) -> Iterable[str]:
        """Say what is voted on in the resident's place."""
        for furniture in world.furniture_in(world.place_of(resident)):
            if furniture in self.settings.boxes and self._may_vote(resident, furniture):
                ballot = self.settings.boxes[furniture]
                options = ", ".join(ballot.options)
                yield f'At the {furniture} you have a ballot: "{ballot.question}" ({options}).'
            if furniture in self.settings.sheets:
                proposal = self.kept["sheets"][furniture]["proposal"]
                if proposal is None:
                    yield f"The {furniture} has {len(self.kept['sheets'][furniture]['rules'])} rules."
                elif _is_voter(resident, self.settings.sheets[furniture].voters) and resident not in proposal["votes"]:
                    yield f'At the {furniture} you can vote yes or no on {proposal["by"]}\'s "{proposal["text"]}".'

    def answers(self, world: World, resident: str) -> Mapping[str, tuple[str, ...]]:
        """Return the options of the boxes here, and yes and no where a proposal is open."""
        here = world.furniture_in(world.place_of(resident))
        boxes = {
            name: self.settings.boxes[name].options
            for name in here
            if name in self.settings.boxes and self._may_vote(resident, name)
        }
        sheets = {
            name: ("yes", "no")
            for name in here
            if name in self.settings.sheets
            and _is_voter(resident, self.settings.sheets[name].voters)
            and (proposal := self.kept["sheets"][name]["proposal"]) is not None
            and resident not in proposal["votes"]
        }
        return boxes | sheets

    def variables(self, world: World, resident: str | None) -> Mapping[str, float]:
        """Return the ballots for each option once they are counted, and how often sheets were amended."""
        if resident is not None:
            return {}
        counts = {
            f"{name}: {option}": float(number)
            for name, result in self.kept["counted"].items()
            for option, number in result.items()
        }
        cast = {f"ballots in {name}": float(len(cast)) for name, cast in self.kept["ballots"].items()}
        amended = {f"amendments of {name}": float(one["amended"]) for name, one in self.kept["sheets"].items()}
        return {**cast, **counts, **amended}

    def every_action(self, valley_map: ValleyMap) -> Iterable[Action]:
        """Return speaking to each box and sheet, and reading the sheets."""
        for name in (*self.settings.boxes, *self.settings.sheets):
            yield Action(f"chat with {name}: {SILENCE}")
        yield from (Action(f"use {name}") for name in self.settings.sheets)

    def _may_vote(self, resident: str, box: str) -> bool:
        open_still = box not in self.kept["counted"] and resident not in self.kept["ballots"][box]
        return open_still and _is_voter(resident, self.settings.boxes[box].voters)

    def _cast(self, world: World, resident: str, box: str, words: str) -> str:
        said, options = words.casefold().strip(" .!"), self.settings.boxes[box].options
        chosen = next((option for option in options if option.casefold() == said), None)
        if chosen is None:
            named = [option for option in options if option.casefold() in said]
            if len(named) != 1:
                raise Refused(f"Say one of: {', '.join(options)}; {quote(words)} is none of them.")
            chosen = named[0]
        self.kept["ballots"][box][resident] = chosen
        world.show(resident, "used", box, None, "")
        return f"You cast your ballot: {chosen}."

    def _count(self, world: World, box: str, ballot: Ballot) -> None:
        cast = list(self.kept["ballots"][box].values())
        result = {option: cast.count(option) for option in ballot.options}
        self.kept["counted"][box] = result
        most = max(result.values())
        winners = [option for option in ballot.options if result[option] == most]
        decided = winners[0] if len(winners) == 1 and most else None
        told = ", ".join(f"{option} {number}" for option, number in result.items())
        outcome = f"{decided} has it" if decided else "nothing is decided"
        world.announce(box, f"{ballot.question} {told}: {outcome}.")
        if decided is not None and ballot.sets:
            self._decide(world, ballot, ballot.values[ballot.options.index(decided)])

    @staticmethod
    def _decide(world: World, ballot: Ballot, value: Any) -> None:
        mechanic, *path = ballot.sets.split("/")
        world.set_mechanic(mechanic, path, value, cause="voted")

    def _amend(self, world: World, resident: str, name: str, words: str) -> str:
        sheet, state = self.settings.sheets[name], self.kept["sheets"][name]
        proposal, said = state["proposal"], words.strip()
        answer = said.casefold().strip(" .!")
        if answer in ("yes", "no"):
            if proposal is None:
                raise Refused(f'No proposal is open at the {name}; propose one: "propose ...".')
            if resident in proposal["votes"]:
                raise Refused("You have voted on this proposal already.")
            proposal["votes"][resident] = answer
            world.show(resident, "used", name, None, "")
            return (
                f"You vote {answer} on {quote(proposal['text'])}. {self._settle_proposal(world, name, sheet)}".rstrip()
            )
        verb, _, text = said.partition(" ")
        text = text.lstrip(":, ").strip()
        if verb.casefold().strip(":,") not in ("propose", "repeal") or not text:
            raise Refused(f'At the {name} say "propose ...", "repeal NUMBER", "yes" or "no"; got {quote(said)}.')
        if proposal is not None:
            raise Refused(f'The proposal "{proposal["text"]}" is open; vote on it first.')
        if len(text) > LONGEST_PROPOSAL:
            raise Refused(f"A proposal has at most {LONGEST_PROPOSAL} characters; this one has {len(text)}.")
        number = None
        if verb.casefold().startswith("repeal"):
            if not text.isdecimal() or not 1 <= int(text) <= len(state["rules"]):
                raise Refused(f"The {name} has rules 1 to {len(state['rules'])}; there is no rule {quote(text)}.")
            number, text = int(text), f"Rule {text} is repealed."
        state["proposal"] = {
            "text": text,
            "by": resident,
            "time": world.time,
            "repeals": number,
            "votes": {resident: "yes"},
        }
        world.show(resident, "used", name, None, "")
        return f"You propose: {quote(text)}. {self._settle_proposal(world, name, sheet)}".rstrip()

    def _settle_proposal(self, world: World, name: str, sheet: Sheet) -> str:
        """Amend the sheet or drop the proposal once a majority is certain either way."""
        state = self.kept["sheets"][name]
        proposal: dict[str, Any] = state["proposal"]
        voters = [one for one in sheet.voters or world.residents if world.is_present(one)]
        votes = list(proposal["votes"].values())

        def is_enough(number: int) -> bool:
            return number > len(voters) / 2 and number >= sheet.majority * len(voters) - 1e-9

        if is_enough(votes.count("yes")):
            if proposal["repeals"] is None:
                state["rules"].append(proposal["text"])
            else:
                del state["rules"][proposal["repeals"] - 1]
            state["amended"] += 1
            outcome = f'The proposal "{proposal["text"]}" is adopted.'
        elif not is_enough(len(voters) - votes.count("no")):
            outcome = f'The proposal "{proposal["text"]}" is rejected.'
        else:
            return ""
        state["proposal"] = None
        world.announce(name, outcome, place=self._place(name))
        return outcome

    def _sheet_text(self, name: str) -> str:
        state = self.kept["sheets"][name]
        rules = [f"{number}. {rule}" for number, rule in enumerate(state["rules"], 1)]
        proposal = state["proposal"]
        opened = [] if proposal is None else [f'Open: {proposal["by"]} proposes "{proposal["text"]}".']
        return " ".join([*(rules or ["It has no rules yet."]), *opened])

    def _place(self, furniture: str) -> str:
        tables = self._map.tables
        return tables.places[tables.place_of_furniture[tables.furniture_number[furniture]]]


def _is_voter(resident: str, voters: tuple[str, ...]) -> bool:
    return not voters or resident in voters
