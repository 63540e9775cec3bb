"""A run to look at, follow and question: one page, and what serves it while the run goes on."""
