"""Reads result files and traces (HDF5) without the program."""
from __future__ import annotations

import builtins
import contextlib
import html
import os
import re
import stat
from typing import Any, Iterator

import numpy

from .errors import Error
from .frame import frame

# Kinds of events in a trace, by their number.
_kinds = ("computed", "dropped", "sent", "stepped", "start", "gradient", "message", "allreduce",
          "timer", "fault", "over", "staged", "stage")


def _python(value: Any) -> Any:
    """An attribute of HDF5 as a Python object."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.item() if isinstance(value, (numpy.generic, numpy.ndarray)) and value.size == 1 \
        else value


def _number(text: Any) -> Any:
    """A setting as a number or a truth value where it is one."""
    for read in (int, float, {"true": True, "false": False}.__getitem__):
        try:
            return read(text)
        except (ValueError, KeyError, TypeError):
            continue
    return text
# Columns in the order in which people read them; others follow.
_order = ("rank", "time_s", "epoch", "gradients", "loss", "train_loss", "test_loss",
          "test_accuracy", "value", "at_least", "count")


# Bytes of the seal, and how many bytes are read for its checksum: half a second of Python.
_seal_bytes, _checked_bytes = 32, 4 << 20


def _check_seal(path: str) -> None:
    """Refuses a file whose last bytes are not convoy's seal: HDF5 may crash where it is damaged.

    The checksum, 64 bits of FNV-1a, is compared in files of up to 4 MiB, as all but long traces are.
    """
    fault = f"{path}: no result of convoy, or damaged, or changed by another program: no seal fits"
    try:
        # O_NONBLOCK: a pipe without a writer would keep this call waiting
        opened = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise Error(f"{path}: no such file") from None
    except ValueError as error:                         # a NUL character
        raise Error(f"{path!r}: {error}") from None
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None
    kind = os.fstat(opened).st_mode
    if not stat.S_ISREG(kind):
        os.close(opened)
        what = "a folder" if stat.S_ISDIR(kind) else "no regular file"
        raise Error(f"{path}: {what} (expected a result file, HASH.h5, or a trace)")
    with builtins.open(opened, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _seal_bytes))
        seal = re.fullmatch(rb"\nconvoy seal 1 ([0-9a-f]{16})\n", file.read(_seal_bytes))
        if not seal:
            raise Error(fault)
        if size > _checked_bytes:
            return
        file.seek(0)
        digest = 0xcbf29ce484222325
        for byte in file.read(size - _seal_bytes):
            digest = (digest ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    if digest != int(seal.group(1), 16):
        raise Error(fault)


# Groups whose data sets are columns of one table, and how deep groups stand in groups.
_tables = ("train", "eval", "nodes", "staleness", "gap", "faults", "events")
_deepest = 4


def _check_parts(group: Any, depth: int = 0) -> None:
    """ValueError where a group has what convoy writes none of: a seal says not who made a file.

    That are links to other places, data sets that are not in one piece in this file, and
    tables whose columns differ in length.
    """
    import h5py
    shapes = set()
    for name in group:
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise ValueError(f"{group.name}: {name} is a link")
        member = group[name]
        if isinstance(member, h5py.Group) and depth < _deepest:
            _check_parts(member, depth + 1)
        elif not isinstance(member, h5py.Dataset):
            raise ValueError(f"{member.name}: neither a group nor a data set")
        elif (member.id.get_create_plist().get_layout() != h5py.h5d.CONTIGUOUS or member.external
              or member.id.get_storage_size() != member.nbytes):
            raise ValueError(f"{member.name}: not in one piece")
        else:
            shapes.add(member.shape)
    if group.name.strip("/") in _tables and \
            (len(shapes) > 1 or any(len(shape) != 1 for shape in shapes)):
        raise ValueError(f"{group.name}: no columns of one length")


class Trace:
    """Events of a run, as arrays that are read when they are first used.

    ``trace["time_s"]`` and ``trace.time_s`` are NumPy arrays, a value for each event; docs/results.md
    describes the columns. ``trace.kinds[trace.kind]`` has the names of the kinds.

    Attributes
    ----------
    columns : list of str
        Names of the arrays.
    kinds : numpy.ndarray of str
        Names of the kinds of events, by their number.
    """

    kinds = numpy.array(_kinds)

    def __init__(self, run: Run):
        self._run = run
        self._read: dict[str, numpy.ndarray] = {}
        self.columns: list[str] = run._names("events")

    def __len__(self) -> int:
        return len(self["kind"])

    def __getitem__(self, name: str) -> numpy.ndarray:
        if name not in self._read:
            values = self._run._array(f"events/{name}")
            if name == "kind" and (values.dtype.kind != "i" or
                                   not numpy.isin(values, range(len(_kinds))).all()):
                raise Error(f"{self._run.path}: damaged: it has events of unknown kinds")
            self._read[name] = values
        return self._read[name]

    def __getattr__(self, name: str) -> numpy.ndarray:
        if name in self.__dict__.get("columns", ()):
            return self[name]
        raise AttributeError(f"no column '{name}'; columns: "
                             f"{', '.join(self.__dict__.get('columns', ()))}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.columns})

    def frame(self) -> Any:
        """Return all events as a frame, with the names of their kinds."""
        columns = {name: self[name] for name in self.columns}
        columns["kind"] = self.kinds[self["kind"]]
        return frame(columns)

    def __repr__(self) -> str:
        return f"<trace of {len(self)} events: {', '.join(self.columns)}>"


class Run:
    """A result file, or a trace.

    Attributes
    ----------
    path : str
        The file.
    hash : str
        Hash of the settings.
    settings : dict
        Every setting, as a number or truth value where it is one.
    assumed : dict
        Settings that were assumed, with the reason.
    summary : dict
        Measures of the whole run.
    environment : dict
        The real machine, versions and real time.
    """

    def __init__(self, path: Any):
        self.path = os.fspath(path)
        _check_seal(self.path)
        with self._file() as file:
            _check_parts(file)
            kind = _python(file.attrs.get("format", b""))
            if not isinstance(kind, str) or kind not in ("convoy run", "convoy trace"):
                raise Error(f"{self.path}: no result of convoy (expected the attribute format = "
                            f"'convoy run' or 'convoy trace', not {kind!r})")
            self._is_trace = kind == "convoy trace"
            self.hash = _python(file.attrs.get("hash", b""))
            self.settings = {key: _number(value)
                             for key, value in self._attributes(file, "settings").items()}
            self.assumed = self._attributes(file, "assumed")
            self.summary = self._attributes(file, "summary")
            self.environment = self._attributes(file, "environment")
        self._trace: Trace | None = None

    @contextlib.contextmanager
    def _file(self) -> Iterator[Any]:
        """The open file; what h5py finds wrong in it is an Error that names the file."""
        try:
            import h5py
        except ImportError:
            raise Error("reading result files needs h5py: pip install h5py") from None
        try:
            with h5py.File(self.path, "r") as file:
                yield file
        except (OSError, RuntimeError, LookupError, TypeError, ValueError, MemoryError) as error:
            raise Error(f"{self.path}: cannot be read: {error}") from None

    @staticmethod
    def _attributes(file: Any, group: str) -> dict[str, Any]:
        return {key: _python(value) for key, value in file[group].attrs.items()} \
            if group in file else {}

    def _names(self, group: str) -> list[str]:
        with self._file() as file:
            return list(file[group]) if group in file else []

    def _array(self, name: str) -> numpy.ndarray:
        with self._file() as file:
            if name not in file:
                raise Error(f"{self.path}: has no /{name}")
            return file[name][()]

    def _rows(self, group: str) -> Any:
        with self._file() as file:
            if group not in file:
                raise Error(f"{self.path}: has no /{group}"
                            f"{'; it is a trace: use .trace' if self._is_trace else ''}")
            names = [*(name for name in _order if name in file[group]),
                     *(name for name in file[group] if name not in _order)]
            return frame({name: file[group][name][()] for name in names})

    @property
    def train(self) -> Any:
        """Frame: loss, learning rate, staleness and so on, over the run."""
        return self._rows("train")

    @property
    def eval(self) -> Any:
        """Frame: test loss and accuracy, over the run."""
        return self._rows("eval")

    @property
    def nodes(self) -> Any:
        """Frame: a row for each worker, and for the server (rank -1)."""
        return self._rows("nodes")

    @property
    def staleness(self) -> Any:
        """Frame: how many gradients were applied at each staleness."""
        return self._rows("staleness")

    @property
    def gap(self) -> Any:
        """Frame: how many gradients had a gap from ``at_least`` to 10^0.1 times that."""
        return self._rows("gap")

    @property
    def faults(self) -> Any:
        """Frame: a row when a fault begins, and one when it is over."""
        return self._rows("faults")

    @property
    def model(self) -> numpy.ndarray:
        """float32[dim], the final model; only with ``keep_model=True``."""
        return self._array("model")

    @property
    def trace(self) -> Trace:
        """Events of the run; only in the file that ``sim(..., trace="FILE")`` writes."""
        if not self._is_trace:
            raise Error(f"{self.path}: a result has no trace. Record one by sim(..., "
                        "trace='FILE.h5'), and open FILE.h5")
        if self._trace is None:
            self._trace = Trace(self)
        return self._trace

    def plot(self, y: str = "loss", x: str = "epoch", **settings: Any) -> Any:
        """Draw a column of ``train``, or of ``eval``, by matplotlib, and return the axes.

        ``ax`` of another run's plot, ``label``, ``logx``, ``logy`` and ``title`` are optional;
        others go to ``Axes.plot``. The label is the run's algorithm, workers and slow workers.
        """
        from .plots import draw_columns
        with self._file() as file:
            columns = {group: list(file[group]) for group in ("train", "eval") if group in file}
        groups = [group for group, names in columns.items() if x in names and y in names]
        if not groups:
            known = "; ".join(f"/{group} has {', '.join(names)}" for group, names in columns.items())
            raise Error(f"{self.path}: neither /train nor /eval has both '{x}' and '{y}' "
                        f"({known or 'it has neither of these groups'})")
        of = self.settings
        slow = "" if of.get("slow", "none") == "none" else f", slow {of['slow']}"
        label = f"{of.get('algo')}, {of.get('workers')} workers{slow}"
        return draw_columns(self._rows(groups[0]), x, y, **{"label": label, **settings})

    def _title(self) -> str:
        of = self.settings
        return f"{of.get('algo')}, {of.get('workers')} workers, {of.get('net')}"

    def __repr__(self) -> str:
        kind = "trace" if self._is_trace else "run"
        return f"<{kind} {self.path}: {self._title()}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(str(key))}</td><td>{html.escape(str(value))}</td></tr>"
                       for key, value in self.summary.items())
        return (f"<p>{html.escape(self._title())}<br><code>{html.escape(self.path)}</code></p>"
                f"<table><tbody>{rows}</tbody></table>")


def open(path: Any) -> Run:
    """Read a result file or a trace.

    Parameters
    ----------
    path : str or path-like
        ``RESULTS/.../HASH.h5``, which is the column ``file`` of ``convoy.sim``, or a trace.

    Returns
    -------
    Run
        ``train``, ``eval``, ``nodes`` and others are frames; ``trace`` has arrays.

    Examples
    --------
    >>> run = convoy.open(frame["file"][0])
    >>> run.train["loss"], run.settings["lr"]
    """
    return Run(path)
