"""Page data of a run: the valley, its residents, and the completed time steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any

from evaluation.records.interactions import Record, in_order
from evaluation.records.run_directory import RunDirectory, VerifiedRun
from evaluation.report.facts import elimination_threshold, facts_of, look_up, steps_by_people
from evaluation.report.place_figures import Metric
from evaluation.report.rates import rates_of
from evaluation.runs import checkpoints
from evaluation.runs.build_society import map_of_run
from evaluation.runs.checkpoints import CheckpointError
from evaluation.runs.costs import prices_of
from evaluation.runs.human_override import decided_by_people
from evaluation.viewer.acts import act_of, detail_of, turns_of
from evaluation.viewer.calls import calls_data, came_to_mind
from evaluation.viewer.poses import landmarks, pose_of
from evaluation.viewer.things import ThingsSeen
from irollan_env.map.valley_map import ValleyMap
from irollan_env.world.mechanic import Change
from irollan_env.world.state import AWAY_PLACE
from language_models.transcript.calls import Call
from language_models.transcript.recorded_calls import RecordedCalls

_RUNNING = "running"
_SHOWN = ("first_time", "last_time", "place", "actions", "said", "witnessed")


class RunView:
    """Reads a run incrementally and returns new steps as page data.

    Attributes:
        directory: Directory of the run.
        valley_map: Map of the run.
    """

    def __init__(self, directory: RunDirectory) -> None:
        """Create a view without reading any steps.

        Args:
            directory: Directory of a run.

        Raises:
            DirectoryError: if there is no run, or its map is damaged.
        """
        self.directory = directory
        self.valley_map = map_of_run(directory)
        self._marks = landmarks(self.valley_map)
        self._homes = {one.name: one.home for one in self.valley_map.residents}
        self._things = ThingsSeen({item.name: item.on for item in self.valley_map.items})
        self._kinds: dict[str, str] = {}
        self._read = 0

    def head(self) -> dict[str, Any]:
        """Return the valley, the residents and the facts of the run.

        Raises:
            DirectoryError: if its manifest is damaged.
        """
        manifest = self.directory.read_manifest()
        effective = manifest.get("configuration", {}).get("effective", {})
        order = in_order(one.name for one in self.valley_map.residents)
        known = {one.name: one for one in self.valley_map.residents}
        with self._transcript() as transcript:
            people = "" if transcript is None else steps_by_people(decided_by_people(transcript))
        facts = _facts(manifest, [one.name for one in self.valley_map.residents])
        return {
            "facts": [*facts, *([("Decided by a person", people)] if people else [])],
            "status": manifest.get("status"),
            "asked": effective.get("steps"),
            "ltrha": bool(manifest.get("mechanisms", {}).get("ltrha")),
            "scheduling": look_up(manifest, "world.scheduling"),
            "valley": valley_data(self.valley_map),
            "residents": [
                {"name": name, "display": known[name].display_name, "home": known[name].home} for name in order
            ],
            "remembered": {} if manifest.get("status") == _RUNNING else self._remembered(),
        }

    def new_steps(self, *, drawn_only: bool = False) -> dict[str, Any]:
        """Return the time steps completed since the last call.

        Args:
            drawn_only: Return ``steps`` alone.

        Returns:
            ``steps``, the drawn data of each step; ``details``, the details of each step by resident; ``calls``, the
            model calls by identifier.

        Raises:
            ValueError: if a record is damaged, or names a place that is not on the map.
        """
        run = self.directory.verified()
        records: Sequence[Record] = run.records()
        fresh, self._read = records[self._read :], len(records)
        times = sorted({int(record["time"]) for record in fresh})
        if not times:
            return {"steps": []} if drawn_only else {"steps": [], "details": [], "calls": {}}
        metrics = run.metrics()
        topics = _topics(metrics, times[0])
        rates, threshold = rates_of(run.manifest, fresh, metrics), elimination_threshold(run.manifest)
        by_time = [(time, list(own)) for time, own in groupby(fresh, key=lambda record: int(record["time"]))]
        # Closed at once: the file of a run that goes on is sealed at its end, once nobody reads it.
        with self._transcript(run) as transcript:
            people = frozenset[tuple[str, int]]() if transcript is None else decided_by_people(transcript)
            asked = [] if transcript is None or drawn_only else list(transcript.calls())
        steps = [self._step(time, own, topics[time], rates, people) for time, own in by_time]
        if drawn_only:
            return {"steps": steps}
        calls = {call.usage.call: call for call in asked if call.caller.time >= times[0]}
        shown = (call for call in calls.values() if call.caller.time in times)
        return {
            "steps": steps,
            "details": [self._details(own, calls, threshold) for _, own in by_time],
            "calls": calls_data(shown, prices_of(run.manifest)),
        }

    def _step(
        self,
        time: int,
        records: Sequence[Record],
        topics: Mapping[str, float],
        rates: Mapping[tuple[int, str], float],
        people: Collection[tuple[str, int]],
    ) -> dict[str, Any]:
        turns, acts = turns_of(records), {}
        for record in records:
            name = record["resident"]
            away = record["place"] == AWAY_PLACE and AWAY_PLACE not in self._marks
            if away:  # The page hides those who are away, and needs a place for each of its figures.
                record = {**record, "place": self._homes[name]}
            if (marks := self._marks.get(record["place"])) is None:
                raise ValueError(
                    f"{self.directory.events_path}: at time step {time} {name} is in {record['place']!r}, which is no "
                    f"place of the map {self.valley_map.name!r}"
                )
            pose = pose_of(record["percepts"], marks)
            acts[name] = {
                **act_of(record, pose, turns[name], rates.get((time, name)), self._marks),
                "person": (name, time) in people,
                **({"away": True} if away else {}),
            }
        step = {"time": time, "acts": acts, "lying": self._things.step(records), "topics": topics}
        if about := records[0].get("world"):
            changes = [Change(**change).describe() for change in about.get("changes", ())]
            step["world"] = {"variables": about.get("variables", {}), "changes": changes}
        return step

    def _details(self, records: Sequence[Record], calls: Mapping[int, Call], threshold: float) -> dict[str, Any]:
        """Return the details of a step by resident."""
        self._kinds.update((one["name"], one["kind"]) for record in records for one in record["percepts"])
        details = {}
        for record in records:
            asked = [calls[number] for number in record["calls"] if number in calls]
            details[record["resident"]] = {
                **detail_of(record, self._kinds, threshold),
                "came_to_mind": came_to_mind(asked),
            }
        return details

    @contextmanager
    def _transcript(self, run: VerifiedRun | None = None) -> Iterator[RecordedCalls | None]:
        if not self.directory.transcript_path.is_file():
            yield None
            return
        with (run or self.directory).transcript() as transcript:
            yield transcript

    def _remembered(self) -> dict[str, dict[str, Any]]:
        """Return the memories in the last checkpoint by resident and identifier; forgotten ones are missing."""
        try:
            checkpoint = checkpoints.newest(self.directory.checkpoints_path)
        except CheckpointError:
            # A killed run may leave a partial checkpoint; the page then shows no memories.
            return {}
        minds = {} if checkpoint is None else checkpoint.society["residents"]
        return {
            name: {str(memory["id"]): {key: memory[key] for key in _SHOWN} for memory in state["memory"]["memories"]}
            for name, state in minds.items()
            if "memory" in state
        }


def _topics(metrics: Sequence[Metric], first: int) -> dict[int, dict[str, float]]:
    topics: dict[int, dict[str, float]] = defaultdict(dict)
    for row in metrics:
        if row["quantity"] == "topic" and int(row["time"]) >= first:
            topics[int(row["time"])][row["subject"]] = round(float(row["value"]), 3)
    return topics


def valley_data(valley_map: ValleyMap) -> dict[str, Any]:
    """Return a map as page data, with rectangles as [west, south, east, north], in metres."""
    areas = [
        {"name": one.name, "box": _box(one.rectangle), "door": list(one.door), "ground": one.ground}
        for one in valley_map.areas
    ]
    return {
        "name": valley_map.name,
        "grounds": [{"name": one.name, "box": _box(one.rectangle)} for one in valley_map.grounds],
        "roads": [{"ends": list(one.ends), "gates": [list(gate) for gate in one.gates]} for one in valley_map.roads],
        "areas": areas,
        "furniture": [
            {"name": one.name, "kind": one.kind, "place": one.place, "at": list(one.position)}
            for one in valley_map.furniture
        ],
        "things": {one.name: one.kind for one in valley_map.items},
    }


def _box(rectangle: Any) -> list[float]:
    return [rectangle.west, rectangle.south, rectangle.east, rectangle.north]


def _facts(manifest: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the facts shown in the page's header, a subset of those in the report."""
    found = facts_of(manifest, [{"time": 0, "resident": name} for name in names])
    return [
        (label, value)
        for label, value in found
        if label in ("Architecture", "Decisions lack", "Minds", "Outcome", "Seed", "Started", "Took")
        or label.endswith(("Model", "model"))
    ]
