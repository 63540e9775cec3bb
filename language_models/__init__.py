"""Language models behind one small protocol: generate, choose, score."""
