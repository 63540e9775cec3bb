"""The valley as Gymnasium and PettingZoo environments, and wrappers for learners."""
