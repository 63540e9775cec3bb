"""How a large language model leads a mind: one request a step, with all that the mechanisms computed."""
