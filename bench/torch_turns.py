"""convoy and PyTorch: samples a second of gradients, taken in turns; medians over the rounds.

Variables:
    CONVOY         the program
    TORCH_PYTHON   interpreters that have PyTorch, joined by spaces (/usr/bin/python3): the
                   fastest is the peer
    NETS           some of those of torch_nets.py (all)
    PRECISIONS     f32 bf16
    ROUNDS         5
    SECONDS_EACH   3, for one measurement
    WRAP           a command in front of every measurement, such as "taskset -c 1"
    JSON           a file for all that was measured

PyTorch gets its best: every way is measured for a second first, and the fastest one takes part: both memory formats, autocast and a net all in bfloat16, and every malloc at hand that
keeps freed memory (glibc told not to give any back and to use huge pages, tcmalloc, jemalloc).
One thread each, forward and backward, no step. Both are processes of their own; their memory is
the peak resident one, PyTorch's shown also without what importing it takes.
"""
import ctypes.util
import itertools
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BATCHES = {"resnet20": 128, "vgg": 128, "wrn-16-4": 128, "resnet18": 32, "resnet50": 16,
           "caffenet": 256}
MODES = {"f32": ["f32"], "bf16": ["autocast", "bf16"]}
KEEP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "9000000000000000",
        "MALLOC_TOP_PAD_": "67108864", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def words(name, default):
    return os.environ.get(name, default).split()


ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = os.environ.get("SECONDS_EACH", "3")


def mallocs():
    """Name -> what it needs in the environment."""
    found = {"glibc": KEEP}
    for name in ("tcmalloc_minimal", "jemalloc"):
        library = ctypes.util.find_library(name)
        if library:
            found[name] = {"LD_PRELOAD": library}
    return found


def run(command, more):
    """The JSON that the command prints, or None when it fails or prints none."""
    done = subprocess.run(words("WRAP", "") + command, env={**os.environ, **more},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


def ours(net, precision, threads=1):
    row = run([os.environ["CONVOY"], "bench", "nets", net, "--precision", precision, "--batch",
               str(BATCHES[net]), "--threads", str(threads), "--seconds", SECONDS, "--no-peak",
               "--json", "--quiet"], {})
    if not row:
        sys.exit("convoy: %s in %s was not measured" % (net, precision))
    return {"rate": row[0]["samples_per_s"], "memory": row[0]["memory_bytes"]}


def theirs(net, way, seconds):
    """A way is an interpreter, a mode, a memory format and a malloc."""
    python, mode, layout, malloc = way
    row = run([python, os.path.join(HERE, "torch_nets.py"), net, str(BATCHES[net]), mode, layout,
               seconds], mallocs()[malloc])
    return row and {"rate": row["samples_per_s"], "memory": row["memory"],
                    "memory_net": row["memory_net"], "torch": row["torch"]}


def has_torch(python):
    return subprocess.run([python, "-c", "import torch"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def trials(pythons, mode):
    return itertools.product(pythons, [mode], ["channels_last", "contiguous"], mallocs())


def best_way(net, pythons, mode):
    """The fastest way of the mode, or None, and its rate."""
    best, rate = None, 0
    for way in trials(pythons, mode):
        row = theirs(net, way, "1")
        if row and row["rate"] > rate:
            best, rate = way, row["rate"]
    return best, rate


def turns(net, precision, way):
    """Columns of the rounds: convoy on one thread, on two, PyTorch."""
    columns = {"one": [], "two": [], "torch": []}
    for _ in range(ROUNDS):
        columns["one"].append(ours(net, precision))
        row = theirs(net, way, SECONDS) if way else None
        if row:
            columns["torch"].append(row)
        columns["two"].append(ours(net, precision, 2))
    return columns


def median(rows, key):
    return statistics.median(row[key] for row in rows) if rows else float("nan")


def show(net, precision, way, columns, modes):
    one, two, torch = (median(columns[k], "rate") for k in ("one", "two", "torch"))
    memory, whole, part = (median(*k) / 1e6 for k in (
        (columns["one"], "memory"), (columns["torch"], "memory"), (columns["torch"], "memory_net")))
    print("%-9s %5d %-5s %8.4g %8.4g %6.2f %6.0f %6.0f %7.0f %8.4g %6.2f  %s" % (
        net, BATCHES[net], precision, one, torch, one / torch, memory, whole, part, two, two / one,
        "%s %s %s %s" % (columns["torch"][0]["torch"], *way[1:])
        if columns["torch"] else "no PyTorch"),
        flush=True)
    if len(modes) > 1:
        print("          PyTorch's trials: " +
              ", ".join("%s %.4g samples/s" % (mode, rate) for mode, (_, rate) in modes.items()))


def main():
    pythons = [p for p in words("TORCH_PYTHON", "/usr/bin/python3") if has_torch(p)]
    if not pythons:
        print("no PyTorch here (TORCH_PYTHON, Debian's python3-torch): convoy alone",
              file=sys.stderr)
    results = []
    print("Gradients, samples/s on one thread, medians of %d rounds of %s s; peak memory in MB;"
          "\nconvoy with two gradients on two threads\n" % (ROUNDS, SECONDS))
    print("%-9s %5s %-5s %8s %8s %6s %6s %6s %7s %8s %6s  %s" % (
        "net", "batch", "type", "convoy", "PyTorch", "ratio", "MB", "MB", "its net", "two",
        "times", "PyTorch, at its best"))
    for net in words("NETS", " ".join(BATCHES)):
        for precision in words("PRECISIONS", "f32 bf16"):
            modes = {mode: best_way(net, pythons, mode) for mode in MODES[precision]}
            way = max(modes.values(), key=lambda found: found[1])[0]
            columns = turns(net, precision, way)
            show(net, precision, way, columns, modes)
            results.append({"net": net, "batch": BATCHES[net], "precision": precision,
                            "way": way, "trials": modes, **columns})
    if os.environ.get("JSON"):
        with open(os.environ["JSON"], "w") as out:
            json.dump(results, out, indent=1)


main()
