"""Benchmarks of the project's own speed and correctness; ``python -m benchmarks`` lists them.

``valley`` measures irollan_env, ``mind`` itcma_s, ``models`` language_models and the runs that ask them, ``analysis``
evaluation. Each benchmark is in the file of its name. Only tests import this package, and it is not
shipped.
"""
