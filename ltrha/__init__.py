"""LTRHA: locale and topic, resources, habitus and action (section 4 of the paper)."""
