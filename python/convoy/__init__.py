"""Python interface of convoy.

Names are imported when they are first used, so a model that only needs NumPy imports nothing else.
"""
import importlib

# Name -> module of the package that defines it.
_where = {
    "Problem": "problem",
    "Batch": "problem",
    "torch_problem": "torch_problem",
}

__all__ = sorted(_where)


def __getattr__(name):
    if name not in _where:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("." + _where[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | set(_where))
