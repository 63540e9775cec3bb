"""``irollan bench mechanisms``."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.arguments import AsJson, filled, filled_path, whole_number
from evaluation.commands.errors import print_error, why_idle
from evaluation.html_theme.printable import printable_lines

_Runs = Annotated[
    list[Path],
    typer.Argument(metavar="RUN", parser=filled_path, help="Directories of runs.", show_default=False),
]
_Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="NAME", help="Look at this mechanism alone; again for several.", show_default=False),
]
_Model = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="Ask this model for the decisions that are made again, as irollan run has it. [default: requests for "
        "decisions are compared, and none is asked]",
        show_default=False,
    ),
]
_Every = Annotated[
    int, typer.Option("--every", metavar="N", parser=whole_number, help="Decisions of every N-th time step only.")
]
_Seed = Annotated[int, typer.Option(metavar="N", parser=whole_number, help="Draws the other moments.")]


def mechanisms(
    runs: _Runs,
    only: _Only = None,
    terms: Annotated[bool, typer.Option("--terms", help="Also weights and rules of similarity decisions.")] = False,
    model: _Model = None,
    every: _Every = 1,
    seed: _Seed = 0,
    examples: Annotated[bool, typer.Option("--examples", help="List some of the decisions that changed.")] = False,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="FILE", parser=filled_path, help="Draw a panel for each mechanism, as PNG."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Show what each mechanism decides: a run's decisions made again, each with one mechanism taken away.

    The run is replayed from its transcript. Each decision is made once more without one mechanism, and once more
    with what another moment of the same resident had of it. Where a model decides, its requests are compared;
    with --model, the decisions are asked anew. Runs of one architecture are counted together; nothing in them is
    changed.
    """
    if reason := why_idle(("--examples", examples and as_json, "--json has no examples")):
        return print_error(reason, 2)
    from evaluation.mechanisms.measuring import NotTheSameError, measure
    from evaluation.mechanisms.table import grouped, page, rows
    from evaluation.models.closing import release_models
    from evaluation.models.errors import RunError
    from evaluation.records.run_directory import RunDirectory
    from evaluation.runs.progress import progress_on
    from evaluation.runs.replay import ReplayError
    from language_models.protocol import ModelError, ModelUnavailable
    from language_models.registry import find_model

    with ExitStack() as stack:
        try:
            at_hand = None if model is None else find_model(model).build()
            if at_hand is not None:
                stack.callback(release_models, [at_hand])
            measured = [
                measure(
                    RunDirectory(run),
                    progress_on(),
                    at_hand=at_hand,
                    only=only or (),
                    with_terms=terms,
                    seed=seed,
                    every=every,
                )
                for run in runs
            ]
        except ValueError as error:
            return print_error(str(error), 2)
        except (OSError, RunError, ReplayError, NotTheSameError, ModelError, ModelUnavailable) as error:
            return print_error(str(error), 1)
    groups = grouped(measured)
    if figure is not None:
        from evaluation.mechanisms.drawing import drawn
        from evaluation.report.figures import save

        save(drawn(list(groups.values())), figure)
    if as_json:
        found = [
            {
                "architecture": architecture,
                "deliberation": way,
                "decisions": sum(one.decisions for one in group),
                "mechanisms": [row.to_json() for row in rows(group)],
            }
            for (architecture, way), group in groups.items()
        ]
        print(json.dumps(found, indent=2))
    else:
        print(printable_lines(page(measured, examples)))
    return 0
