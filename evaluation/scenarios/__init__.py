"""Scenarios: how things stand at the beginning, who is there, and what the world's ledger says of the end."""
