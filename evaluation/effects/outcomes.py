"""What the runs of an experiment came to: measures, and variables of their worlds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from evaluation.measures import MEASURES, actions, read_run
from evaluation.records.metrics import OWN
from evaluation.records.run_directory import RunDirectory
from evaluation.sweeps.curves import curves_of_run
from evaluation.sweeps.directory import SweepDirectory
from evaluation.sweeps.table import GROUP, Embedders
from irollan_env.world.mechanic import WORLD

MEASURE, VARIABLE = "measure", "variable"
RESIDENTS = "mean over residents"


def outcomes_of(
    directory: SweepDirectory, finished: pd.DataFrame, at: int, measures: Sequence[str], say: Callable[[str], None]
) -> pd.DataFrame:
    """Compute the outcomes of finished runs, from a step on.

    Args:
        directory: Of the runs.
        finished: Rows of ``runs_table``.
        at: The first step that counts.
        measures: Names of measures.
        say: Shows a message if measures are left out.

    Returns:
        Columns run, group, seed, kind, dimension, outcome, meaning and value. A variable counts with its mean over the
        steps, one of residents also over those who are there.
    """
    rows: list[dict[str, object]] = []
    with Embedders(say) as embedders:
        for _, row in finished.iterrows():
            own = {key: row[key] for key in ("run", GROUP, "seed")}
            found = read_run(directory.runs_path / str(row["run"]))
            measured = embedders.measured(found, since=at)
            society = measured[(measured["level"] == "society") & measured["measure"].isin(measures)]
            rows += [
                {
                    **own,
                    "kind": MEASURE,
                    "dimension": MEASURES[name].dimension,
                    "outcome": name,
                    "meaning": MEASURES[name].meaning,
                    "value": value,
                }
                for name, value in zip(society["measure"], society["value"], strict=True)
            ]
            numbers = variables_of_run(RunDirectory(found.path), at).groupby("quantity")["value"].mean()
            rows += [
                {
                    **own,
                    "kind": VARIABLE,
                    "dimension": "variables of the world",
                    "outcome": name,
                    "meaning": describe(str(name)),
                    "value": value,
                }
                for name, value in numbers.items()
            ]
    columns = ["run", GROUP, "seed", "kind", "dimension", "outcome", "meaning", "value"]
    return pd.DataFrame(rows, columns=columns).dropna(subset=["value"])


def values_by_step(directory: SweepDirectory, finished: pd.DataFrame, at: int) -> pd.DataFrame:
    """Compute the quantities of a sweep's figure, and every variable, at each time step of finished runs.

    Returns:
        Columns run, group, seed, time, quantity and value.
    """
    tables = []
    for _, row in finished.iterrows():
        run = directory.runs_path / str(row["run"])
        drawn = curves_of_run(actions(read_run(run).records))
        own = pd.concat([drawn[drawn["time"] >= at], variables_of_run(RunDirectory(run), at)], ignore_index=True)
        for position, column in enumerate(("run", GROUP, "seed")):
            own.insert(position, column, row[column])
        tables.append(own)
    columns = ["run", GROUP, "seed", "time", "quantity", "value"]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=columns)


def variables_of_run(directory: RunDirectory, at: int) -> pd.DataFrame:
    """Return the variables of a run's world by time step: ``world.NAME``, and NAME as the mean over residents."""
    rows = [row for row in directory.metrics() if row["quantity"] not in OWN and int(row["time"]) >= at]
    table = pd.DataFrame(rows, columns=["time", "subject", "quantity", "value"])
    table = table.astype({"time": "int64", "value": "float64"})
    whole = table["subject"] == WORLD
    table["quantity"] = table["quantity"].where(~whole, WORLD + "." + table["quantity"].astype(str))
    return table.groupby(["quantity", "time"], sort=False)["value"].mean().reset_index()[["time", "quantity", "value"]]


def describe(variable: str) -> str:
    """Return what the number of a variable is."""
    return "of the world, mean over steps" if variable.startswith(f"{WORLD}.") else f"{RESIDENTS} and steps"
