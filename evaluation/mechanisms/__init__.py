"""Effect of each mechanism on decisions, measured by repeating recorded decisions with it removed or replaced."""
