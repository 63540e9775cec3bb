"""Human ratings (section 5.2): blinded packets of finished runs, the application raters use, and the table they give.

``prepare`` in packets.py makes a study, ``create_app`` in application.py serves it, export.py reads
what came of it. The rubric is data, rubric.toml.
"""
