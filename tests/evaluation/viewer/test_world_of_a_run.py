"""What a world's mechanics did, in the viewer and in the report: needs, variables, changes, residents who are away."""

import pytest
from synthetic_run import synthetic_run

from evaluation.commands.cli import main
from evaluation.records.run_directory import RunDirectory
from evaluation.report import run_report
from evaluation.report.figures import all_figures
from evaluation.runs.progress import NoProgress
from evaluation.viewer.run_pages import write_pages


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    path = tmp_path_factory.mktemp("town") / "run"
    options = ["--model", "scripted", "--steps", "6", "--world", "town_rules:TownRules"]
    assert main(["run", *options, "--out", str(path)]) == 0
    directory = RunDirectory(path)
    with pytest.MonkeyPatch.context() as patch:
        # The one that writes, where tests before had none written.
        patch.setattr(run_report, "write_report", getattr(run_report.write_report, "real", run_report.write_report))
        assert write_pages(directory, NoProgress()) is not None
    return directory


def test_the_report_draws_numbers_and_lists_changes(town):
    page = town.report_path.read_text()
    for told in ('class="needs"', 'class="variables"', "town crier to everybody: The tax is", "<i>hunger</i>0.3"):
        assert told in page
    assert "WL moved from away to AY&#39;s Home (arrived)" in page
    assert "You are not here." not in page
    assert (town.figures_path / "needs.png").is_file()


def test_a_run_without_mechanics_has_neither():
    assert not {"needs", "variables"} & all_figures(*synthetic_run(steps=2)[:2]).keys()


def test_the_viewer_lists_changes_draws_numbers_and_hides_who_is_away(open_page, town):
    page = open_page(town.view_path.as_uri() + "#step=2")
    assert "WL moved from away to AY's Home (arrived)" in page.locator("#panel .changes").inner_text()
    assert page.locator(".people .absent").count() == 0
    page = open_page(town.view_path.as_uri() + "#step=5&tab=society")
    assert page.locator(".people .absent").count() == 1
    titles = page.locator("#panel figcaption").all_inner_texts()
    assert {"hunger", "paid", "tax"} <= {title.splitlines()[0] for title in titles}
    assert "[object" not in page.locator("#panel").inner_text()
    page = open_page(town.view_path.as_uri() + "#step=5&who=SG&tab=resident")
    assert "away" in page.locator("#panel .where").inner_text()
