"""Shows how far the program is: a line in a terminal, a bar in a notebook."""
from __future__ import annotations

import html
import re
import shutil
import sys
import time
from typing import Any

# The program redraws its line by this, in a terminal.
_redraw = b"\r\033[K"


def _notebook() -> Any:
    """IPython's display function within a kernel, else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    return display


class Progress:
    """What the program says on standard error, split into progress and lines.

    Attributes
    ----------
    lines : list of str
        The lines so far: notes and errors.
    moves : bool
        True if progress can be redrawn.
    """

    def __init__(self, title: str, quiet: bool):
        self.lines: list[str] = []
        self._title, self._quiet = title, quiet
        self._rest = b""
        self._drawn = False
        self._hidden = False            # the lines until the next one with a prefix
        self._last = ("", 0.0)          # the text that was drawn, and when
        self._handle: Any = None
        self._display = None if quiet else _notebook()
        try:
            terminal = bool(sys.stderr and sys.stderr.isatty())
        except (AttributeError, ValueError):
            terminal = False
        self.moves = not quiet and (terminal or self._display is not None)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *reason: Any) -> None:
        self._clear()

    def feed(self, said: bytes) -> None:
        """Take bytes that the program wrote."""
        self._rest += said
        while True:
            ends = [at for at in (self._rest.find(b"\n"), self._rest.find(b"\r", 1)) if at >= 0]
            if not ends:
                break
            end = min(ends)
            piece, after = self._rest[:end], self._rest[end:]
            self._rest = after[1:] if after[:1] == b"\n" else after
            self._piece(piece, after[:1] == b"\n")
        if self._rest.startswith(_redraw) and b" left" in self._rest:
            self._draw(self._rest[len(_redraw):].decode("utf-8", "replace"))

    def finish(self) -> None:
        """Take what is left as the last line."""
        self._piece(self._rest, True)
        self._rest = b""

    def _piece(self, piece: bytes, whole: bool) -> None:
        piece = piece[len(_redraw):] if piece.startswith(_redraw) else piece.strip(b"\r")
        text = piece.decode("utf-8", "replace")
        if not text.strip():
            return
        if not whole:
            self._draw(text)
            return
        self.lines.append(text)
        # An error is the exception's message, and a usage is of the command line. Lines of other
        # origin are what a model prints.
        if text.startswith(("convoy: ", "usage: ")):
            self._hidden = text.startswith(("convoy: error: ", "usage: "))
        if not self._hidden and (not self._quiet or text.startswith("convoy: warning: ")):
            self._clear()
            print(text, file=sys.stderr, flush=True)

    def _draw(self, text: str) -> None:
        share = re.search(r"(\d+) %,? ?", text)
        now = time.monotonic()
        if not self.moves or not share or text == self._last[0] or now - self._last[1] < 0.15:
            return
        self._last = (text, now)
        percent = min(100, int(share.group(1)))
        rest = text[:share.start()] + text[share.end():]
        if self._display is not None:
            bar = _Bar(self._title, percent, rest)
            if self._handle is None:
                self._handle = self._display(bar, display_id=True)
            else:
                self._handle.update(bar)
            return
        full = percent // 5
        line = f"{self._title}: {percent:3d}%|{'#' * full}{' ' * (20 - full)}| {rest}"
        width = shutil.get_terminal_size().columns - 1
        print("\r\033[K" + line[:width], end="", file=sys.stderr, flush=True)
        self._drawn = True

    def _clear(self) -> None:
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
            self._drawn = False
        if self._handle is not None:
            self._handle.update(_Bar(self._title, None, ""))
            self._handle = None


class _Bar:
    """A bar that notebooks show; without a percentage it is empty."""

    def __init__(self, title: str, percent: int | None, text: str):
        self._title, self._percent, self._text = title, percent, text

    def __repr__(self) -> str:
        return "" if self._percent is None else f"{self._title}: {self._percent} % {self._text}"

    def _repr_html_(self) -> str:
        if self._percent is None:
            return ""
        return (f"<div>{html.escape(self._title)} <progress value='{self._percent}' max='100'>"
                f"</progress> {self._percent} % {html.escape(self._text)}</div>")
