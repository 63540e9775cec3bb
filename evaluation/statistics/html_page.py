"""Self-contained HTML report of ratings: findings, their uncertainty, and the data behind them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from evaluation.html_theme.svg import inline_svg
from evaluation.html_theme.templates import templates
from evaluation.rating.rating_scale import JUDGE
from evaluation.records.files import write_atomically
from evaluation.records.numbers import number, row_dicts
from evaluation.statistics import plots, wording
from evaluation.statistics.omnibus import ALPHA
from evaluation.statistics.ratings_file import Ratings
from evaluation.statistics.result import Result

_MEANS = "Mean rating of each architecture in each dimension"
_WIDTHS = {"": False, "-narrow": True}
"""Suffix of a figure's name, and whether the figure is narrow."""
LIBRARIES = ("scipy", "statsmodels", "pingouin", "krippendorff", "pandas")


def write_page(results: Sequence[Result], path: str | Path, *, source: str, ratings: Ratings | None = None) -> Path:
    """Write the report of an analysis as one self-contained HTML file.

    Args:
        results: Results of all dimensions, at least one.
        path: The file to write, in an existing folder.
        source: Name of the data, for the title.
        ratings: The ratings analysed, for the list of those left out and for the comments.

    Returns:
        The path.

    Raises:
        OSError: if it cannot be written; no partial file remains.
    """
    target = Path(path)
    page = render_page(results, source=source, ratings=ratings)
    write_atomically(target, page.encode("utf-8"))
    return target


def render_page(results: Sequence[Result], *, source: str, ratings: Ratings | None = None) -> str:
    """Render the report as HTML, with all text from files escaped.

    Args:
        results: As for ``write_page``.
        source: As for ``write_page``.
        ratings: As for ``write_page``.
    """
    environment = templates("evaluation.statistics")
    environment.filters.update(
        against_people=wording.against_people,
        number=number,
        p=wording.p_value,
        df=wording.freedom,
        lines=wording.line_numbers,
        effect=wording.effect,
        not_found=wording.not_found,
        verdict=wording.verdict,
        spreads=wording.spreads,
        next_study=wording.next_study,
    )
    if ratings is not None:
        ratings = ratings.of(str(results[0].source))
    comments = [] if ratings is None else row_dicts(ratings.frame[ratings.frame["comment"] != ""])
    gone = {} if ratings is None else wording.left_out(results, ratings)
    return environment.get_template("anova.html").render(
        source=source,
        title="A language model's ratings" if results[0].source == JUDGE else "Human ratings",
        judged=[result for result in results if result.judge_agreement is not None],
        facts=[("Source", source), *_facts(results, ratings)],
        results=results,
        architectures=list(dict.fromkeys(name for result in results for name in result.groups["architecture"])),
        means=[
            inline_svg(plots.means(results, narrow=narrow), f"means{kind}", _MEANS) for kind, narrow in _WIDTHS.items()
        ],
        plots={
            result.dimension: [
                inline_svg(
                    plots.assumptions(result, narrow=narrow),
                    f"plot{index}{kind}",
                    f"Ratings, spread and residuals of {result.dimension}",
                )
                for kind, narrow in _WIDTHS.items()
            ]
            for index, result in enumerate(results)
            if result.ratings is not None
        },
        names=wording.TEST_NAMES,
        signs=wording.SIGNS,
        sentence=wording.sentence,
        rank_test=wording.rank_test,
        plain_titles=wording.PLAIN_TITLE,
        cells={
            result.dimension: {row["architecture"]: row for row in row_dicts(result.lead.means)} for result in results
        },
        notes=_notes(results),
        alpha=ALPHA,
        remarks=() if ratings is None else ratings.remarks,
        left_out=gone,
        comments=comments,
        libraries=", ".join(f"{name} {version(name)}" for name in LIBRARIES),
    )


def _facts(results: Sequence[Result], ratings: Ratings | None) -> list[tuple[str, str]]:
    facts = [
        ("Architectures", str(max(len(result.groups) for result in results))),
        ("Dimensions", str(len(results))),
    ]
    if ratings is not None:
        facts += [("Rated by", wording.RATED_BY[str(results[0].source)])]
        facts += [("Raters", f"{ratings.frame['rater'].nunique():,}")]
        facts += [("Ratings", f"{sum(len(result.ratings) for result in results if result.ratings is not None):,}")]
        facts += [("Left out", f"{sum(map(len, wording.left_out(results, ratings).values())):,}")]
    return facts


def _notes(results: Sequence[Result]) -> list[tuple[str, list[str]]]:
    """Group the notes by text, each with its dimensions."""
    about: dict[str, list[str]] = {}
    for result in results:
        for note in result.notes:
            about.setdefault(note, []).append(result.dimension)
    return list(about.items())
