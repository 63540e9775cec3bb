"""The page of a questionnaire's answers, and the folder of its tables."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from evaluation.html_theme.svg import inline_svg
from evaluation.html_theme.templates import templates
from evaluation.interviews import survey_plots
from evaluation.interviews.questionnaire import Free, Item
from evaluation.interviews.survey_tables import SurveyTables
from evaluation.records.csv_cells import table_to_csv
from evaluation.records.files import write_atomically
from evaluation.records.numbers import row_dicts

PAGE, TRANSCRIPT, MANIFEST = "report.html", "transcript.sqlite", "questionnaire.json"
_TITLE = "Scores of residents over time, with the mean of all"
_MOST_FREE = 60
"""Most answers in words to an item that the page shows."""


def write_folder(tables: SurveyTables, out: Path) -> Path:
    """Write the tables as CSV files, what was asked as JSON, and the page, and return the page's path.

    Raises:
        OSError: if a file cannot be written.
    """
    for name in ("answers", "scores", "means", "reliability"):
        write_atomically(out / f"{name}.csv", table_to_csv(getattr(tables, name)).encode())
    data = {
        "run": tables.run,
        "model": tables.survey.model,
        "residents": tables.survey.residents,
        "skipped": tables.survey.skipped,
        "questionnaire": tables.questionnaire.model_dump(by_alias=True),
    }
    write_atomically(out / MANIFEST, json.dumps(data, indent=1, ensure_ascii=False).encode() + b"\n")
    write_atomically(out / PAGE, render_page(tables).encode())
    return out / PAGE


def render_page(tables: SurveyTables) -> str:
    """Render the page as HTML, with all text from files and models escaped."""
    environment = templates("evaluation.interviews")
    environment.filters["number"] = _number
    asked, scaled = tables.questionnaire, bool(tables.questionnaire.scales)
    return environment.get_template("survey.html").render(
        asked=asked,
        facts=_facts(tables),
        missing=row_dicts(tables.missing),
        figures=[
            inline_svg(survey_plots.scales(tables, narrow=narrow), f"scales{narrow:d}", _TITLE)
            for narrow in (False, True)
            if scaled
        ],
        means=row_dicts(tables.scales),
        scores=row_dicts(tables.scores[tables.scores["time"] == tables.scores["time"].max()]),
        items=[_item(tables, item) for item in asked.items],
    )


def _facts(tables: SurveyTables) -> list[tuple[str, str]]:
    survey, times = tables.survey, sorted(tables.answers["time"].unique())
    facts = [
        ("Run", Path(tables.run).name),
        ("Answered by", survey.model),
        ("Residents", f"{len(survey.residents):,}"),
        ("Items", f"{len(tables.questionnaire.items):,}"),
        (
            "After steps",
            ", ".join(map(str, times)) if len(times) < 8 else f"{times[0]} to {times[-1]}, {len(times)} times",
        ),
        ("Answers", tables.described()),
    ]
    return [*facts, ("Not asked", ", ".join(survey.skipped))] if survey.skipped else facts


def _item(tables: SurveyTables, item: Item) -> dict[str, Any]:
    """Collect what the page says of an item: how often each answer was given at each time, or answers in words."""
    own = tables.answers[(tables.answers["item"] == item.id) & (tables.answers["text"] != "")]
    if isinstance(item, Free):
        rows = row_dicts(own[["time", "resident", "text"]])
        return {"item": item, "said": rows[:_MOST_FREE], "of": len(rows)}
    places = {one: place for place, one in enumerate(item.answers)}
    counts = {time: Counter(texts) for time, texts in own.groupby("time")["text"]}
    # An answer with a resident's name in it is counted by its own text.
    answers = sorted(
        {text for count in counts.values() for text in count} | set(places), key=lambda one: places.get(one, -1)
    )
    return {"item": item, "counts": counts, "answers": answers}


def _number(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.2f}".replace("-", "−")
