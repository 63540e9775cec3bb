"""The social structure of a run, and what of it chance does not explain; see docs/social.md."""

from evaluation.social.structure import SocialStructure, social_structure

__all__ = ["SocialStructure", "social_structure"]
