"""What each setting of LTRHA does to a society: who is held back, for how long, and whether standing follows deeds.

By default the lives of seeds are led once by likeness with nobody held back, and their decisions (with places, goals
and emotions) are put through LTRHA again under each setting: the decisions are the same, and resources, draws and who
is held back differ. With ``--lived`` each setting leads its own lives of the same seeds, so that who was held back
decides anew; only these can tell of topics and of what only one can have.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from scipy import stats

import evaluation
from benchmarks.reporting import AsJson, as_table_or_json, table
from evaluation.measures.indices import gini
from evaluation.measures.society import mobility
from evaluation.runs.build_society import framework_of
from evaluation.runs.run_config import RunConfig
from irollan_env.actions import Action, Primitive
from irollan_env.hints import check_integer, check_known
from irollan_env.resident import Act
from irollan_env.world.observation import OutcomeKind
from language_models.protocol import Embedder
from language_models.registry import find_embedder, load_model
from ltrha import LTRHA

FREE = {"standing_decides": "turns"}
_EVEN = {"resource_mode": "no-debt", "draws": "even"}
ARMS: dict[str, dict[str, Any]] = {
    "as printed (the paper's preset)": {"resource_mode": "amount"},
    "as printed, at most twice": {"resource_mode": "amount", "draws": "at-most-twice"},
    "as printed, ranked by place": {"resource_mode": "amount", "rank_scope": "locale"},
    "as printed, acting consumes a third": {"resource_mode": "amount", "parameters.consumption": 1 / 3},
    "share of the total": {"resource_mode": "share"},
    "share, ranked by place": {"resource_mode": "share", "rank_scope": "locale"},
    "no debt": {"resource_mode": "no-debt"},
    "no debt, even draws": _EVEN,
    "no debt, even, ranked by place": {**_EVEN, "rank_scope": "locale"},
    "no debt, even, acting consumes a third": {**_EVEN, "parameters.consumption": 1 / 3},
    "no debt, even, consumes a third, turns, too": {
        **_EVEN,
        "parameters.consumption": 1 / 3,
        "standing_decides": "both",
    },
    "turns alone": {"resource_mode": "no-debt", **FREE},
}
"""Settings by name, as keys below ``ltrha.``."""

LIVED = ("as printed (the paper's preset)", "share of the total", "no debt, even draws", "turns alone")
"""The settings that lead lives of their own with ``--lived``, unless others are named."""

_WINDOW = 2  # steps within which a turn back is an answer


@dataclass(frozen=True, slots=True)
class LifeStep:
    """What residents decided in one step of a life, and what became of it.

    Attributes:
        acts: Decision by resident.
        outcomes: Outcome by resident.
        places: Place by resident, after the step.
        resources: Resources by resident, under which they decided.
        topics: Topic of each place where somebody is, after the step.
    """

    acts: Mapping[str, Act]
    outcomes: Mapping[str, OutcomeKind]
    places: Mapping[str, str]
    resources: Mapping[str, float]
    topics: Mapping[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """What one setting did in all lives.

    Attributes:
        setting: Its name.
        lives: How many lives.
        worst: Largest share of a resident's actions that were held back in a life.
        longest: Most actions of one resident that were held back in a row.
        top: Share of actions held back of those two with the most resources.
        bottom: Share of actions held back of those two with the least.
        follows: Spearman's rho of mean resources with the gifts and answers that a resident decided on, averaged over
            lives.
        gini_acts: Gini coefficient of executed actions, averaged over lives.
        risen: Residents that end above their start, averaged over lives (figure 7a: most).
        drained: Residents whose resources fall over the life, averaged over lives (figure 7a: some).
        mobility: Rank mobility of resources over half a life, averaged over lives: 0.5 if the order is forgotten.
        topic: Lives in which the mean topic where people are rises (figure 7b); None where decisions are the same.
        top_lost: Share of the top two's actions that came too late or were not possible; None as above.
        bottom_lost: The same of the bottom two.
    """

    setting: str
    lives: int
    worst: float
    longest: int
    top: float
    bottom: float
    follows: float
    gini_acts: float
    risen: float
    drained: float
    mobility: float
    topic: int | None = None
    top_lost: float | None = None
    bottom_lost: float | None = None


def command(
    seeds: Annotated[int, typer.Option(help="How many lives, of the seeds from 0.")] = 30,
    steps: Annotated[int, typer.Option(help="Time steps of each life.")] = 20,
    lived: Annotated[bool, typer.Option(help="Let each setting lead its own lives.")] = False,
    only: Annotated[list[str] | None, typer.Option(metavar="SETTING", help="Settings by name; all by default.")] = None,
    embedder: Annotated[str, typer.Option(metavar="NAME", help="Compares sentences; see irollan models.")] = "hash",
    as_json: AsJson = False,
) -> None:
    """Print who is held back under each setting of LTRHA, and whether standing follows deeds."""
    for what, number in (("seeds", seeds), ("steps", steps)):
        check_integer(what, number, 1)
    names = only or (LIVED if lived else tuple(ARMS))
    for name in names:
        check_known("setting", name, ARMS)
    compares = find_embedder(embedder).build()
    rows = []
    if lived:
        for name in names:
            rows.append(row(name, [lead(seed, steps, ARMS[name], compares) for seed in range(seeds)], lived=True))
            print(f"{name}: {seeds} lives led", file=sys.stderr)
    else:
        free = [lead(seed, steps, FREE, compares) for seed in range(seeds)]
        print(f"{seeds} lives led", file=sys.stderr)
        rows = [
            row(name, [refilter(life, seed, ARMS[name], compares) for seed, life in enumerate(free)]) for name in names
        ]
    headings = [
        "setting", "worst", "in a row", "top two", "bottom two", "rho deeds", "Gini", "risen", "drained", "mobility",
        *(["topic rises", "top lost", "bottom lost"] if lived else []),
    ]  # fmt: skip
    shown = [
        [_shown(value) for key, value in asdict(one).items() if key != "lives" and value is not None] for one in rows
    ]
    as_table_or_json([asdict(one) for one in rows], table(headings, shown), as_json=as_json)


def lead(seed: int, steps: int, settings: Mapping[str, Any], embedder: Embedder) -> list[LifeStep]:
    """Lead a life by likeness under settings of LTRHA."""
    config = _config(seed, settings)
    society = evaluation.build_society(config, load_model("scripted"), embedder)
    framework = society.framework
    if framework is None:
        raise ValueError(f"the architecture {config.architecture} is without LTRHA")
    life: list[LifeStep] = []
    for _ in range(steps):
        before = dict(framework.resources)
        records = asyncio.run(society.step()).records
        life.append(
            LifeStep(
                acts={str(one["resident"]): _act(one) for one in records},
                outcomes={str(one["resident"]): one["outcome"] for one in records},
                places={name: society.world.place_of(name) for name in society.world.residents},
                resources=before,
                topics=_topics(framework, {name: society.world.place_of(name) for name in society.world.residents}),
            )
        )
    return life


def refilter(life: Sequence[LifeStep], seed: int, settings: Mapping[str, Any], embedder: Embedder) -> list[LifeStep]:
    """Put the decisions of a life through LTRHA under other settings; places and emotions stay those of the life."""
    config = _config(seed, settings)
    world = evaluation.build_society(config, load_model("scripted"), embedder).world
    framework = framework_of(config, load_model("scripted"), embedder, world)
    assert framework is not None
    found = []
    for time, step in enumerate(life):
        wanting = [name for name, act in step.acts.items() if act.action is not None]
        held, before = framework.filter(wanting), dict(framework.resources)
        outcomes: dict[str, OutcomeKind] = {
            name: "filtered" if name in held else outcome for name, outcome in step.outcomes.items()
        }
        asyncio.run(framework.update(step.acts, outcomes, step.places, time))
        found.append(
            LifeStep(
                acts=step.acts,
                outcomes=outcomes,
                places=step.places,
                resources=before,
                topics=_topics(framework, step.places),
            )
        )
    return found


def row(setting: str, lives: Sequence[Sequence[LifeStep]], *, lived: bool = False) -> Row:
    """Measure what a setting did in lives."""
    worst, longest = 0.0, 0
    ends: dict[str, list[bool]] = {"top": [], "bottom": [], "top lost": [], "bottom lost": []}
    rhos, ginis, risen, drained, mobilities, rises = [], [], [], [], [], 0
    for life in lives:
        names = list(life[0].acts)
        for name in names:
            held = [step.outcomes[name] == "filtered" for step in life if step.acts[name].action is not None]
            worst = max(worst, sum(held) / max(len(held), 1))
            longest = max([longest, *(sum(1 for _ in run) for is_held, run in groupby(held) if is_held)])
        for step in life:
            if len(set(step.resources.values())) == 1:
                continue
            order = sorted(names, key=lambda name: step.resources[name])
            for end, own in (("bottom", order[:2]), ("top", order[-2:])):
                for name in own:
                    if step.acts[name].action is not None:
                        ends[end].append(step.outcomes[name] == "filtered")
                        ends[f"{end} lost"].append(step.outcomes[name] == "inadmissible")
        amounts = np.array([[step.resources[name] for name in names] for step in life])
        given = deeds_for_others(life)
        if len(set(given.values())) > 1 and len(set(amounts.mean(axis=0))) > 1:
            rhos.append(float(stats.spearmanr(amounts.mean(axis=0), [given[name] for name in names]).statistic))
        ginis.append(gini([sum(step.outcomes[name] == "executed" for step in life) for name in names]))
        times = np.arange(len(life))
        slopes = np.array([stats.linregress(times, amounts[:, i]).slope for i in range(len(names))])
        risen.append(float((amounts[-1] > 1.0).sum()))
        drained.append(float((slopes < 0.0).sum()))
        mobilities.append(mobility(pd.DataFrame([step.resources for step in life])))
        means = [float(np.mean(list(step.topics.values()))) for step in life]
        rises += bool(stats.linregress(times, means).slope > 0)
    return Row(
        setting=setting,
        lives=len(lives),
        worst=worst,
        longest=longest,
        top=_mean(ends["top"]),
        bottom=_mean(ends["bottom"]),
        follows=_mean(rhos),
        gini_acts=_mean(ginis),
        risen=_mean(risen),
        drained=_mean(drained),
        mobility=float(np.nanmean(mobilities)),
        topic=rises if lived else None,
        top_lost=_mean(ends["top lost"]) if lived else None,
        bottom_lost=_mean(ends["bottom lost"]) if lived else None,
    )


def deeds_for_others(life: Sequence[LifeStep]) -> dict[str, int]:
    """Count the gifts and answers that each resident decided on: things handed over, words to who had spoken to it.

    Those held back count, too: otherwise whoever is held back would seem to give less.
    """
    names = list(life[0].acts)
    given, asked = dict.fromkeys(names, 0), dict[tuple[str, str], int]()
    for time, step in enumerate(life):
        spoken = []
        for name in names:
            action = step.acts[name].action
            possible = step.outcomes[name] in ("executed", "filtered")
            if not possible or not isinstance(action, Action) or action.target not in given:
                continue
            if action.primitive is Primitive.PUT:
                given[name] += 1
            elif action.primitive is Primitive.CHAT:
                spoken.append((name, str(action.target)))
        for name, other in spoken:
            if time - asked.pop((other, name), -9) <= _WINDOW:
                given[name] += 1
        asked |= dict.fromkeys(spoken, time)
    return given


def _config(seed: int, settings: Mapping[str, Any]) -> RunConfig:
    keys = {f"ltrha.{path}": value for path, value in settings.items()}
    return RunConfig.from_keys({"model.name": "scripted", "seed": seed, **keys})


def _act(record: Mapping[str, Any]) -> Act:
    action = record["action"]
    return Act(
        action=None if action is None else Action.parse(str(action)),
        goal=record["goal"],
        pleasure=record["pleasure"],
        arousal=record["arousal"],
        failure=record["failure"],
    )


def _topics(framework: LTRHA, places: Mapping[str, str]) -> dict[str, float]:
    return {place: framework.topics[place] for place in set(places.values()) & framework.topics.keys()}


def _mean(values: Collection[float]) -> float:
    return float(np.mean(list(values))) if values else float("nan")


def _shown(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
