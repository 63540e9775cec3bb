"""Social network analysis of a run, tested against null models.

    from evaluation.social import social_structure

    structure = social_structure("runs/mine")
    structure.conclusions
    structure.tests[["value", "p"]]

docs/social.md defines the statistics and the null models.
"""

from evaluation.social.structure import SocialStructure, social_structure

__all__ = ["SocialStructure", "social_structure"]
