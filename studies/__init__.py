"""Studies with this project: what is run, and what became of it beside what the paper found."""
