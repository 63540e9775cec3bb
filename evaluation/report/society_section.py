"""The report's section on the society as a whole: its measures and social structure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from evaluation.measures import MEASURES, actions, measure
from evaluation.measures.talk.talk import TalkCount, talk_cases, talk_counts
from evaluation.report.crowd_figures import MOST_DRAWN
from evaluation.social import SocialStructure, social_structure
from evaluation.social.drawing import network
from evaluation.social.hypotheses import NULLS
from evaluation.social.structure import PERMUTATIONS
from language_models.protocol import Embedder

SEED = 0
"""Seed of the null models in a report, so that the same records give the same page."""

_FEWER = ((60, PERMUTATIONS), (300, 199), (10_000, 99))
"""Up to how many residents a report draws how many samples: a sample of many takes long, and much memory."""


@dataclass(frozen=True, kw_only=True)
class SocietySection:
    """The measures and the social structure of a run.

    Attributes:
        measures: The table that ``evaluation.measures.measure`` returns.
        structure: Social structure of the run.
        network: Figure of its network.
        talk: Counts of kinds of talk and their outcomes.
        notes: Caveats for the reader.
    """

    measures: pd.DataFrame
    structure: SocialStructure
    network: Figure
    talk: tuple[TalkCount, ...] = ()
    notes: tuple[str, ...] = ()


def society_section(records: list[dict[str, Any]], embedder: Embedder | None) -> SocietySection | None:
    """Measure a run and find its social structure.

    Args:
        records: Records of the run.
        embedder: Embedder of the run; None leaves out the measures that need it and adds a note.

    Returns:
        The section; None if no time step is complete.
    """
    if not records:
        return None
    frame = actions(records)
    notes = []
    if embedder is None:
        absent = ", ".join(one.name for one in MEASURES.values() if one.embedder)
        notes.append(f"The run's embedder is not here, so that {absent} are left out.")
    structure = social_structure(frame, seed=SEED, permutations=permutations_for(frame["resident"].nunique()))
    cases = talk_cases(frame, embedder)
    return SocietySection(
        measures=measure(frame, embedder, cases),
        structure=structure,
        network=network(structure),
        talk=tuple(talk_counts(cases)),
        notes=tuple(notes),
    )


def permutations_for(residents: int) -> int:
    """Return how many samples of each null model a report draws; ``irollan social`` draws as many as one asks for."""
    return next(samples for most, samples in _FEWER if residents <= most)


def shown(section: SocietySection) -> Mapping[str, Any]:
    """Return the section as data for its template."""
    table, structure = section.measures, section.structure
    residents = [str(name) for name in structure.residents.index]
    crowd = len(residents) > MOST_DRAWN
    rows = []
    for name in dict.fromkeys(table.loc[table["level"] != "place", "measure"]):
        own = table[table["measure"] == name]
        by_subject = own[own["level"] == "resident"].set_index("subject")["value"]
        society = own.loc[own["level"] == "society", "value"].iloc[0]
        values = [by_subject.get(resident) for resident in residents]
        spread = _spread(by_subject) if crowd else []
        rows.append(
            {"measure": MEASURES[name], "society": society, "values": [] if crowd else values, "spread": spread}
        )
    return {
        "residents": [] if crowd else residents,
        "dimensions": [(name, list(group)) for name, group in groupby(rows, key=lambda row: row["measure"].dimension)],
        "conclusions": structure.conclusions,
        "tests": structure.tests.to_dict(orient="records"),
        "standing": structure.residents.rename_axis("name").reset_index().to_dict(orient="records"),
        "cliques": structure.cliques.to_dict(orient="records"),
        "talk": section.talk,
        "nulls": NULLS,
        "permutations": structure.permutations,
        "alpha": structure.alpha,
        "leader": structure.leader,
        "notes": section.notes,
    }


def _spread(values: pd.Series[float]) -> list[tuple[float | None, str]]:
    """Return the lowest, the median and the highest value, the two ends with whose they are."""
    known = values.dropna()
    if known.empty:
        return [(None, "")] * 3
    ends = known.sort_values(kind="stable").iloc[[0, -1]]
    (low, lowest), (high, highest) = zip(ends.to_list(), map(str, ends.index), strict=True)
    return [(low, lowest), (float(known.median()), ""), (high, highest)]
