"""Studies with this project: what to run, and its results beside the paper's."""
