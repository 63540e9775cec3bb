"""The page of a questionnaire's answers, and the folder of its tables."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from evaluation.html_theme.svg import inline_svg
from evaluation.html_theme.templates import templates
from evaluation.interviews import survey_plots
from evaluation.interviews.questionnaire import Free, Item, Questionnaire
from evaluation.interviews.survey_tables import SurveyTables
from evaluation.records.csv_cells import table_to_csv
from evaluation.records.directories import DirectoryError
from evaluation.records.files import check_no_link, write_atomically
from evaluation.records.manifest_file import load_object
from evaluation.records.numbers import number, row_dicts

PAGE, TRANSCRIPT, MANIFEST = "report.html", "transcript.sqlite", "questionnaire.json"
_TITLE = "Scores of residents over time, with the mean of all"


def begin_folder(out: Path, run: Path, model: str, questionnaire: Questionnaire) -> None:
    """Make the folder of a questionnaire, or check that it is one whose missing answers can be asked.

    Args:
        out: The folder.
        run: The run that is asked.
        model: Name of the model that answers.
        questionnaire: What is asked.

    Raises:
        DirectoryError: if it holds something else, such as the answers of another model.
        OSError: if it cannot be written.
    """
    asked = {"run": str(run.resolve()), "model": model, "questionnaire": questionnaire.model_dump(by_alias=True)}
    check_no_link(out / TRANSCRIPT)
    if (out / MANIFEST).is_file():
        before = load_object(out / MANIFEST)
        if other := [key for key in asked if before.get(key) != asked[key]]:
            raise DirectoryError(f"{out} has the answers of another {' and '.join(other)}; give another --out")
        return
    if out.is_dir() and any(out.iterdir()):
        raise DirectoryError(f"{out} is not empty, and holds no answers to a questionnaire; give another --out")
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / MANIFEST, json.dumps(asked, indent=1, ensure_ascii=False).encode() + b"\n")


def write_folder(tables: SurveyTables, out: Path) -> None:
    """Write the tables as CSV files, and the page.

    Args:
        tables: The answers.
        out: As ``begin_folder`` left it.

    Raises:
        OSError: if a file cannot be written.
    """
    for name in ("answers", "scores", "means", "reliability"):
        write_atomically(out / f"{name}.csv", table_to_csv(getattr(tables, name)).encode())
    write_atomically(out / PAGE, render_page(tables).encode())


def render_page(tables: SurveyTables) -> str:
    """Render the page as HTML, with all text from files and models escaped."""
    environment = templates("evaluation.interviews")
    environment.filters["number"] = number
    asked, scaled = tables.questionnaire, bool(tables.questionnaire.scales)
    last = tables.scores[tables.scores["time"] == tables.scores["time"].max()]
    shown = tables.survey.residents[: survey_plots.MOST_SHOWN]
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
        scores=row_dicts(last[last["resident"].isin(shown)]),
        left_out=len(tables.survey.residents) - len(shown),
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
        return {"item": item, "said": rows[: survey_plots.MOST_SHOWN], "of": len(rows)}
    places = {one: place for place, one in enumerate(item.answers)}
    counts = {time: Counter(texts) for time, texts in own.groupby("time")["text"]}
    # An answer with a resident's name in it is counted by its own text.
    answers = sorted(
        {text for count in counts.values() for text in count} | set(places), key=lambda one: places.get(one, -1)
    )
    return {"item": item, "counts": counts, "answers": answers}
