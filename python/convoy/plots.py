"""Draws by matplotlib; where it is missing, shows the SVG that the program draws by gnuplot."""
from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Callable

from .errors import Error


class Svg:
    """A picture that the program drew; notebooks show it.

    Attributes
    ----------
    text : str
        The SVG file's text.
    """

    def __init__(self, path: Any):
        self.text = Path(path).read_text(encoding="utf-8")

    def save(self, path: Any) -> None:
        """Write the picture to a file."""
        Path(path).write_text(self.text, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<SVG of {len(self.text)} characters; save(PATH) writes it>"


def pyplot() -> Any:
    """Return matplotlib.pyplot, or None where it is not installed."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        return None
    return plt


def _axes(ax: Any) -> Any:
    plt = pyplot() if ax is None else None
    if ax is None and plt is None:
        raise Error("drawing this needs matplotlib: pip install matplotlib")
    return ax if ax is not None else plt.subplots()[1]


def draw_columns(table: Any, x: str | None, y: Any, ax: Any = None, logx: bool = False,
                 logy: bool = False, title: str | None = None, **options: Any) -> Any:
    """Draw columns of a frame over another one, and return the axes."""
    names = [y] if isinstance(y, str) else y
    if names is None:
        names = [name for name in table.columns if name != x and table[name].dtype.kind in "if"]
    ax = _axes(ax)
    for name in names:
        ax.plot(*([table[x]] if x else []), table[name], **{"label": name, **options})
    ax.set_xlabel(_axis_text(x or "row"))
    if len(names) == 1:
        ax.set_ylabel(_axis_text(names[0]))
    if len(ax.lines) > 1:
        ax.legend()
    _scales(ax, logx, logy, title)
    return ax


def _axis_text(column: str) -> str:
    """Name of a column for an axis: seconds as unit, words apart."""
    name = column[:-2] + " [s]" if column.endswith("_s") else column
    return name.replace("_", " ")


def _scales(ax: Any, logx: bool, logy: bool, title: str | None) -> None:
    if logx:
        ax.set_xscale("log")
    if logy:
        ax.set_yscale("log")
    for axis in [ax.xaxis] * logx + [ax.yaxis] * logy:
        low, high = sorted(axis.get_view_interval())
        if 1e-4 <= low and high <= 1e4:
            _write_plain(axis)
    if title:
        ax.set_title(title)


def _write_plain(axis: Any) -> None:
    """Let a logarithmic axis say 0.3 instead of 3 x 10^-1."""
    from matplotlib.ticker import LogFormatter

    class Plain(LogFormatter):
        def __call__(self, value: float, position: Any = None) -> str:
            return f"{value:g}" if super().__call__(value, position) else ""

    axis.set_major_formatter(Plain())
    axis.set_minor_formatter(Plain())


def word_of(figure: dict[str, Any], x: Any) -> Any:
    """The word that stands at x on the axis, or x itself on an axis of numbers."""
    words = figure.get("words")
    return words[round(x)] if words else x


def _label_of(series: dict[str, Any]) -> str:
    lost = series.get("diverged")
    return f"{series['label']} ({lost} of {series['runs']} diverged)".strip() if lost else series["label"]


def draw_series(figure: dict[str, Any], ax: Any = None) -> Any:
    """Draw the data of an experiment's plot (plots/NAME.json), and return the axes.

    Published numbers are crosses of the series' colour. Later lines are thinner, so that those
    below them show.
    """
    ax = _axes(ax)
    any_published = False
    for k, series in enumerate(figure["series"]):
        points = [p for p in series["points"] if p[1] is not None]
        thick = max(3.2 - 1.0 * k, 1.2)
        line = ax.plot([p[0] for p in points], [p[1] for p in points], marker="osD^v"[k % 5],
                       linewidth=thick, markersize=3.0 + thick, label=_label_of(series))[0]
        if any(p[2] != p[3] for p in points):
            ax.fill_between([p[0] for p in points], [p[2] for p in points], [p[3] for p in points],
                            alpha=0.2, color=line.get_color())
        published = [p for p in series.get("published") or [] if p[1] is not None]
        if published:
            ax.plot([p[0] for p in published], [p[1] for p in published], "x", markersize=9, zorder=3,
                    color=line.get_color())
            any_published = True
    if any_published:
        ax.plot([], [], "x", markersize=9, color="grey",
                label="calculated" if figure.get("calculated") else "published")
    if figure.get("words"):
        ax.set_xticks(range(len(figure["words"])), figure["words"])
    ax.set_xlabel(figure.get("xlabel") or "")
    ax.set_ylabel(figure.get("ylabel") or "")
    ax.legend()
    _scales(ax, figure.get("logx", False), figure.get("logy", False), figure.get("title"))
    return ax


def draw_advice(advice: Any, ax: Any = None) -> Any:
    """Draw the times of both algorithms over the parameter, and return the axes."""
    ax = _axes(ax)
    table, x = advice.table, advice.vary
    for name in advice.between:
        line = ax.plot(table[x], table[f"{name}_s"], marker="o", markersize=4, label=name)[0]
        ax.fill_between(table[x], table[f"{name}_low_s"], table[f"{name}_high_s"], alpha=0.2,
                        color=line.get_color())
    if advice.break_even is not None and math.isfinite(advice.break_even):
        ax.axvline(advice.break_even, color="grey", linestyle="--", label="break-even")
        ends = table[x].min(), table[x].max()
        ax.axvspan(*(min(max(end, ends[0]), ends[1]) for end in advice.interval), color="grey",
                   alpha=0.15, label="its interval")
    ax.set_xlabel(f"{x} [{advice.unit}]" if advice.unit else x)
    ax.set_ylabel("time to the same loss [s per step]")
    ax.legend()
    positive = all(value > 0 for value in table[x])
    _scales(ax, positive, True, None)
    return ax


def draw_or_svg(draw: Callable[[], Any], svg: Callable[[], Any]) -> Any:
    """Return the axes of draw(), or without matplotlib the Svg of svg()."""
    return draw() if pyplot() else svg()
