"""The calls that start the program: sim, run, advise, list."""
from __future__ import annotations

import html
import json
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Any, Mapping, Sequence

from . import frame as frames
from . import plots, program
from .errors import Error

_list = list                            # the name is that of a call below
# Members of a run that are about its file, last in a frame; those that only experiments have.
_about_file = ("status", "hash", "baseline", "is_baseline", "file")
_of_experiment = ("experiment", "scale", "model")
# Settings that are measures too: what a run had may be less than what it was given.
_limits = ("epochs", "gradients")
# Measures that are infinite where a run diverged, as in convoy's tables.
_infinite = ("train_loss", "test_loss", "test_perplexity", "test_bits")


def _keys(dicts: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """Keys of all dicts, each once, in the order in which they come."""
    return _list(dict.fromkeys(key for of in dicts for key in of))


def _rows_frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """A frame with a row for each dict."""
    return frames.frame({name: [row.get(name) for row in rows] for name in _keys(rows)})


def _settings_of(run: Mapping[str, Any], given: Sequence[str]) -> dict[str, Any]:
    """Settings of a run; those that were varied as they were given."""
    settings = {**run.get("settings", {}), **run.get("point", {})}
    first = [name for name in given if name in settings]
    return {name: settings[name] for name in [*first, *settings]}


def _measured(runs: Sequence[Mapping[str, Any]], name: str) -> Sequence[Any]:
    """A measure of all runs; a mean must not leave out those that diverged."""
    values = [run.get(name) for run in runs]
    if name in _infinite and (name.endswith("loss") or any(value is not None for value in values)):
        return [math.inf if value is None and run.get("status") == "diverged" else value
                for run, value in zip(runs, values)]
    return values


def _runs_frame(runs: Sequence[Mapping[str, Any]], given: Sequence[str], **attrs: Any) -> Any:
    """A frame with a row for each run: the given settings, measures, other settings, the file."""
    settings = [_settings_of(run, given) for run in runs]
    names = _keys(settings)
    texts = {name: frames.numbers(of.get(name) for of in settings) for name in names}
    first = [name for name in names if name in given or any(name in run.get("point", ())
                                                            for run in runs)]
    columns: dict[str, Any] = {name: texts[name] for name in first if name not in _limits}
    for name in _keys(runs):
        values = _measured(runs, name)
        if name in _about_file or any(isinstance(value, (dict, _list)) for value in values) or \
                name in _of_experiment and not any(values):
            continue
        columns.setdefault(name, texts[name] if name == "algo" else values)
    for name in names:
        columns.setdefault(f"{name}_setting" if name in _limits else name, texts[name])
    for name in _about_file:
        if any(name in run for run in runs):
            columns[name] = [run.get(name) for run in runs]
    return frames.frame(columns, assumed=[run.get("assumed", {}) for run in runs], **attrs)


def _given(settings: Mapping[str, Any]) -> Sequence[str]:
    """Names of the settings that a call gives, in their order."""
    names = []
    for name, value in settings.items():
        if name == "set":
            names += _list(value) if isinstance(value, Mapping) else []
        else:
            names.append(name)
    return names


def sim(*, quiet: bool = False, **settings: Any) -> Any:
    """Simulate a run, or all combinations of several values: ``convoy sim``.

    Finished runs are read from the folder of results, not repeated.

    Parameters
    ----------
    quiet : bool
        True: no progress and no notes on ``sys.stderr``.
    **settings
        Options of ``convoy sim`` (``convoy help sim``, ``convoy help settings``), with ``_`` for
        ``-``: ``compute_s=1`` is ``--compute-s 1``. A list is several values, whose combinations are
        run; True is a bare flag, False its ``--no-`` form, None leaves the option out.

    Returns
    -------
    pandas.DataFrame or Frame
        A row for each run: the given settings, measures, the other settings, and ``file``, which
        ``convoy.open`` reads. ``gradients`` and ``epochs`` are measured; their settings end in
        ``_setting``. With ``dry_run=True``: what the program prints, as dicts and lists.

    Raises
    ------
    Error
        With the program's message. Its ``result`` has the runs that did not fail, if any.

    Examples
    --------
    >>> f = convoy.sim(algo=["allreduce", "ad-psgd"], workers=16, slow="0:10", timing=True,
    ...                samples=50000)
    >>> f[["algo", "time_per_epoch_s", "speedup"]]
    """
    words = program.options(settings)
    documents, error = program.call("sim", words, quiet)
    document = documents[0]
    if settings.get("dry_run"):
        if error:
            raise error
        return document
    runs = document.get("runs", [document] if "hash" in document else [])
    result = _runs_frame(runs, _given(settings), arguments=words) if runs else None
    if error:
        error.result = result
        raise error
    return result


class Plot:
    """A plot of an experiment.

    Attributes
    ----------
    name, title : str
        Its name, and what it shows.
    files : dict of str to str
        Paths of the files that the program wrote, by their suffix: svg, png, csv, json.
    """

    def __init__(self, name: str, files: dict[str, str]):
        self.name, self.files = name, files
        self._json = json.loads(Path(files["json"]).read_text("utf-8")) if "json" in files else {}
        self.title: str = self._json.get("title", name)

    @property
    def data(self) -> Any:
        """Frame: ``series``, ``algo``, ``kind`` (measured, published or calculated), ``x``, ``y``, ``low``, ``high``.

        Where runs diverged, or did not reach their target, ``y`` is NaN.
        """
        rows: dict[str, _list[Any]] = {name: [] for name in
                                      ("series", "algo", "kind", "x", "y", "low", "high")}
        published = "calculated" if self._json.get("calculated") else "published"
        for series in self._json.get("series", ()):
            never = ([x, None, None, None] for x in series.get("infinite") or ())
            for kind, points in (("measured", [*series["points"], *never]),
                                 (published, series.get("published") or ())):
                for x, *values in points:
                    for name, value in zip(rows, (series["label"], series.get("algo"), kind,
                                                  plots.word_of(self._json, x), *values)):
                        rows[name].append(value)
        return frames.frame(rows, title=self.title)

    def plot(self, ax: Any = None) -> Any:
        """Draw by matplotlib and return the axes; without it, return the program's SVG."""
        return plots.draw_or_svg(lambda: plots.draw_series(self._json, ax), self.svg)

    def svg(self) -> plots.Svg:
        """Return the program's picture."""
        if "svg" not in self.files:
            raise Error(f"plot {self.name}: the program drew no picture: gnuplot is not installed. "
                        "Install it, or matplotlib: pip install matplotlib")
        return plots.Svg(self.files["svg"])

    def _repr_svg_(self) -> str | None:
        return self.svg().text if "svg" in self.files else None

    def __repr__(self) -> str:
        return f"<plot {self.name}: {self.title}>"


class Named(dict):
    """A dict whose lookup of an unknown name tells the known ones."""

    def __missing__(self, name: str) -> Any:
        raise KeyError(f"no '{name}'; known: {', '.join(self)}")


class Experiment:
    """Results of an experiment.

    Attributes
    ----------
    name, scale : str
        The experiment and its scale.
    runs : frame
        A row for each run.
    tables : dict of str to frame
        The tables by their names, with published numbers in columns ``... (paper)``; then the data of
        the plots, by the plots' names.
    claims : frame
        A row for each claim of the paper, with its verdict.
    plots : dict of str to Plot
        The plots.
    json : dict
        All that the program printed.
    """

    def __init__(self, document: Mapping[str, Any]):
        self.json = dict(document)
        self.name: str = document["experiment"]
        self.scale: str = document["scale"]
        self.runs = _runs_frame(document["runs"], ("algo", "workers", "slow", "seed"))
        files: dict[str, dict[str, str]] = {}
        for path in document.get("plots") or ():
            files.setdefault(Path(path).stem, {})[Path(path).suffix[1:]] = path
        self.plots: dict[str, Plot] = Named({name: Plot(name, of) for name, of in files.items()})
        self.tables: dict[str, Any] = Named(
            {table["name"]: _table_frame(table) for table in document["tables"]})
        for name, plot in self.plots.items():
            self.tables.setdefault(name, plot.data)
        claims = document["claims"]
        self.claims = frames.frame({name: [claim.get(name) for claim in claims] for name in
                                    ("verdict", "says", "quantity", "kind", "where", "shows")})

    def plot(self, name: str | None = None, ax: Any = None) -> Any:
        """Draw a plot, by default the first one: axes of matplotlib, or without it an SVG."""
        if not self.plots:
            raise Error(f"{self.name}: the experiment has no plot")
        return self.plots[name if name is not None else next(iter(self.plots))].plot(ax)

    def __repr__(self) -> str:
        verdicts = _list(self.claims["verdict"])
        held = sum(verdict == "holds" for verdict in verdicts)
        return (f"<experiment {self.name}, scale {self.scale}: {len(self.runs)} runs; "
                f"{held} of {len(verdicts)} claims hold; tables: {', '.join(self.tables)}>")

    def _repr_html_(self) -> str:
        parts = [f"<h4>{html.escape(self.name)}, scale {html.escape(self.scale)}</h4>"]
        for table in self.json["tables"]:
            shown = self.tables[table["name"]]
            parts += [f"<p>{html.escape(table['title'])}</p>", shown._repr_html_()]
            parts += [f"<p><small>{html.escape(note)}</small></p>" for note in table["notes"]]
        parts.append(self.claims[["verdict", "says"]]._repr_html_())
        return "".join(parts)


def _mean(value: Any) -> Any:
    """A cell's mean: JSON has the largest number for an infinite one."""
    return math.inf if isinstance(value, float) and value >= sys.float_info.max else value


def _table_frame(table: Mapping[str, Any]) -> Any:
    """A printed table: row labels, then each column, and what the paper printed next to it."""
    columns: dict[str, Any] = {table["corner"] or table["rows_by"] or "row":
                               [row["label"] for row in table["rows"]]}
    for i, name in enumerate(table["columns"]):
        cells = [row["cells"][i] or {} for row in table["rows"]]
        while name in columns:
            name += "'"
        columns[name] = [_mean(cell.get("measured")) for cell in cells]
        published = [cell.get("published") for cell in cells]
        if any(value is not None for value in published):
            columns[f"{name} ({'calculated' if table.get('calculated') else 'paper'})"] = published
    return frames.frame(columns, title=table["title"], notes=table["notes"],
                        source=table["source"])


def run(*experiments: Any, quiet: bool = False, **settings: Any) -> Any:
    """Run experiments: ``convoy run``.

    Finished runs are read; an interrupted experiment continues.

    Parameters
    ----------
    *experiments : str or path-like
        Names (``convoy.list("experiments")``), or paths of specs.
    quiet : bool
        True: no progress and no notes on ``sys.stderr``.
    **settings
        Options of ``convoy run`` (``convoy help run``), as of ``convoy.sim``; ``scale="smoke"``;
        ``only={"algo": "asgd"}``.

    Returns
    -------
    Experiment
        A list of them for several experiments, or for ``all=True``. With ``dry_run=True``: what the
        program prints, as dicts and lists.

    Examples
    --------
    >>> r = convoy.run("slow-worker")
    >>> r.tables["time-per-epoch"], r.claims
    >>> r.plot("time-per-epoch")
    """
    words = [*program.options(settings), *program.plain_words("experiment", experiments)]
    documents, error = program.call("run", words, quiet)
    several = len(experiments) > 1 or bool(settings.get("all"))
    result: Any = documents
    if not settings.get("dry_run"):
        result = [Experiment(document) for document in documents if "tables" in document]
    result = result if several or not result else result[0]
    if error:
        error.result = result or None
        raise error
    return result


class _Answer:
    """What ``convoy advise`` printed."""

    def __init__(self, document: Mapping[str, Any], words: Sequence[str]):
        self.json = dict(document)
        self._words = _list(words)
        self.settings = dict(document["settings"])
        self.assumed = dict(document["assumed"])

    def svg(self) -> plots.Svg:
        """Return the program's picture, which it draws by gnuplot; the runs are repeated."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "advice.svg")
            words = [word for word in self._words if not word.startswith("--plot=")]
            _, error = program.call("advise", [*words, f"--plot={path}"], quiet=True)
            if error and "gnuplot is not installed" not in str(error):
                raise error
            if not os.path.exists(path):
                raise Error("the program drew no picture: gnuplot is not installed. Install it, or "
                            "matplotlib: pip install matplotlib")
            return plots.Svg(path)


class Advice(_Answer):
    """Which of two algorithms is faster, and from which value of a parameter on.

    Attributes
    ----------
    between : tuple of str
        The two algorithms.
    vary, unit : str
        The parameter and its unit.
    break_even : float or None
        Median of the value at which both are equally fast; None if no draw has one, infinite if it
        is outside the range.
    interval : tuple of float or None
        Its 5 % and 95 % quantiles over the draws.
    second_faster : str
        "above" or "below": on which side of the break-even the second is faster; or "neither".
    table : frame
        For each value of the parameter: seconds to the same loss of both, per step, with their intervals, and
        the probability that the second is faster.
    sensitivity : frame
        Uncertain values, with the share of the break-even's variance that each explains.
    settings, assumed : dict
        Settings of the runs; those that were assumed, with the reason.
    json : dict
        All that the program printed.
    """

    def __init__(self, document: Mapping[str, Any], words: Sequence[str]):
        super().__init__(document, words)
        self.vary: str = document["vary"]
        self.unit: str = document["unit"]
        self.between: tuple[str, str] = tuple(document["between"])
        # an end outside the range is "below" or "above" it
        outside = {"below": -math.inf, "above": math.inf}
        even = {key: outside.get(value, value)
                for key, value in (document["break_even"] or {}).items()}
        self.break_even: float | None = even.get("median")
        self.interval: tuple[float, float] | None = \
            (even["low"], even["high"]) if even else None
        self.second_faster: str | None = document["second_faster"]
        points = document["points"]
        columns: dict[str, Any] = {self.vary: [point["x"] for point in points]}
        for name, key in zip(self.between, ("first_s", "second_s")):
            for end, part in (("_s", "median"), ("_low_s", "low"), ("_high_s", "high")):
                columns[name + end] = [(point[key] or {}).get(part) for point in points]
        columns["p_second_faster"] = [point["p_second_faster"] for point in points]
        self.table = frames.frame(columns, unit=self.unit)
        self.sensitivity = _rows_frame(document["sensitivity"])

    def plot(self, ax: Any = None) -> Any:
        """Draw both times by matplotlib and return the axes; without it, return the program's SVG."""
        return plots.draw_or_svg(lambda: plots.draw_advice(self, ax), self.svg)

    def _text(self) -> str:
        first, second = self.between
        if self.break_even is None:
            text = f"{first} or {second}: no break-even over {self.vary} in this range"
            known = [p for p in self.table["p_second_faster"] if p is not None and not math.isnan(p)]
            for name, throughout in ((first, all(p <= 0.5 for p in known)),
                                     (second, all(p >= 0.5 for p in known))):
                if known and throughout:
                    return f"{text}: {name} is as fast or faster throughout"
            return text
        low, high = self.interval or (None, None)
        return (f"{first} or {second}: {second} is faster {self.second_faster} {self.vary} = "
                f"{self.break_even:.4g} ({low:.4g} to {high:.4g}) {self.unit}".rstrip())

    def __repr__(self) -> str:
        return f"<advice: {self._text()}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._text())}</p>" + self.table._repr_html_()


class Ranking(_Answer):
    """Algorithms by the time to the same loss: what ``convoy advise --among`` prints.

    Attributes
    ----------
    answer, doubt : str
        The first algorithm, and how certain that is, in words.
    table : frame
        A row for each algorithm, the first one first: ``step_s``, ``progress``, ``same_loss_s``, ``p_first``, ....
        Intervals of the progress are of ``json["progress_level"]``, of times of ``json["same_loss_level"]``.
    points : frame
        The same along the parameters of ``vary``, with a row for each algorithm at each point; empty without.
    changes, left_out : frame
        Where another algorithm becomes the first; algorithms that cannot run, with the reason.
    settings, assumed : dict
        Settings of the runs; those that were assumed, with the reason.
    json : dict
        All that the program printed.
    """

    def __init__(self, document: Mapping[str, Any], words: Sequence[str]):
        super().__init__(document, words)
        self.answer: str = document["answer"]
        self.doubt: str = document["doubt"]
        self.table = _rows_frame(document["ranking"])
        rows = []
        for point in document.get("points", ()):
            at = {key: value for key, value in point.items() if key not in ("first", "ranking")}
            rows += [{**at, **row} for row in point["ranking"]]
        self.points = _rows_frame(rows)
        self.changes = _rows_frame(document.get("changes", ()))
        self.left_out = _rows_frame(document["left_out"])

    def plot(self) -> plots.Svg:
        """Return the program's picture."""
        return self.svg()

    def __repr__(self) -> str:
        return f"<ranking: {self.answer}>"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(f'{self.answer} {self.doubt}')}</p>" + self.table._repr_html_()


def advise(*, among: Any = None, between: Any = None, vary: Any = None, quiet: bool = False,
           **settings: Any) -> Advice | Ranking:
    """Rank algorithms on a cluster, or find the break-even of two: ``convoy advise``.

    Parameters
    ----------
    among : str or list of str
        Algorithms to rank; without it, and without ``between``, a dozen of different kinds.
    between : pair of str
        Two algorithms, whose break-even over ``vary`` is found.
    vary : str or dict
        A parameter and its range: ``"slow=1..10"`` or ``{"slow": (1, 10)}``; a ranking has none, one or two.
    quiet : bool
        True: no progress and no notes on ``sys.stderr``.
    **settings
        Options of ``convoy advise`` (``convoy help advise``), as of ``convoy.sim``. Numbers may be
        uncertain: ``compute_s="0.32+-10%"``.

    Returns
    -------
    Ranking
        With ``answer``, ``table``, ``points``.
    Advice
        With ``between``: ``break_even``, ``interval``, ``table``.

    Examples
    --------
    >>> convoy.advise(among=["allreduce", "diloco:period=50", "ad-psgd"], workers=8,
    ...               net="bytes:350e6", compute_s="0.3+-0.03").table
    >>> a = convoy.advise(between=("allreduce", "asgd"), vary={"slow": (1, 10)}, workers=8,
    ...                   net="bytes:350e6", compute_s="0.3+-0.03")
    >>> a.break_even, a.interval
    """
    words = program.options({"among": among, "between": between, "vary": vary, **settings})
    documents, error = program.call("advise", words, quiet)
    if error:
        raise error
    return Advice(documents[0], words) if between is not None else Ranking(documents[0], words)


def list(what: str | None = None, **keys: Any) -> Any:
    """List what can be chosen by name: ``convoy list``.

    Parameters
    ----------
    what : str, optional
        A kind: ``"algos"``, ``"experiments"``, ``"nets"``, ...; ``"runs"`` are finished runs. Without
        it, the kinds.
    **keys
        For runs: settings that they must have, several values allowed; and ``out``, the folder of
        results.

    Returns
    -------
    pandas.DataFrame or Frame
        With ``name`` and ``brief``; for runs, the columns of ``convoy.sim``.

    Examples
    --------
    >>> convoy.list("algos")
    >>> convoy.list("runs", algo="ad-psgd", workers=[8, 16])
    """
    words = program.options({"out": keys.pop("out", None)})
    words += program.plain_words("kind", [] if what is None else [what])
    words += program.plain_words("setting", [program.pair_text(key, key, value)
                                             for key, value in keys.items()])
    documents, error = program.call("list", words)
    if error:
        raise error
    rows = documents[0]
    if what == "runs":
        return _runs_frame(rows, _given(keys))
    return frames.frame({name: [row.get(name) for row in rows] for name in _keys(rows)})
