"""Python interface of convoy.

Names are imported when they are first used, so a model that only needs NumPy imports nothing else.
"""
import importlib
from typing import TYPE_CHECKING

from .version import version as __version__

if TYPE_CHECKING:
    from .calls import Advice, Experiment, Ranking, advise, list, run, sim
    from .errors import Error
    from .files import Run, Trace, open
    from .frame import Frame
    from .problem import Batch, Problem
    from .torch_model import torch_problem

# Name -> module of the package that defines it.
_where = {
    "sim": "calls",
    "run": "calls",
    "advise": "calls",
    "list": "calls",
    "Experiment": "calls",
    "Advice": "calls",
    "Ranking": "calls",
    "open": "files",
    "Run": "files",
    "Trace": "files",
    "Error": "errors",
    "Frame": "frame",
    "Problem": "problem",
    "Batch": "problem",
    "torch_problem": "torch_model",
}

# "import *" must not replace functions of Python.
__all__ = sorted(set(_where) - {"list", "open"})


def __getattr__(name):
    if name not in _where:
        calls = ", ".join(known for known in _where if known.islower())
        raise AttributeError(f"module {__name__!r} has no attribute {name!r} (it has {calls}; a command "
                             "without a function, such as 'convoy tune', runs in a terminal)")
    try:
        value = getattr(importlib.import_module("." + _where[name], __name__), name)
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "torch"):
            raise
        raise ModuleNotFoundError(
            f"convoy.{name} needs {error.name}, which this Python does not have: install it, such as "
            f"by 'pip install {error.name}'", name=error.name) from None
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_where))
