"""The company that scenarios keep: residents by rule, each by a profile whose checksum scenarios state."""
