"""Human rating studies (section 5.2): blinded packets of finished runs, a web application, the table of ratings.

``prepare`` makes a study from runs, ``export`` reads its ratings; ``irollan rate serve`` serves it to raters.
The rubric is data, rubric.toml.
"""

from evaluation.rating.export import Export, export
from evaluation.rating.packets import Plan, prepare
from evaluation.rating.participation import Terms
from evaluation.rating.study import RatingError, Study

__all__ = ["Export", "Plan", "RatingError", "Study", "Terms", "export", "prepare"]
