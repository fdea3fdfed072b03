"""compare_results.py OLD NEW: compares two folders of results bit for bit, experiment by experiment.

Not compared, each for the reason given:

/environment of a result    commit, compiler, machine, dates and real seconds of that run
made.json                   the same of all runs together
.gp .svg .png .pdf .tex     gnuplot draws them from a plot's data, which are compared
"training" of /learnt       hash of the settings and the build; .HASH.trained are lists with that name
"file" in runs.json         begins with the folder that was chosen for the results
runs with engine=mpi        real ranks: times are measured, and the order of messages decides what
                            asynchronous algorithms compute. Compared: hash, settings, status and, with
                            all-reduce, the model; not the tables, claims and plots of such experiments
"""
import os
import re
import sys

import h5py
import numpy

SHOWN = 3  # differences printed of an experiment
KINDS = ["models", "result files", "tables", "plots", "claims"]
DRAWINGS = (".gp", ".svg", ".png", ".pdf", ".tex")
FOLDER = re.compile(rb'"file":\t"[^"]*/')
NUMBER = re.compile(rb"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)(?!\w)")


def read_result(path):
    """The name and array of every dataset and attribute that is compared."""
    found = {}

    def add(name, item):
        if not name.startswith("environment"):
            found.update({f"{name}@{key}": numpy.asarray(item.attrs[key]) for key in item.attrs
                          if (name, key) != ("learnt", "training")})
            if isinstance(item, h5py.Dataset):
                found[name] = numpy.asarray(item[()])

    with h5py.File(path, "r") as file:
        add("", file)
        file.visititems(add)
    if found["settings@engine"] == b"mpi":
        kept = ["@", "settings@", "spec", "summary@status"]
        if found["settings@algo"] == b"allreduce":
            kept.append("summary@model")
        found = {name: value for name, value in found.items() if name.startswith(tuple(kept))}
    return found


def read_experiment(root, experiment):
    """The name and array of all that is compared of an experiment."""
    found = {}
    top = os.path.join(root, experiment, "smoke")
    for folder, _, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, top)
            if name.endswith(".h5"):
                found.update({f"{inside}: {key}": value for key, value in read_result(path).items()})
            elif name != "made.json" and not name.endswith(DRAWINGS + (".trained",)):
                with open(path, "rb") as file:
                    found[inside] = numpy.asarray(FOLDER.sub(b'"file":\t"', file.read()))
    if b"mpi" in (value for key, value in found.items() if key.endswith("settings@engine")):
        found = {key: value for key, value in found.items() if key.startswith("runs/")}
    return found


def difference(old, new):
    """What differs between two arrays, and whether it is more than words; None if nothing does."""
    if old is None or new is None:
        return "only in " + ("OLD" if new is None else "NEW"), True
    if old.dtype.kind in "SO" and new.dtype.kind in "SO":
        old, new = bytes(old.item()), bytes(new.item())
        if old == new:
            return None
        at = max(0, len(os.path.commonprefix([old, new])) - 20)
        words = NUMBER.findall(old) == NUMBER.findall(new)
        return f"{old[at:at + 50]!r} is now {new[at:at + 50]!r}", not words
    if (old.dtype, old.shape) != (new.dtype, new.shape):
        return f"{old.dtype}{old.shape} is now {new.dtype}{new.shape}", True
    if old.tobytes() == new.tobytes():
        return None
    at = next(i for i in range(old.size) if old.flat[i].tobytes() != new.flat[i].tobytes())
    return f"[{at}] {old.flat[at]!r} is now {new.flat[at]!r}", True


def contents(found):
    """How many runs, models, tables, claims and plots were compared."""
    runs = sum(key.endswith(": @hash") for key in found)
    models = sum(key.endswith(": summary@model") and value != b"" for key, value in found.items())
    tables = sum(key.startswith("tables/") for key in found)
    plots = sum(key.startswith("plots/") for key in found)
    claims = found["claims.json"].item().count(b'"says"') if "claims.json" in found else 0
    return f"{runs} runs, {models} models, {tables} files of tables, {plots} of plots, {claims} claims"


def kind(key):
    """What a difference is in; the kinds are printed in the order of KINDS."""
    if key.startswith("runs/"):
        return "models" if key.endswith(": summary@model") else "result files"
    return key.split("/")[0].replace(".json", "")


def rank(row):
    """The order in which differences are printed: results before words, models before what follows."""
    key, _, more = row
    return not more, KINDS.index(kind(key)) if kind(key) in KINDS else len(KINDS)


def compare_experiment(roots, experiment):
    """Prints a line and the first differences: "same", "words" or "DIFFERS", which it returns."""
    old, new = (read_experiment(root, experiment) for root in roots)
    found = [(key, difference(old.get(key), new.get(key))) for key in sorted(old.keys() | new.keys())]
    found = [(key, what[0], what[1] or kind(key) == "models") for key, what in found if what]
    verdict = "DIFFERS" if any(more for _, _, more in found) else "words" if found else "same"
    found.sort(key=rank)
    where = {}
    for key, _, _ in found:
        where.setdefault(kind(key), set()).add(key.split(": ")[0])
    differ = ", ".join(f"{len(files)} {name}" for name, files in where.items())
    print(f"{verdict:8}{experiment}: {contents(new)}" + (f"; differing: {differ}" if differ else ""))
    for key, what, _ in found[:SHOWN]:
        print(f"        {key}: {what}")
    return verdict


def experiments(root):
    return {os.path.relpath(folder, root) for folder, below, _ in os.walk(root) if "smoke" in below}


def main():
    roots = sys.argv[1:]
    names = sorted(experiments(roots[0]) | experiments(roots[1]))
    verdicts = [compare_experiment(roots, name) for name in names]
    same, words = verdicts.count("same"), verdicts.count("words")
    print(f"experiments: {len(names)}; the same: {same}; different in words only: {words}; "
          f"in results: {len(names) - same - words}")
    sys.exit(same != len(names) or not names)


main()
