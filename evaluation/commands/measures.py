"""``irollan measures`` and ``irollan social``: objective measures of runs, and the social structure of one."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson, RunArgument
from evaluation.commands.errors import print_error, print_note, print_refusal
from evaluation.html_theme.printable import printable_lines

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.measures import Measure, RecordedRun
    from evaluation.social import SocialStructure
    from language_models.protocol import Embedder


_MOST_COLUMNS = 6
"""Runs whose values are printed beside their mean."""


def measures(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Directories of runs.", show_default=False)],
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Compares texts; see irollan models. [default: each run's own]",
            show_default=False,
        ),
    ] = "",
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print one tidy table: a row a run, measure and subject.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Measure runs: exploration, proactiveness, consistency, logicality, personification, talk, roles, livelihood ...

    docs/measures.md has the formula of each measure. The society's values are printed, of several runs with their mean
    and its 95 per cent interval; --csv and --json have those of each resident and place as well.
    """
    if as_csv and as_json:
        return print_error("give one of --csv and --json", 2)
    from evaluation.measures import measure_runs, read_run
    from evaluation.records.csv_cells import table_to_csv

    try:
        recorded = [_noted(read_run(path)) for path in runs]
        with ExitStack() as stack:
            table = measure_runs(recorded, _embedders(embedder, stack))
    except (ValueError, OSError) as error:
        return print_refusal(error)
    if as_csv:
        sys.stdout.write(table_to_csv(table))
    elif as_json:
        print(json.dumps(json.loads(table.to_json(orient="records", double_precision=15)), indent=2))
    else:
        print(printable_lines(_society(table, len(recorded))))
    return 0


def social(
    run: RunArgument,
    permutations: Annotated[int, typer.Option(metavar="N", min=1, help="Samples of each null model.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all draws.")] = 0,
    as_json: AsJson = False,
) -> int:
    """Analyse the social network of a run: leader, cliques, isolates, following; each tested against a null model.

    docs/social.md defines the statistics and the null models.
    """
    from evaluation.measures import read_run
    from evaluation.social import social_structure

    try:
        structure = social_structure(_noted(read_run(run)), seed=seed, permutations=permutations)
    except (ValueError, OSError) as error:
        return print_refusal(error)
    print(json.dumps(structure.to_json(), indent=2) if as_json else printable_lines(_describe(structure)))
    return 0


def _noted(run: RecordedRun) -> RecordedRun:
    """Print the notes on a run to standard error, and return the run."""
    for note in run.notes:
        print_note(f"note: {run.path}: {note}")
    return run


def _embedders(chosen: str, stack: ExitStack) -> Callable[[str], Embedder]:
    """Return a loader of embedders by name, each loaded once and closed with the stack; a chosen one overrides all."""
    from evaluation.models.closing import closing_embedder
    from language_models.registry import find_embedder

    loaded: dict[str, Embedder] = {}

    def embedder_of(name: str) -> Embedder:
        wanted = chosen or name
        if wanted not in loaded:
            loaded[wanted] = find_embedder(wanted).build()
            stack.enter_context(closing_embedder(loaded[wanted]))
        return loaded[wanted]

    return embedder_of


def _society(table: pd.DataFrame, runs: int) -> str:
    """Format the society's values, one line per measure: a column per run, where these are few, and their mean."""
    from evaluation.measures import MEASURES

    society = table[table["level"] == "society"]
    named = list(dict.fromkeys(society["run"]))
    lines = [] if runs == 1 else [f"[{number}] {run}" for number, run in enumerate(named, 1)] + [""]
    if len(named) > _MOST_COLUMNS:
        named = []
    if runs > 1:
        heads = "".join(f"{f'[{number}]':>10}" for number in range(1, len(named) + 1))
        lines.append(f"{'':22}{heads}{f'mean of {runs}, 95 %':>24}")
    dimension = ""
    for name, one in MEASURES.items():
        own = society[society["measure"] == name].set_index("run")["value"]
        if own.empty:
            continue
        if one.dimension != dimension:
            dimension = one.dimension
            lines.append(dimension)
        values = "".join(f"{one.to_text(own.get(run)):>10}" for run in named)
        if runs > 1:
            values += f"{_mean(own, one):>24}"
        lines.append(f"  {name:22}{values}  {one.meaning}")
    return "\n".join(lines)


def _mean(values: pd.Series[float], one: Measure) -> str:
    """Format a mean over runs with its 95 per cent t interval, cut to the range of the measure."""
    from scipy import stats

    known = values.dropna().to_numpy(dtype="float64")
    if len(known) < 2:
        return "–"
    mean, half = float(known.mean()), float(stats.t.ppf(0.975, len(known) - 1) * stats.sem(known))
    low, high = max(mean - half, one.low), min(mean + half, one.high)
    return f"{mean:.2f} [{low:.2f}, {high:.2f}]".replace("-", "−")


def _describe(structure: SocialStructure) -> str:
    """Format the conclusions, the tests and the residents as plain text."""
    lines = [*structure.conclusions, "", f"{'':26}{'value':>8}{'by chance':>11}{'p':>8}{'q':>8}  null model"]
    for name, test in structure.tests.iterrows():
        lines.append(
            f"{name!s:26}{_number(test['value']):>8}{_number(test['null_mean']):>11}{_number(test['p'], 3):>8}"
            f"{_number(test['q'], 3):>8}  {test['null']}"
        )
    lines += [
        "",
        f"{'':10}{'sent':>6}{'received':>10}{'expected':>10}{'p sought':>10}{'p left out':>12}{'followed':>10}",
    ]
    for name, one in structure.residents.iterrows():
        lines.append(
            f"{name!s:10}{one['sent']:>6.0f}{one['received']:>10.0f}{one['expected']:>10.1f}"
            f"{_number(one['p_sought'], 3):>10}{_number(one['p_left_out'], 3):>12}{one['followed']:>10.0f}"
        )
    for _, clique in structure.cliques.iterrows():
        lines.append(f"clique {', '.join(clique['members'])}: strength {_number(clique['strength'])}")
    lines.append(f"\n{structure.permutations} samples of each null model, seed {structure.seed}; irollan social --help")
    needed = math.ceil(structure.tests["p"].count() / structure.alpha - 1e-9) - 1
    if structure.permutations < needed:
        lines.append(f"A single finding needs --permutations {needed} or more, as p is at least 1 / (1 + samples).")
    return "\n".join(lines)


def _number(value: float | None, digits: int = 2) -> str:
    return "-" if value is None or value != value else f"{value:.{digits}f}"
