"""Transcripts, which record every model call of a run and replay it without the model."""
