"""How well what follows an action is foretold, by ways of foretelling.

The ways are measured on rollouts with seeds that nothing was trained
on, and the two that take a second for an answer, the numeric foundation model and the language model, on samples of
them. Of rule and memory, and of the model's positions, none has an order: there the first name is any of those that it
says.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer

from benchmarks.mind.protention_scores import Foretold, Scores
from benchmarks.reporting import AsJson, as_table_or_json, progress, table
from itcma_s.fields.name_table import NameTable
from itcma_s.fields.phenomenal_field import Field
from itcma_s.protention.geometric_rule import placed
from itcma_s.protention.learned_protention import LearnedProtention, encode
from itcma_s.protention.series_forecaster import SeriesForecaster
from itcma_s.protention_rollouts import Transition, rollout, spelling_table
from language_models.local.embedded import EmbeddedModel
from language_models.protocol import Caller, GenerateRequest, LanguageModel

HELD_OUT = 1_000_000
"""The first seed; examples/train_protention.py takes seeds below."""

Way = Callable[[Transition], Foretold]


def command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="protention.safetensors, as examples/train_protention.py writes it.",
            show_default=False,
        ),
    ],
    rollouts: Annotated[int, typer.Option(metavar="N", help="Seeds that nothing was trained on.")] = 4,
    steps: Annotated[int, typer.Option(metavar="N", help="Time steps of each.")] = 75,
    sample: Annotated[int, typer.Option(metavar="N", help="Transitions that the language model is asked about.")] = 100,
    series: Annotated[
        int, typer.Option(metavar="N", help="Transitions that fracast is asked about (extra: forecast).")
    ] = 0,
    as_json: AsJson = False,
) -> None:
    """Score ways of foretelling on rollouts that the network in FILE was not trained on."""
    torch.set_num_threads(1)
    names, tell = spelling_table(), progress("protention")
    network = LearnedProtention.load(file)
    transitions: list[Transition] = []
    for seed in range(HELD_OUT, HELD_OUT + rollouts):
        transitions += rollout(seed, steps, names)
        tell(f"rollout of seed {seed}: {len(transitions)} transitions so far")
    ways: dict[str, Way] = {
        "nothing changes": nothing_changes(names),
        "the imagination goes on": imagination_goes_on(names),
        "rule and memory": rule_and_memory(names),
        "learned": learned(network, names),
        "rule, memory, learned": combined(network, names),
    }
    groups = {
        "all": transitions,
        "staying in the place": [one for one in transitions if one.stays],
        "places seen before": [one for one in transitions if one.expected.source == "memory"],
        "places never seen": [one for one in transitions if one.unknown],
    }
    rows = [row for of, group in groups.items() for row in measure(ways, group, names, of)]
    generator = np.random.default_rng(0)
    if series:
        rows += with_fracast(ways, transitions, series, names, generator)
    if sample:
        rows += with_language_model(ways, groups, sample, network.vocabulary.names, names, generator)
    as_table_or_json(rows, shown(rows), as_json=as_json)


def nothing_changes(names: NameTable) -> Way:
    """The present goes on as it is."""
    return lambda one: Foretold(field=one.moment.present)


def imagination_goes_on(names: NameTable) -> Way:
    """What the present was blended with (Eq. 5) is there next, where it is now."""
    return lambda one: Foretold(field=one.moment.imagination)


def rule_and_memory(names: NameTable) -> Way:
    """The geometric rule and what was seen the last time; of places never seen the way back and what one holds."""
    return lambda one: Foretold(field=one.expected.field)


def resident_expects(one: Transition, forecast: Field) -> Field:
    """What a resident expects that has a forecast: what the rule moves stands where it moves it."""
    turned = one.still and one.expected.field is not one.moment.present
    return placed(forecast, one.expected.field) if turned else forecast


def learned(file: LearnedProtention, names: NameTable) -> Way:
    """The network."""

    def foretell(one: Transition) -> Foretold:
        vocabulary = file.vocabulary.names
        (present,), _ = file.predict([encode(one.moment, one.action, names, file.vocabulary)])
        (field,) = file.forecast(one.moment, [one.action], names)
        before = set(one.moment.present.names(names))
        order = np.argsort(-present, kind="stable")
        return Foretold(
            field=Field.empty() if field is None else field,
            appearing=[vocabulary[n] for n in order if vocabulary[n] not in before],
            leaving=[vocabulary[n] for n in order[::-1] if vocabulary[n] in before],
        )

    return foretell


def combined(file: LearnedProtention, names: NameTable) -> Way:
    """What a resident with the network expects: rule and memory first, the network where neither says anything."""
    third = learned(file, names)

    def foretell(one: Transition) -> Foretold:
        if not (one.unknown or one.still):
            return Foretold(field=one.expected.field)
        forecast = third(one)
        return replace(forecast, field=resident_expects(one, forecast.field))

    return foretell


def series(names: NameTable, forecasts: Mapping[int, Field | None]) -> Way:
    """The numeric model alone; where it says nothing, no object is foretold."""

    def foretell(one: Transition) -> Foretold:
        forecast = forecasts[id(one)]
        return Foretold(field=Field.empty() if forecast is None else forecast)

    return foretell


def with_series(names: NameTable, forecasts: Mapping[int, Field | None]) -> Way:
    """What a resident with the numeric model expects: rule and memory first, the model where the rule moves nothing."""

    def foretell(one: Transition) -> Foretold:
        forecast = forecasts[id(one)] if one.still else None
        return Foretold(field=one.expected.field if forecast is None else resident_expects(one, forecast))

    return foretell


def asked(model: LanguageModel, shown: Sequence[Transition], known: Sequence[str], names: NameTable) -> Way:
    """The paper's way: the language model goes on with what is observed after the action, after two worked examples."""
    head = "What somebody in a small valley observes before and after an action.\n\n" + "".join(
        f"{one.observation.sentence}\nAction: {one.action}\n{one.following.sentence}\n\n" for one in shown
    )
    patterns = {name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in known}

    def foretell(one: Transition) -> Foretold:
        answer = asyncio.run(
            model.generate(
                GenerateRequest(
                    prompt=f"{head}{one.observation.sentence}\nAction: {one.action}\nYou are in",
                    caller=Caller(module="bench"),
                    max_tokens=160,
                    temperature=0.0,
                    stop=("\n",),
                )
            )
        )
        found = {name: match.start() for name, pattern in patterns.items() if (match := pattern.search(answer.text))}
        said = sorted(found, key=lambda name: found[name])
        before = dict(zip(one.moment.present.names(names), one.moment.present.positions, strict=True))
        around = Field.from_names(said, names)
        positions = [before.get(name, place) for name, place in zip(said, around.positions, strict=True)]
        field = Field(around.ids, np.array(positions).reshape(-1, 3))
        return Foretold(field=field, appearing=[name for name in said if name not in before])

    return foretell


def measure(
    ways: Mapping[str, Way], transitions: Sequence[Transition], names: NameTable, of: str
) -> list[dict[str, Any]]:
    """One row per way."""
    rows, tell = [], progress("protention")
    for way, foretell in ways.items():
        scores = Scores()
        for one in transitions:
            scores.add(one, foretell(one), names)
        rows.append({"of": of, "transitions": len(transitions), "way": way, **scores.to_json()})
        tell(json.dumps(rows[-1]))
    return rows


def with_fracast(
    ways: Mapping[str, Way],
    transitions: Sequence[Transition],
    count: int,
    names: NameTable,
    generator: np.random.Generator,
) -> list[dict[str, Any]]:
    """The ways and those with the numeric foundation model, on a sample, which takes a second for each."""
    numeric = SeriesForecaster.fracast()
    chosen = [transitions[number] for number in sorted(generator.permutation(len(transitions))[:count])]
    begun = time.process_time()
    forecasts = {id(one): numeric.forecast(one.moment, [one.action], names)[0] for one in chosen}
    cost = (time.process_time() - begun) / sum(field is not None for field in forecasts.values())
    progress("protention")(f"fracast: {cost:.2f} s of processor time a forecast")
    more = {**ways, "fracast": series(names, forecasts), "rule, memory, fracast": with_series(names, forecasts)}
    rows = measure(more, chosen, names, "all, a sample")
    rows += measure(more, [one for one in chosen if one.stays], names, "staying in the place, of it")
    return rows + measure(more, [one for one in chosen if one.unknown], names, "places never seen, of it")


def with_language_model(
    ways: Mapping[str, Way],
    groups: Mapping[str, Sequence[Transition]],
    count: int,
    known: Sequence[str],
    names: NameTable,
    generator: np.random.Generator,
) -> list[dict[str, Any]]:
    """The ways and the paper's, on samples of all transitions and of those into places never seen."""
    examples = list(rollout(HELD_OUT - 1, 8, names))
    moves = [one.following.place != one.observation.place for one in examples]
    worked = [examples[moves.index(True)], examples[moves.index(False)]]
    more = {**ways, "language model": asked(EmbeddedModel.smollm2(context=1024), worked, known, names)}
    rows = []
    for of in ("all", "places never seen"):
        chosen = sorted(generator.permutation(len(groups[of]))[:count])
        rows += measure(more, [groups[of][number] for number in chosen], names, f"{of}, a sample")
    return rows


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as a table."""
    headings = (
        "transitions",
        "way",
        "appears, top-1",
        "disappears, top-1",
        "names, F1",
        "position error",
        "within 0.5 m",
    )
    cells = []
    for row in rows:
        shares = [
            "" if (one := row[key]) is None else f"{one['rate']:.0%} [{one['low']:.0%}, {one['high']:.0%}]"
            for key in ("appeared", "disappeared")
        ]
        error = "" if row["error_mean"] is None else f"{row['error_mean']:.2f} m ({row['error_median']:.2f} m)"
        of = f"{row['of']}, {row['transitions']}"
        right = "" if row["f1"] is None else f"{row['f1']:.2f}"
        near = "" if row["near"] is None else f"{row['near']:.0%}"
        cells.append([of, row["way"], *shares, right, error, near])
    return table(headings, cells)
