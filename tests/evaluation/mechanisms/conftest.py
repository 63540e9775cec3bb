"""One run and its measurement, shared by all tests of mechanisms.

The measurement takes about 6 s: each of 66 decisions is made again without each mechanism, and with another moment's.
"""

import pytest
from lived_runs import LEAST_ACTIONS, Silent, lived

from evaluation.mechanisms.measuring import measure
from itcma_s.ablation.mechanisms import MECHANISMS


@pytest.fixture(scope="package")
def run(tmp_path_factory):
    return lived(tmp_path_factory.mktemp("mechanisms") / "run", steps=11)


@pytest.fixture(scope="package")
def measured(run):
    return measure(run, Silent(), with_terms=True, only=[*LEAST_ACTIONS, *(one.name for one in MECHANISMS)])
