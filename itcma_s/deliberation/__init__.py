"""Where a mind decides: one protocol, and the ways to implement it."""
