"""How fast the valley is, and how hard its tasks are."""
