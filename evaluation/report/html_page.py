"""The report of a run as one self-contained HTML page: findings, figures, tables, and every step."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure

from evaluation.html_theme.scripts import packed_json, policy_hash
from evaluation.html_theme.svg import inline_svg
from evaluation.html_theme.templates import templates
from evaluation.records.failures import failure_rates
from evaluation.records.files import write_atomically
from evaluation.records.interactions import interaction_counts, partner, residents
from evaluation.report.captions import shown_figures
from evaluation.report.crowd_figures import MOST_DRAWN, QUANTITIES
from evaluation.report.facts import elimination_threshold, facts_of, other_minds, steps_by_people
from evaluation.report.findings import findings
from evaluation.report.number_format import amount, count, dollars, duration, known, number, signed
from evaluation.report.rates import held_back, rates_of
from evaluation.report.society_section import SocietySection, shown
from evaluation.runs.costs import prices_of
from irollan_env.world.events import Event
from irollan_env.world.mechanic import Change
from irollan_env.world.state import AWAY_PLACE
from language_models.prices import days_of

FILTERED = "(This action has been filtered by LTRHA)"

_KEYS = (
    "time",
    "resident",
    "place",
    "observation",
    "messages",
    "goal",
    "thought",
    "action",
    "outcome",
    "result",
    "failure",
    "pleasure",
    "arousal",
    "dominance",
    "driver",
    "resources",
    "topic",
)
_TOLD = (*_KEYS[:1], *_KEYS[2:], "seen", "plan", "rate", "person")
"""What the script of a page of many residents tells of a step."""
_MOST_ATTEMPTS = 500
_MOST_CHANGES = 1000
_MOST_TOLD = 20_000
"""Maximum number of decisions that a page of many residents tells, about 300 bytes each."""
_USAGE = ("calls", "prompt_tokens", "cached_tokens", "generated_tokens", "seconds", "waiting")


@dataclass(frozen=True, kw_only=True)
class ReportData:
    """Data from which the report of a run is rendered.

    Attributes:
        manifest: Manifest of the run. The header shows architecture, model, embedder, seed, started, seconds and
            git_revision, as far as they are present (also under ``configuration.effective``), and the adapters of
            the models; the end of the page shows all of it.
        records: One per resident and time step, as in events.jsonl.
        metrics: Rows of time, subject, quantity, value, as in metrics.csv.
        usage: One row per module: module, calls, prompt_tokens, cached_tokens, generated_tokens, seconds, waiting,
            retries, unusable, network_failures, failures, refusals; and dollars, if prices are known and not zero.
        attempts: Failed requests: time, resident, module, kind, reason, text, as in ``Attempt``, and the outcome of
            their call.
        rewound: Total usage of calls discarded by a resume; None if there are none.
        embeddings: Total usage of embedding requests to a server; None if there were none.
        habitus: Text of each resident's habitus, shown if given.
        unranked: Each time step in which the matrix had no answer: time, reason.
        society: Measures and social structure, shown if given.
        step_tokens: Prompt and answer tokens of each time step, in order; empty if unknown.
        uncounted: One clause for each kind of tokens missing from the sums because a server did not report them.
        people: Pairs of a resident and a time step that a person decided.
        figures: Figures by name, from ``all_figures``; drawn if None.
        view: File name of the viewer's page beside the report, the target of its links; empty if there is none.
    """

    manifest: Mapping[str, Any]
    records: Sequence[Mapping[str, Any]]
    metrics: Sequence[Mapping[str, Any]]
    usage: Sequence[Mapping[str, Any]] = ()
    attempts: Sequence[Mapping[str, Any]] = ()
    rewound: Mapping[str, Any] | None = None
    embeddings: Mapping[str, Any] | None = None
    habitus: Mapping[str, str] = field(default_factory=dict)
    unranked: Sequence[Mapping[str, Any]] = ()
    society: SocietySection | None = None
    step_tokens: Sequence[int] = ()
    uncounted: Sequence[str] = ()
    people: Collection[tuple[str, int]] = ()
    figures: Mapping[str, Figure] | None = None
    view: str = ""

    def findings(self) -> list[tuple[str, str]]:
        """Return the sentences at the top of the report; see ``evaluation.report.findings.findings``."""
        return findings(
            [*map(dict, self.records)],
            self.society.structure if self.society else None,
            self.usage,
            self.step_tokens,
            days_of(prices_of(self.manifest).values()),
            self.uncounted,
        )


def write_page(run: ReportData | Mapping[str, Any], path: str | Path, *, limit: int | None = None) -> Path:
    """Write the report of a run as one self-contained HTML file.

    Args:
        run: A ``ReportData``, or a mapping with its fields.
        path: The file to write; its folder is created if it does not exist.
        limit: Number of time steps, from the first, whose story is shown, at least 1; numbers and figures cover all.

    Returns:
        The path.

    Raises:
        ValueError: if there are no records, a record lacks a key, or the limit is below 1.
    """
    target = Path(path)
    page = render_report(run if isinstance(run, ReportData) else ReportData(**run), limit=limit)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, page.encode("utf-8"))
    return target


def render_report(run: ReportData, *, limit: int | None = None) -> str:
    """Render the report of a run as HTML; see ``write_page``. All text from the run is escaped."""
    if not run.records:
        raise ValueError("a report needs at least one record, got none; has the run taken a step?")
    for record in run.records:
        if missing := [key for key in _KEYS if key not in record]:
            raise ValueError(
                f"the record of {record.get('resident')} at time step {record.get('time')} lacks {missing[0]!r}; "
                f"a record has at least {', '.join(_KEYS)}"
            )
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be at least 1 time step, got {limit}")
    everything = sorted(map(dict, run.records), key=lambda record: int(record["time"]))
    # Whoever is away does nothing that could be told or counted.
    records = [record for record in everything if record["place"] != AWAY_PLACE] or everything
    names = residents(records)
    times = sorted({int(record["time"]) for record in records})
    places = {str(record["place"]) for record in records}
    told = set(times if limit is None else times[:limit])
    rates = rates_of(run.manifest, records, run.metrics)
    step = partial(_step, rates=rates, people=run.people, places=places)
    told_of = steps_by_people(run.people)
    crowd = len(names) > MOST_DRAWN
    if limit is None and crowd:
        told = set(times[: max(1, _MOST_TOLD // len(names))])
    figures = shown_figures(everything, run.metrics, run.figures)
    odds, compared = held_back(records, rates)
    script = (Path(__file__).parent / "templates" / "crowd.js").read_text("utf-8") if crowd else ""
    own: dict[str, list[Mapping[str, Any]]] = {name: [] for name in names}
    steps: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for record in records:
        own[record["resident"]].append(record)
        if int(record["time"]) in told:
            steps[record["resident"]].append(step(record))
    environment = templates("evaluation.report")
    environment.filters.update(number=number, amount=amount, signed=signed, duration=duration, count=count, known=known)
    return environment.get_template("report.html").render(
        world=run.manifest.get("map", {}).get("name", "IrollanValley"),
        facts=[*facts_of(run.manifest, records), *([("Decided by a person", told_of)] if told_of else [])],
        headline=_headline(records, run.usage, len(run.unranked), all_counted=not run.uncounted),
        unranked=run.unranked,
        findings=run.findings(),
        view=run.view,
        first=times[0],
        last=times[-1],
        figures=figures,
        residents=[_resident(name, names, own[name], run.habitus.get(name)) for name in names],
        society=_society(run.society),
        usage=_usage(run.usage, run.rewound, len(records)),
        price_days=days_of(prices_of(run.manifest).values()),
        embeddings=run.embeddings,
        uncounted=run.uncounted,
        failures=failure_rates(
            records,
            run.usage if run.embeddings is None else [*run.usage, run.embeddings],
            other_minds(run.manifest, names),
            threshold=elimination_threshold(run.manifest),
        ),
        attempts=run.attempts[:_MOST_ATTEMPTS],
        all_attempts=len(run.attempts),
        odds=odds[:MOST_DRAWN],
        odds_compared=compared,
        filtered=[step(record) for record in records if record["outcome"] == "filtered"],
        stories={} if crowd else steps,
        changes=_changes(everything),
        most_changes=_MOST_CHANGES,
        cut=(len(told), len(times)) if len(told) < len(times) else None,
        names=names,
        crowd=packed_json(_crowd(run, records, steps, figures)) if crowd else None,
        script=Markup(script),
        script_hash=Markup(policy_hash(script)),
        index={name: position for position, name in enumerate(names)},
        filtered_note=FILTERED,
        manifest=json.dumps(run.manifest, indent=2, ensure_ascii=False, default=str),
    )


def _headline(
    records: Sequence[Mapping[str, Any]], usage: Sequence[Mapping[str, Any]], unranked: int, *, all_counted: bool
) -> list[dict[str, str]]:
    steps = len(records)
    outcomes = Counter(record["outcome"] for record in records)
    _, counts = interaction_counts(records)
    tiles = [
        {"value": f"{outcomes['executed'] / steps:.0%}", "label": f"of {count(steps)} actions carried out"},
        {"value": count(outcomes["filtered"]), "label": "filtered by LTRHA"},
        {"value": count(outcomes["inadmissible"]), "label": "not admissible"},
        {"value": count(outcomes["failed"]), "label": "steps without an answer from the model"},
        {"value": count(int(counts.sum())), "label": "times someone turned to another"},
    ]
    if unranked:
        tiles.append({"value": count(unranked), "label": "time steps without an answer from the matrix"})
    if usage:
        tokens = sum(row["prompt_tokens"] + row["generated_tokens"] for row in usage)
        calls = sum(row["calls"] for row in usage)
        tiles.append({"value": number(calls / steps), "label": "model calls a resident and step"})
        label = f"tokens a resident and step{'' if all_counted else ', as far as they are counted'}"
        tiles.append({"value": count(round(tokens / steps)), "label": label})
    return tiles


def _resident(name: str, names: Sequence[str], own: Sequence[Mapping[str, Any]], habitus: str | None) -> dict[str, Any]:
    outcomes = Counter(record["outcome"] for record in own)
    partners = Counter(other for record in own if (other := partner(record, names)) is not None)
    return {
        "name": name,
        "steps": len(own),
        "places": Counter(record["place"] for record in own).most_common(),
        "partners": partners.most_common(),
        "outcomes": {kind: outcomes[kind] for kind in ("executed", "filtered", "inadmissible", "failed")},
        "driver": own[-1]["driver"],
        "resources": own[-1]["resources"],
        "goal": own[-1]["goal"],
        "last": own[-1]["time"],
        "goals": [
            {"time": next(iter(group))["time"], "goal": goal} for goal, group in groupby(own, key=lambda r: r["goal"])
        ],
        "habitus": habitus,
    }


def _step(
    record: Mapping[str, Any],
    rates: Mapping[tuple[int, str], float],
    people: Collection[tuple[str, int]],
    places: Collection[str],
) -> dict[str, Any]:
    """Extend a record with what the page shows beside it."""
    return {
        **record,
        # Records of old versions have no events or plans.
        "seen": [Event(**event).describe(record["resident"], places) for event in record.get("events", ())],
        "plan": record.get("plan", ()),
        "rate": rates.get((int(record["time"]), record["resident"])),
        "person": (record["resident"], int(record["time"])) in people,
        "numbers": [*record.get("needs", {}).items(), *record.get("variables", {}).items()],
    }


def _crowd(
    run: ReportData,
    records: Sequence[Mapping[str, Any]],
    steps: Mapping[str, Sequence[Mapping[str, Any]]],
    figures: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return what the page's script draws and tells of the residents that a reader picks.

    Args:
        run: Data of the page.
        records: Of the run, in order of time.
        steps: By resident, the steps that are told.
        figures: From ``shown_figures``.
    """
    names = list(steps)
    curves: dict[str, dict[str, list[Any]]] = {name: {one: [] for one in ("time", *QUANTITIES)} for name in names}
    for record in records:
        for key, values in curves[record["resident"]].items():
            values.append(record[key])
    last = {name: curve["resources"][-1] for name, curve in curves.items() if curve["resources"][-1] is not None}
    noted = [run.society.structure.leader] if run.society else []
    noted += [max(last, key=lambda name: last[name]), min(last, key=lambda name: last[name])] if last else names[:3]
    panels = [
        {"group": f"{figure['name']}{'-narrow' if narrow else ''}-{quantity}", "quantity": quantity, **panel}
        for figure in figures
        for narrow, form in enumerate(figure["panels"])
        for quantity, panel in form.items()
    ]
    return {
        "names": names,
        "picked": [names.index(name) for name in dict.fromkeys(noted) if name is not None],
        "panels": panels,
        "curves": list(curves.values()),
        "steps": [[{key: step[key] for key in _TOLD} for step in told] for told in steps.values()],
        "habitus": [run.habitus.get(name, "") for name in names],
        "filteredNote": FILTERED,
        "view": run.view,
    }


def _changes(records: Sequence[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """Return the changes of the world with the time step in which each is recorded, in order."""
    return [
        (int(record["time"]), Change(**change).describe())
        for record in records
        for change in record.get("world", {}).get("changes", ())
    ]


def _society(section: SocietySection | None) -> Mapping[str, Any] | None:
    """Return the template data of the society section, including its network figure."""
    if section is None:
        return None
    title = "Who turned to whom, as a network."
    return {**shown(section), "title": title, "svg": inline_svg(section.network, "network", title)}


def _usage(usage: Sequence[Mapping[str, Any]], rewound: Mapping[str, Any] | None, steps: int) -> dict[str, Any] | None:
    if not usage:
        return None
    rows = sorted(usage, key=lambda row: -row["prompt_tokens"] - row["generated_tokens"])
    total = {key: sum(row[key] for row in rows) for key in _USAGE}
    costs = [row.get("dollars") for row in rows]
    paid = any(costs)
    return {
        "rows": rows,
        "total": total,
        "rewound": rewound,
        "rewound_dollars": None if rewound is None else dollars(rewound["dollars"]),
        "each": {key: total[key] / steps for key in _USAGE},
        "dollars": list(map(dollars, costs)) if paid else None,
        "total_dollars": dollars(None if None in costs else math.fsum(filter(None, costs))),
    }
