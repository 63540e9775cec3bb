"""LLM-as-judge: a language model that reads the raters' stories and answers the same questions."""

from evaluation.judging.judge import Judgement, judge
from evaluation.judging.session import JudgingSession, judge_runs
from evaluation.judging.trajectories import Trajectory, read_trajectories

__all__ = ["Judgement", "JudgingSession", "Trajectory", "judge", "judge_runs", "read_trajectories"]
