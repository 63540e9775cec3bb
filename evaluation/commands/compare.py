"""``irollan report RUN OTHER``: two runs side by side."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from evaluation.commands.errors import complain


def report_on_both(run: Path, other: Path, as_json: bool) -> int:
    """Say where two runs part, and write the page that shows it.

    Args:
        run: The directory of a run.
        other: That of another, where the page is left.
        as_json: Print the answer as JSON.

    Returns:
        The exit status.
    """
    from evaluation.records.run_directory import RunDirectory
    from evaluation.report.comparison import compare, in_words, write_comparison

    try:
        comparison = compare(RunDirectory(run), RunDirectory(other))
        path = write_comparison(comparison, RunDirectory(other).comparison_path)
    except (ValueError, OSError) as error:
        return complain(str(error), 2 if isinstance(error, ValueError) else 1)
    if as_json:
        print(json.dumps({**asdict(comparison), "report": str(path)}, ensure_ascii=False))
    else:
        print(in_words(comparison))
        print(path)
    return 0
