"""``irollan rate``: prepare packets for raters, serve them, export the ratings."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evaluation.commands.arguments import AsJson
from evaluation.commands.errors import print_error, print_refusal, why_idle, why_no_file
from evaluation.commands.planned_study import one_run_each, what_it_can_find
from evaluation.html_theme.printable import printable, printable_lines

if TYPE_CHECKING:
    from evaluation.rating.packets import Plan
    from evaluation.rating.store import Store
    from evaluation.rating.study import Study

PORT = 8765
LONG_SESSION = 60
"""Minutes of workload from which the command suggests how to reduce it."""

app = typer.Typer(
    rich_markup_mode=None,
    help="Have people rate finished runs: make blinded packets, serve them as web pages, export the ratings.",
)

StudyArgument = Annotated[Path, typer.Argument(metavar="DIR", help="What rate prepare has made.", show_default=False)]


@app.command()
def prepare(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Directories of finished runs, of one length.", show_default=False),
    ],
    raters: Annotated[int, typer.Option(metavar="N", help="Number of raters.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Directory of the study.", show_default=False)],
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of orders and attention checks.")] = 0,
    residents: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="Residents of a run that each rater reads. [default: all]",
            show_default=False,
        ),
    ] = None,
    consent: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A text that raters agree to before they begin. [default: a plain one]",
            show_default=False,
        ),
    ] = None,
    withdrawal: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A text that says how to withdraw. [default: a plain one]", show_default=False
        ),
    ] = None,
    sd: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=POINTS",
            help="A standard deviation assumed in the power estimate: of rater, taste, run, trajectory or residual.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Make blinded packets of finished runs, in an order that is balanced over raters.

    Each rater reads one run of each architecture, without learning which is which, and rates its residents one by one.
    The power of the study is estimated in advance.
    """
    from evaluation.rating import packets
    from evaluation.rating.participation import Terms
    from evaluation.rating.study import load_study
    from evaluation.statistics.planned_study import Spread, planned_power, planned_ratings
    from irollan_env.random_streams import stream

    try:
        if seed < 0:
            raise ValueError(f"seed must be a whole number of at least 0, got {seed}")
        spread = Spread.parse(sd or [])
        plan = packets.prepare(
            runs,
            raters=raters,
            out=out,
            rng=stream(seed, "rating"),
            residents=residents,
            terms=Terms.read(consent, withdrawal),
        )
    except (ValueError, OSError) as error:
        return print_refusal(error)
    finds = planned_power(planned_ratings(*load_study(out)), spread)
    for note in (*plan.notes, *one_run_each(finds)):
        print(printable(f"note: {note}"), file=sys.stderr)
    described = {"study": str(out), **asdict(plan), "can_find": {**asdict(finds), "supposed": asdict(spread)}}
    print(json.dumps(described) if as_json else printable_lines(_describe(plan, out, what_it_can_find(finds, spread))))
    return 0


@app.command()
def serve(
    study: StudyArgument,
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="0 takes a free one.")] = PORT,
    open_to_network: Annotated[
        bool, typer.Option("--open-to-network", help="Allow an address that other machines can reach.")
    ] = False,
    url: Annotated[
        str, typer.Option(metavar="URL", help="What the links begin with, where a web server stands in front.")
    ] = "",
    as_json: AsJson = False,
) -> int:
    """Serve a study to its raters until Ctrl-C, and print the link of each.

    Answers are on the disk before the page says that they are saved. Stopping and restarting loses nothing.
    """
    from evaluation.rating.participation import Terms
    from evaluation.rating.server import serve as serve_study
    from evaluation.rating.study import Study
    from irollan_env.server.access import is_loopback
    from irollan_env.server.serving import address_of, listen

    if not is_loopback(host) and not open_to_network:
        return print_error(
            f"{host} can be reached from other machines, and links and answers travel in the clear; "
            "add --open-to-network if that is meant",
            2,
        )
    alone = f"{host} is this machine alone, and --host takes another address"
    if reason := why_idle(("--open-to-network", open_to_network and is_loopback(host), alone)):
        return print_error(reason, 2)
    try:
        loaded, terms = Study.load(study), Terms.load(study)
    except (ValueError, OSError) as error:
        return print_refusal(error)
    try:
        listener = listen(host, port, protected=True)
    except OSError as error:
        return print_error(str(error), 1)
    base = (url or address_of(listener)).rstrip("/")
    if not is_loopback(host):
        print(
            "warning: links and answers travel in the clear to other machines; a web server with TLS in front, and "
            "--url, keep them private",
            file=sys.stderr,
        )

    def ready(store: Store) -> None:
        print(_links(loaded, store, base, as_json), flush=True)
        served = printable(f"serving {study} at {base}; each link belongs to one rater; Ctrl-C ends it")
        print(served, file=sys.stderr, flush=True)

    with suppress(KeyboardInterrupt):
        serve_study(study, loaded, terms, listener, ready)
    return 0


@app.command()
def export(
    study: StudyArgument,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where to write the table. [default: standard output]", show_default=False),
    ] = None,
) -> int:
    """Write the ratings as CSV, one a row, with the architecture of each; raters may go on meanwhile."""
    from evaluation.rating.export import export as read
    from evaluation.records.files import write_atomically

    if out is not None and (reason := why_no_file(out)):
        return print_error(reason, 2)
    try:
        table = read(study)
        if out is not None:
            write_atomically(out, table.to_csv().encode())
    except (ValueError, OSError) as error:
        return print_refusal(error)
    if out is None:
        sys.stdout.write(table.to_csv())
    print(f"{table.ratings} ratings by {table.raters} raters, {table.finished} of whom have finished", file=sys.stderr)
    if table.withdrawn:
        print(printable(f"withdrawn, and left out: {', '.join(table.withdrawn)}"), file=sys.stderr)
    if table.undecided:
        print(
            f"two answers to one question, of which the rater has yet to choose one: {table.undecided}; the column "
            "conflict has the other one",
            file=sys.stderr,
        )
    if table.failed:
        print(printable(f"wrong at an attention check: {', '.join(table.failed)}"), file=sys.stderr)
    return 0


def _describe(plan: Plan, out: Path, finds: list[str]) -> str:
    shortest, usual, longest = (round(minutes) for minutes in plan.minutes)
    spread = f" ({shortest} to {longest})" if shortest < longest else ""
    architectures = ", ".join(
        name if runs == 1 else f"{name} ({runs} runs)" for name, runs in plan.architectures.items()
    )
    each = "a rater reads one run of each" if len(plan.architectures) > 1 else "a rater reads one run"
    balance = f"exactly balanced with a multiple of {plan.exact_with} raters"
    if plan.raters % plan.exact_with == 0:
        balance = "exactly balanced"
    lines = [
        f"runs         {architectures}; {plan.steps} steps each",
        f"raters       {plan.raters}; {each}, {plan.residents} residents of it: {plan.items} in all",
        f"workload     about {usual} minutes a rater{spread}, {plan.words} words",
        f"order        Williams design over architectures, and over the residents of each; {balance}",
        f"attention    {plan.checks} check{'s' if plan.checks != 1 else ''} a rater",
        *finds,
        f"study        {out}",
        f"next         irollan rate serve {out}",
    ]
    if usual > LONG_SESSION and plan.residents > 1:
        one = round(usual / plan.residents)
        lines.insert(
            3, f"             --residents 1 asks for about {one} minutes; all residents are read equally often"
        )
    return "\n".join(lines)


def _links(study: Study, store: Store, base: str, as_json: bool) -> str:
    from evaluation.rating.store import given_name

    rows = []
    for rater, token in study.tokens.items():
        answers, of = store.all_answers(rater), len(study.items[rater])
        rated, name = len(study.rated(rater, answers)), given_name(answers)
        rows.append({"rater": rater, "name": name, "rated": rated, "of": of, "link": f"{base}/rate/{token}"})
    if as_json:
        return json.dumps(rows, indent=2)
    return "\n".join(
        printable(f"{row['rater']}  {row['rated']:>3}/{row['of']}  {row['link']}  {row['name']}".rstrip())
        for row in rows
    )
