"""llama.cpp's threads give way to others while they wait."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("xllamacpp")

LOAD = """
import os
from language_models.local.llama_server import import_llama_cpp
import_llama_cpp()
print(os.environ.get("GOMP_SPINCOUNT"))
"""


@pytest.mark.parametrize(
    ("given", "spins", "left"),
    [({}, "1000", "None"), ({"GOMP_SPINCOUNT": "7"}, "7", "7"), ({"OMP_WAIT_POLICY": "passive"}, "0", "None")],
)
def test_threads_spin_briefly_unless_the_environment_says_how_they_wait(given, spins, left):
    kept = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    environment = {**kept, "OMP_DISPLAY_ENV": "verbose", "PYTHONPATH": os.pathsep.join(sys.path), **given}
    loaded = subprocess.run([sys.executable, "-c", LOAD], env=environment, capture_output=True, text=True, check=True)
    if "GOMP_SPINCOUNT" not in loaded.stderr:
        pytest.skip("llama.cpp was built without libgomp")
    assert f"GOMP_SPINCOUNT = '{spins}'" in loaded.stderr
    assert loaded.stdout.strip() == left
