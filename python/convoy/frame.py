"""Tables of results: pandas DataFrames where pandas is installed, else Frame."""
from __future__ import annotations

import csv
import html
import io
import shutil
from typing import Any, Iterable, Iterator, Mapping

import numpy

# Rows of a table that a terminal or a notebook shows: more are cut in the middle.
_shown = 60


class Frame:
    """Columns of equal length: the part of a pandas DataFrame that reading results needs.

    ``frame["name"]`` and ``frame.name`` are NumPy arrays, ``frame[["a", "b"]]`` a frame of these
    columns, ``frame[mask]``, ``frame[[0, 3]]`` and ``frame[2:5]`` frames of these rows.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns, in their order.
    """

    def __init__(self, columns: Mapping[str, Any] | None = None):
        self._columns: dict[str, numpy.ndarray] = {}
        self.attrs: dict[str, Any] = {}
        for name, values in (columns or {}).items():
            self._columns[name] = _array(values)
        lengths = {len(values) for values in self._columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"columns of different lengths: {sorted(lengths)}")

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return len(self), len(self._columns)

    @property
    def empty(self) -> bool:
        """True without rows or without columns."""
        return 0 in self.shape

    def __len__(self) -> int:
        for values in self._columns.values():
            return len(values)
        return 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._column(key)
        if isinstance(key, list) and all(isinstance(name, str) for name in key):
            return self._like({name: self._column(name) for name in key})
        rows = key if isinstance(key, slice) else numpy.asarray(key)
        if not isinstance(key, slice) and rows.ndim != 1:
            raise KeyError(f"{key!r}: no column, and no rows. A row is frame[2:3], a column one of: "
                           f"{', '.join(self._columns)}")
        return self._like({name: values[rows] for name, values in self._columns.items()})

    def _column(self, name: str) -> numpy.ndarray:
        if name not in self._columns:
            raise KeyError(f"no column '{name}'; columns: {', '.join(self._columns)}")
        return self._columns[name]

    def __getattr__(self, name: str) -> numpy.ndarray:
        try:
            return self.__dict__["_columns"][name]
        except KeyError:
            raise AttributeError(f"no column '{name}'; columns: "
                                 f"{', '.join(self.__dict__.get('_columns', ()))}") from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._columns})

    def _like(self, columns: Mapping[str, Any]) -> Frame:
        made = Frame(columns)
        made.attrs = self.attrs
        return made

    def items(self) -> Iterable[tuple[str, numpy.ndarray]]:
        """Pairs of name and column."""
        return self._columns.items()

    def head(self, n: int = 5) -> Frame:
        """Return the first n rows."""
        return self[:n]

    def tail(self, n: int = 5) -> Frame:
        """Return the last n rows."""
        return self[max(0, len(self) - n):]

    def sort_values(self, by: str, ascending: bool = True) -> Frame:
        """Return the rows in the order of a column; rows with equal values keep theirs."""
        order = numpy.argsort(self._column(by), kind="stable")
        return self[order if ascending else order[::-1]]

    def to_dict(self, orient: str = "dict") -> Any:
        """Return Python objects, as pandas does.

        Parameters
        ----------
        orient : {"dict", "list", "records"}
            ``{column: {row: value}}``, ``{column: [value, ...]}``, or a dict for each row.
        """
        lists = {name: values.tolist() for name, values in self._columns.items()}
        if orient == "dict":
            return {name: dict(enumerate(values)) for name, values in lists.items()}
        if orient == "list":
            return lists
        if orient == "records":
            return [dict(zip(lists, row)) for row in zip(*lists.values())]
        raise ValueError(f"orient '{orient}': expected dict, list or records")

    def to_csv(self, path: Any = None, index: bool = False) -> str | None:
        """Write the table to a file, or return it as text; index puts the row's number first."""
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(([""] if index else []) + self.columns)
        for i, row in enumerate(zip(*(values.tolist() for values in self._columns.values()))):
            rows.writerow(([i] if index else []) + ["" if _is_missing(x) else x for x in row])
        if path is None:
            return text.getvalue()
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text.getvalue())
        return None

    def to_pandas(self) -> Any:
        """Return a pandas DataFrame."""
        import pandas
        return pandas.DataFrame(self._columns)

    def plot(self, x: str | None = None, y: Any = None, **options: Any) -> Any:
        """Draw columns over another by matplotlib, and return the axes.

        Parameters
        ----------
        x : str, optional
            Column of the horizontal axis; else the number of the row.
        y : str or list of str, optional
            Columns that are drawn; else all numeric ones.
        **options
            ``ax``, ``logx``, ``logy``, ``title``; others go to ``Axes.plot``.
        """
        from .plots import draw_columns
        return draw_columns(self, x, y, **options)

    def _cells(self) -> tuple[list[list[str]], int | None]:
        """Texts of the shown rows, and the number of rows above the cut, if there is one."""
        n = len(self)
        rows, cut = list(range(n)), None
        if n > _shown:
            cut = _shown // 2
            rows = rows[:cut] + rows[n - cut:]
        return [[_text(values[i]) for values in self._columns.values()] for i in rows], cut

    def __repr__(self) -> str:
        cells, cut = self._cells()
        lines = [self.columns, *cells]
        if cut is not None:
            lines.insert(cut + 1, ["..."] * len(self._columns))
        lines = [[cell if len(cell) <= 32 else cell[:29] + "..." for cell in line] for line in lines]
        widths = [max(map(len, column)) for column in zip(*lines)]
        room, fit = shutil.get_terminal_size().columns - len("  ..."), 0
        while fit < len(widths) and (fit == 0 or sum(widths[:fit + 1]) + 2 * fit <= room):
            fit += 1
        end = "  ..." if fit < len(widths) else ""
        body = ["  ".join(cell.rjust(width) for cell, width in zip(line[:fit], widths)).rstrip() + end
                for line in lines]
        return "\n".join(body + [f"[{len(self)} rows x {len(self._columns)} columns]"])

    def _repr_html_(self) -> str:
        cells, cut = self._cells()
        rows = ["<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>"
                for line in cells]
        if cut is not None:
            rows.insert(cut, "<tr>" + "<td>...</td>" * len(self._columns) + "</tr>")
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self._columns)
        return (f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
                f"<p>{len(self)} rows x {len(self._columns)} columns</p>")


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _text(value: Any) -> str:
    if _is_missing(value):
        return "NaN" if value is not None else "None"
    if isinstance(value, (float, numpy.floating)):
        return f"{value:.6g}"
    return str(value)


def _array(values: Any) -> numpy.ndarray:
    """One column: int64, float64 (None is NaN) or bool, else objects."""
    if isinstance(values, numpy.ndarray):
        return values
    values = list(values)
    kinds = {type(value) for value in values}
    if kinds and kinds <= {bool}:
        return numpy.array(values, dtype=bool)
    if kinds and kinds <= {int} and all(abs(value) < 2**63 for value in values):
        return numpy.array(values, dtype=numpy.int64)
    if kinds and kinds <= {int, float, type(None)}:
        return numpy.array([numpy.nan if value is None else value for value in values], dtype=float)
    array = numpy.empty(len(values), dtype=object)
    array[:] = values
    return array


def numbers(texts: Iterable[Any]) -> list[Any]:
    """Return the values of a setting in all runs as numbers or truth values if all are."""
    texts = list(texts)
    for read in (int, float, {"true": True, "false": False}.__getitem__):
        try:
            return [read(text) for text in texts]
        except (ValueError, KeyError, TypeError):
            continue
    return texts


def frame(columns: Mapping[str, Any], **attrs: Any) -> Any:
    """Return a DataFrame of the columns if pandas is installed, else a Frame.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns, in their order.
    **attrs
        What the frame's ``attrs`` holds.
    """
    made: Any = Frame(columns)
    try:
        made = made.to_pandas()
    except ImportError:
        pass
    made.attrs = attrs
    return made
