"""Scenarios: initial states, company, and outcomes computed from the world's ledger."""
