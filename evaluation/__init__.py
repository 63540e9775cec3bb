"""Runs of societies: configure, run, read, compare and measure them.

    import evaluation

    config = evaluation.RunConfig(steps=20, seed=3, model=evaluation.ModelConfig(name="scripted"))
    run = evaluation.run(config, "runs/mine")
    run.metrics.query("quantity == 'driver'").pivot(index="time", columns="subject", values="value").plot()

A configuration has parts (``ModelConfig``, ``MindConfig``, ``LTRHAConfig``, ``WorldConfig``, ``RecordingConfig``,
``LimitsConfig``), or is made from keys by path: ``RunConfig.from_keys({"ltrha.rank_by": "company"})``. ``run`` and
``load_run`` give a ``Run`` with pandas frames; ``run_society`` takes a ``Society`` of your own; ``sweep`` runs many;
``effect`` runs pairs with and without events.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluation.ability.submissions import submission
    from evaluation.ability.task_protocol import play
    from evaluation.api import Run, ask, effect, load_run, measure, run, run_society, sweep
    from evaluation.effects import EffectResult
    from evaluation.measures.data_frames import actions
    from evaluation.measures.turns import turns
    from evaluation.models.errors import RunError
    from evaluation.report.curves import plot_driver, plot_emotion, plot_resources
    from evaluation.runs.build_society import build_society
    from evaluation.runs.config_parts import (
        Deliberation,
        Elimination,
        ExecutionDraw,
        LimitsConfig,
        LTRHAConfig,
        MindConfig,
        ModelConfig,
        OnFailure,
        RankScope,
        RecordingConfig,
        Scheduling,
        Serving,
        WorldConfig,
    )
    from evaluation.runs.presets import Preset
    from evaluation.runs.replay import ReplayError
    from evaluation.runs.run_config import RunConfig
    from evaluation.runs.society import Society, Step
    from evaluation.social import SocialStructure, social_structure
    from evaluation.social.drawing import network as plot_network
    from evaluation.statistics import Anova, alpha, anova, check_ratings, icc, paper_table, power
    from evaluation.statistics.plots import assumptions as plot_assumptions
    from evaluation.statistics.plots import means as plot_rating_means
    from evaluation.sweeps import SweepResult
    from evaluation.sweeps.comparison import compare_measures
    from evaluation.sweeps.curves import bands as sweep_bands
    from evaluation.sweeps.curves import curves as sweep_curves
    from evaluation.sweeps.findings import findings as sweep_findings
    from evaluation.sweeps.plots import curves as plot_sweep
    from evaluation.viewer.notebook import show_run
    from itcma_s.deliberation.channel_in_words import PromptDetail
    from ltrha import Draws, RankBy, ResourceMode, StandingDecides

_PARTS = (
    "Deliberation",
    "Draws",
    "Elimination",
    "ExecutionDraw",
    "LTRHAConfig",
    "LimitsConfig",
    "MindConfig",
    "ModelConfig",
    "OnFailure",
    "PromptDetail",
    "RankBy",
    "RankScope",
    "RecordingConfig",
    "ResourceMode",
    "Scheduling",
    "Serving",
    "StandingDecides",
    "WorldConfig",
)
_HOME = {
    **dict.fromkeys(_PARTS, "evaluation.runs.config_parts"),
    **dict.fromkeys(("Run", "ask", "effect", "run_society", "load_run", "measure", "run", "sweep"), "evaluation.api"),
    **dict.fromkeys(("plot_driver", "plot_emotion", "plot_resources"), "evaluation.report.curves"),
    **dict.fromkeys(("Society", "Step"), "evaluation.runs.society"),
    **dict.fromkeys(("SocialStructure", "social_structure"), "evaluation.social"),
    **dict.fromkeys(
        ("Anova", "alpha", "anova", "check_ratings", "icc", "paper_table", "power"), "evaluation.statistics"
    ),
    "actions": "evaluation.measures.data_frames",
    "compare_measures": "evaluation.sweeps.comparison",
    "play": "evaluation.ability.task_protocol",
    "Preset": "evaluation.runs.presets",
    "ReplayError": "evaluation.runs.replay",
    "RunConfig": "evaluation.runs.run_config",
    "RunError": "evaluation.models.errors",
    "EffectResult": "evaluation.effects",
    "SweepResult": "evaluation.sweeps",
    "build_society": "evaluation.runs.build_society",
    "plot_assumptions": "evaluation.statistics.plots:assumptions",
    "plot_network": "evaluation.social.drawing:network",
    "plot_rating_means": "evaluation.statistics.plots:means",
    "plot_sweep": "evaluation.sweeps.plots:curves",
    "show_run": "evaluation.viewer.notebook",
    "submission": "evaluation.ability.submissions",
    "sweep_bands": "evaluation.sweeps.curves:bands",
    "sweep_curves": "evaluation.sweeps.curves:curves",
    "sweep_findings": "evaluation.sweeps.findings:findings",
    "turns": "evaluation.measures.turns",
}
"""Name -> its module, and its name there where it has another; imported when it is first used."""

__all__ = [
    "Anova",
    "Deliberation",
    "Draws",
    "EffectResult",
    "Elimination",
    "ExecutionDraw",
    "LTRHAConfig",
    "LimitsConfig",
    "MindConfig",
    "ModelConfig",
    "OnFailure",
    "Preset",
    "PromptDetail",
    "RankBy",
    "RankScope",
    "RecordingConfig",
    "ReplayError",
    "ResourceMode",
    "Run",
    "RunConfig",
    "RunError",
    "Scheduling",
    "Serving",
    "SocialStructure",
    "Society",
    "StandingDecides",
    "Step",
    "SweepResult",
    "WorldConfig",
    "actions",
    "alpha",
    "anova",
    "ask",
    "build_society",
    "check_ratings",
    "compare_measures",
    "effect",
    "icc",
    "load_run",
    "measure",
    "paper_table",
    "play",
    "plot_assumptions",
    "plot_driver",
    "plot_emotion",
    "plot_network",
    "plot_rating_means",
    "plot_resources",
    "plot_sweep",
    "power",
    "run",
    "run_society",
    "show_run",
    "social_structure",
    "submission",
    "sweep",
    "sweep_bands",
    "sweep_curves",
    "sweep_findings",
    "turns",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'evaluation' has no attribute {name!r}")
    module, _, there = _HOME[name].partition(":")
    return getattr(import_module(module), there or name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
