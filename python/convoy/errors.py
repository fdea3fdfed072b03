"""The exception that every call of the package raises."""
from __future__ import annotations

from typing import Any, Sequence


class Error(Exception):
    """A call that failed, with the program's own message.

    Attributes
    ----------
    code : int or None
        Exit code of the program; None if it was not started.
    command : list of str
        The command line; empty if the program was not started.
    result : object
        Where some runs of several failed: the result of those that did not, else None.
    """

    def __init__(self, message: str, code: int | None = None, command: Sequence[str] = (),
                 result: Any = None):
        super().__init__(message)
        self.code = code
        self.command = list(command)
        self.result = result
