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
from evaluation.social import SocialStructure, social_structure
from evaluation.social.drawing import network
from evaluation.social.hypotheses import NULLS
from language_models.protocol import Embedder

SEED = 0
"""Seed of the null models in a report, so that the same records give the same page."""


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
    structure = social_structure(frame, seed=SEED)
    return SocietySection(
        measures=measure(frame, embedder),
        structure=structure,
        network=network(structure),
        talk=tuple(talk_counts(talk_cases(frame, embedder))),
        notes=tuple(notes),
    )


def shown(section: SocietySection) -> Mapping[str, Any]:
    """Return the section as data for its template."""
    table, structure = section.measures, section.structure
    residents = [str(name) for name in structure.residents.index]
    rows = []
    for name in dict.fromkeys(table.loc[table["level"] != "place", "measure"]):
        own = table[table["measure"] == name]
        by_subject = own[own["level"] == "resident"].set_index("subject")["value"]
        society = own.loc[own["level"] == "society", "value"].iloc[0]
        values = [by_subject.get(resident) for resident in residents]
        rows.append({"measure": MEASURES[name], "society": society, "values": values})
    return {
        "residents": residents,
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
