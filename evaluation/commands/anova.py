"""``irollan anova``: the statistics of human ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson
from evaluation.commands.errors import print_error, print_note, print_path, why_no_file

if TYPE_CHECKING:
    from evaluation.statistics import Anova

REASONS_SHOWN = 20
SPANS_SHOWN = 6


_RatingsFile = Annotated[
    Path | None,
    typer.Argument(metavar="RATINGS.csv", help="Columns rater, run, architecture, resident, dimension, rating."),
]
_Summary = Annotated[
    Path | None,
    typer.Option(metavar="TABLE.csv", help="Analyse means instead: columns architecture, dimension, mean, se."),
]
_N = Annotated[
    int | None, typer.Option("--n", metavar="N", help="Ratings a group of TABLE.csv, where it has no column n.")
]
_Paper = Annotated[bool, typer.Option("--paper", help="Analyse the paper's Table 1, beside the values it prints.")]
_Power = Annotated[
    int | None, typer.Option(metavar="RATERS", help="Compute the power of a planned study with so many raters.")
]
_Runs = Annotated[
    int | None,
    typer.Option("--runs", metavar="N", min=1, help="With --power: runs of each architecture. [default: as rated]"),
]
_Residents = Annotated[
    int | None,
    typer.Option("--residents", metavar="N", min=1, help="With --power: residents of each run. [default: as rated]"),
]
_Source = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Whose ratings to analyse if RATINGS.csv has both: people or judge.",
        show_default=False,
    ),
]
_Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write a report with plots as one HTML file.")]


def anova(
    ratings: _RatingsFile = None,
    summary: _Summary = None,
    n: _N = None,
    paper: _Paper = False,
    power: _Power = None,
    runs: _Runs = None,
    residents: _Residents = None,
    source: _Source = None,
    html: _Html = None,
    as_json: AsJson = False,
) -> int:
    """Test whether architectures differ in ratings by people: ANOVA, pairs, effect sizes, agreement, power.

    What repeats in the ratings decides which test leads: a mixed model where raters, trajectories or runs do,
    Brown-Forsythe F* with Mehrotra's degrees of freedom otherwise. Below it are the tests of section 5.2 of the paper,
    where Levene's test decides between the standard ANOVA with Dunn-Sidak comparisons and Brown-Forsythe F* with
    Games-Howell. Ratings that cannot be used are named on standard error.
    """
    if [ratings is not None, summary is not None, paper].count(True) != 1:
        return print_error("give one of RATINGS.csv, --summary TABLE.csv or --paper; see irollan anova --help", 2)
    if n is not None and summary is None:
        return print_error("--n belongs to --summary TABLE.csv", 2)
    if source is not None and ratings is None:
        return print_error("--source belongs to RATINGS.csv", 2)
    if (runs is not None or residents is not None) and (power is None or ratings is None):
        return print_error("--runs and --residents belong to RATINGS.csv --power RATERS", 2)
    if html is not None and (reason := why_no_file(html)):
        return print_error(reason, 2)
    if power is not None and power < 2:
        return print_error(f"--power takes a number of raters, at least 2, got {power}", 2)
    from evaluation import statistics

    try:
        if ratings is not None:
            found = statistics.anova(
                ratings, source=source, raters=power, runs=runs, residents=residents, progress=print_note
            )
        elif summary is not None:
            found = statistics.anova_of_means(summary, n=n, raters=power)
        else:
            found = statistics.paper_anova(raters=power)
    except statistics.TableError as error:
        return print_error(str(error), 2)
    except OSError as error:
        return print_error(str(error), 1)
    if html is not None:
        try:
            found.write_html(html)
        except OSError as error:
            return print_error(f"cannot write {html}: {error.strerror}", 1)
    _account(found)
    print(json.dumps(found.to_json(), indent=2) if as_json else found.summary())
    if html is not None and not as_json:
        print()
        print_path(html)
    return 0


def _account(found: Anova) -> None:
    """Report ratings left out and remarks on the others on standard error."""
    from evaluation.statistics.wording import left_out, line_numbers

    if found.ratings is None:
        return
    for remark in found.ratings.remarks:
        print_note(remark)
    by_reason = left_out(found.results, found.ratings.of(str(found.results[0].source)))
    for reason, lines in list(by_reason.items())[:REASONS_SHOWN]:
        print_note(f"{line_numbers(lines, most=SPANS_SHOWN)} left out: {reason}")
    if len(by_reason) > REASONS_SHOWN:
        rest = sum(len(lines) for lines in list(by_reason.values())[REASONS_SHOWN:])
        print_note(f"and {rest} more lines left out for other reasons; --json and --html list all of them")
