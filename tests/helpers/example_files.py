"""Programs of the folder examples/, as modules."""

import importlib.util
import sys

from project import EXAMPLES


def load_example(name):
    """The program of this name."""
    specification = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module
