"""Identities of residents, written by rule or by a model."""
