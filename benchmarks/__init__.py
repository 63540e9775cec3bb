"""How fast and how well the project itself works: ``python -m benchmarks`` lists what can be measured.

``valley`` measures irollan_env, ``mind`` itcma_s, ``models`` language_models and the runs that ask them, ``analysis``
evaluation. A benchmark lies in the file that bears its name. Nothing imports this package but tests, and it is not
shipped.
"""
