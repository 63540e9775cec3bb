"""The options of ``irollan run``: what a configuration takes, with what each says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from evaluation.commands.arguments import MODEL_HELP, filled, filled_path, whole_number
from evaluation.runs.architectures import ARCHITECTURES
from evaluation.runs.run_config import RATE_BY_DELIBERATION, TURNS_BY_DELIBERATION
from itcma_s.ablation.mechanisms import MECHANISMS


def _by_deliberation(defaults: Mapping[str, str]) -> str:
    """A default that differs by who decides, for a help text."""
    return ", ".join(f"{value} with --deliberation {name}" for name, value in defaults.items())


Steps = Annotated[int, typer.Option(metavar="N", parser=whole_number, help="How many time steps.")]
Seed = Annotated[int, typer.Option(metavar="N", parser=whole_number, help="All chance follows from it; at least 0.")]
Architecture = Annotated[str, typer.Option(metavar="NAME", help=f"One of {', '.join(ARCHITECTURES)}.")]
Model = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", parser=filled, help=f"{MODEL_HELP} [default: smollm2]", show_default=False),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="What compares names and sentences; see irollan models. [default: minilm; hash with scripted]",
        show_default=False,
    ),
]
Protention = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="Who says what follows where neither rule nor memory does: model, fracast, or learned:FILE for a "
        "network that examples/train_protention.py trained.",
    ),
]
Elimination = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="What scores the relevance of actions: embedder, without tokens, or model. [default: embedder; model "
        "with --model elimination=NAME]",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        parser=filled_path,
        help="Where to leave the run. [default: runs/ARCHITECTURE-MODEL-seedSEED-TIME]",
        show_default=False,
    ),
]
CheckpointEvery = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=whole_number,
        help="Write a checkpoint every N steps, to go on from with irollan resume.",
    ),
]
OnFailure = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        help="What a model call that fails (returns nothing of use, or refuses) does: wait, and its resident waits "
        "for one step; or stop, and the run ends, to be gone on with by irollan resume.",
    ),
]
Deliberation = Annotated[
    str | None,
    typer.Option(
        metavar="WHO",
        parser=filled,
        help="Who decides what a resident does: model, which thinks, chooses and speaks in one answer and has goals of "
        "its own; or likeness, where the mind compares each action with its goal and the model gives words. "
        "[default: model for models asked by instruction (openai:, transformers:), likeness for others]",
        show_default=False,
    ),
]
Turns = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        parser=filled,
        help="Who sees what within a time step: together, where all decide at once on what they saw at its beginning; "
        "or one-by-one, where those in the same place act in turn and each sees and hears what those before it just "
        f"did. [default: {_by_deliberation(TURNS_BY_DELIBERATION)}]",
        show_default=False,
    ),
]
Filter = Annotated[
    str,
    typer.Option(
        metavar="WHEN",
        parser=filled,
        help="When LTRHA draws whose action is held back: after the resident has decided, as the paper shows it, or "
        "before, which saves asking the model for what will not be done.",
    ),
]
Rate = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        parser=filled,
        help="What decides how often LTRHA lets a resident act: the amount of its resources, as Eq. 18 is printed; or "
        "its share of all of them, as the sentence under it says, by which nobody falls far behind. "
        f"[default: {_by_deliberation(RATE_BY_DELIBERATION)}]",
        show_default=False,
    ),
]
Criterion = Annotated[
    str,
    typer.Option(
        metavar="WHAT",
        parser=filled,
        help="By what the matrix of LTRHA ranks residents: goals, their own goals and the mood of their places, as in "
        "the paper; or company, what brings people together.",
    ),
]
Ranking = Annotated[
    str,
    typer.Option(
        metavar="WHOM",
        parser=filled,
        help="Whom the matrix of LTRHA ranks: society, everybody at once; or locale, those in the same place among "
        "themselves.",
    ),
]
Descriptions = Annotated[
    str,
    typer.Option(
        metavar="ON|OFF",
        parser=filled,
        help="Whether residents that a model leads describe others and themselves, in the same answer, when a segment "
        "of their memory is compressed.",
    ),
]
Mind = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="The mind of the residents; see irollan minds. Again with RESIDENT=NAME for one alone. [default: itcma-s]",
        show_default=False,
    ),
]
Detail = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        parser=filled,
        help="How much a large model is told of what is and was before a resident: deeds (with whom it was, what was "
        "done and said), names (the things there, too), or positions (everything there with its distance and "
        "direction, and what each action changes of it).",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="Leave this mechanism out of every decision; again for several. One of "
        f"{', '.join(mechanism.name for mechanism in MECHANISMS)}.",
        show_default=False,
    ),
]
View = Annotated[
    bool,
    typer.Option("--view", help="Print a link that shows the run in a browser while it goes on; see irollan view."),
]
Serving = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        parser=filled,
        help="How a model file on this machine is asked: fast, many at once, where answers hang on what else is "
        "asked; or exact, each request by itself, so that the same seed gives the same bytes.",
    ),
]
Scenario = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=filled,
        help="A scenario of docs/arena.md, or the path of one: how things stand at the beginning, goals, and company.",
        show_default=False,
    ),
]
Identities = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        parser=filled_path,
        help="Who residents were before: names, traits, memories and relations, as TOML or CSV; see docs/minds.md.",
        show_default=False,
    ),
]
Estimate = Annotated[bool, typer.Option("--estimate", help="Say what the run would cost, and do not begin it.")]
