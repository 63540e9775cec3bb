"""From residents to runs, reports and findings (section 5 of the paper)."""
