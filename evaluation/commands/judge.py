"""``irollan judge``: let a language model rate runs, and compare it with people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson, Prices, filled, filled_path
from evaluation.commands.errors import print_error, print_refusal
from evaluation.html_theme.printable import printable, printable_lines

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.judging.session import JudgingSession

REASONS_SHOWN = 5


def judge(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Directories of finished runs, of one length; or what rate prepare has made.",
            show_default=False,
        ),
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME", parser=filled, help="The judge; see irollan models.", show_default=False)
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", parser=filled_path, help="Directory of the ratings.", show_default=False),
    ],
    draws: Annotated[int, typer.Option(metavar="N", min=1, help="Draws of each rating.")] = 5,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of all draws.")] = 0,
    people: Annotated[
        Path | None,
        typer.Option(metavar="RATINGS.csv", help="Ratings by people, to compare the judge's with.", show_default=False),
    ] = None,
    prices: Prices = None,
    as_json: AsJson = False,
) -> int:
    """Have a language model rate runs as people do, and say how far it agrees with people.

    It reads what raters read, without learning the architecture, and answers the same questions with a number from 1 to
    7. Called again, it continues where it was, or is compared with people without a further call.
    """
    from evaluation.judging.session import judge_runs
    from evaluation.models.errors import RunError
    from evaluation.records.numbers import json_ready
    from evaluation.runs.progress import progress_on
    from evaluation.statistics import judge_agreement, read_ratings
    from language_models.prices import read_prices

    try:
        theirs = None if people is None else read_ratings(people).of("people").frame
        session = judge_runs(runs, model, out, progress_on(), draws=draws, seed=seed, prices=read_prices(prices))
    except (ValueError, RunError, OSError) as error:
        return print_refusal(error)
    agreement = None if theirs is None else judge_agreement(session.judgement.table, theirs)
    if as_json:
        print(json.dumps({**session.to_json(), "agreement": json_ready(agreement)}, indent=2))
    else:
        print(printable_lines(_describe(session, agreement)))
    if agreement is not None and not (agreement["trajectories"] > 0).any():
        print_error(
            f"{people} has no rating of anything that the judge has rated: runs and residents must be the same", 0
        )
    if not len(session.judgement.table):
        return print_error(f"no rating was had: {next(iter(session.judgement.failures))}", 1)
    return 0


def _describe(session: JudgingSession, agreement: pd.DataFrame | None) -> str:
    from evaluation.rating.rating_scale import ATTENTION_CHECK
    from evaluation.records.numbers import number, row_dicts
    from evaluation.statistics.wording import against_people

    found, usage = session.judgement, session.judgement.usage
    cost = "" if not session.cost else f", ${session.cost:,.4f}"
    lines = [
        f"judge      {session.model}: {session.trajectories} residents, {session.draws} draws of each rating",
        f"answers    {len(found.table)} of {found.asked}",
        f"reading    {found.passed} of {found.checks} attention checks passed; chance passes 1 in 7",
        f"calls      {usage.calls:,}, of which {usage.failures:,} failed and {usage.refusals:,} were refused; "
        f"{usage.prompt_tokens:,} prompt tokens ({usage.cached_tokens:,} from a cache), "
        f"{usage.generated_tokens:,} generated{cost}",
    ]
    for reason, count in found.failures.most_common(REASONS_SHOWN):
        lines.append(f"missing    {count}: {printable(reason)}")
    if (rest := sum(found.failures.values()) - sum(n for _, n in found.failures.most_common(REASONS_SHOWN))) > 0:
        lines.append(f"missing    {rest} for other reasons; --json lists them all")
    rated = found.table[found.table["dimension"] != ATTENTION_CHECK]
    for dimension, ratings in rated.groupby("dimension", sort=False)["rating"]:
        lines.append(f"{dimension!s:16} mean {number(ratings.mean())}, sd {number(ratings.std())}")
    if agreement is None:
        lines.append(
            "agreement  with people is not known; --people RATINGS.csv compares. Until then it is no measurement."
        )
    else:
        lines.append("agreement  with people, and 95 % intervals")
        lines += [f"  {row['dimension']}: {against_people(row)}" for row in row_dicts(agreement)]
    lines.append(f"ratings    {session.out / 'ratings.csv'}")
    return "\n".join(lines)
