"""``irollan bench``: measure agents; ``python -m benchmarks``, in a clone, measures the project itself."""

from __future__ import annotations

import typer

from evaluation.commands.ability import ability
from evaluation.commands.mechanisms import mechanisms
from evaluation.commands.tasks import leaderboard, tasks

bench = typer.Typer(help="Measure what an agent can do, and what in it decides.")
bench.command("ability")(ability)
bench.command("mechanisms")(mechanisms)
bench.command("tasks")(tasks)
bench.command("leaderboard")(leaderboard)
