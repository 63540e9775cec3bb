"""Rule-based residents for scenarios, each with a profile whose checksum the scenario states."""
