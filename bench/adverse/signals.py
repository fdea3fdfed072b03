"""Signals at random moments: the files left are whole, and what is repeated ends like an unbroken run."""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import time

import h5py

import judge

TRAINING = ["--net", "logistic", "--lr", "0.01", "--eval-every", "1", "--quiet", "--threads", "1"]
COMMANDS = {
    "sim": ["sim", "--algo", "ad-psgd", "--workers", "4", "--gradients", "5000", *TRAINING, "--checkpoint-every", "0.1",
            "--resume", "--out", "o"],
    "sweep": ["sim", "--algo", "asgd,allreduce", "--workers", "1,2", "--gradients", "1500", *TRAINING, "--out", "o",
              "--checkpoint-every", "0.1", "--resume", "--jobs", "2"],
    "run": ["run", "t.json", "--quiet", "--out", "o", "--checkpoint-every", "0.1", "--threads", "1"],
    "lists": ["run", "t.json", "--quiet", "--out", "o", "--checkpoint-every", "0.1", "--threads", "1", "--lr", "0.01,0.02"],
    "train": ["train", "-n", "2", "--algo", "allreduce", "--workers", "2", "--gradients", "1500", *TRAINING[:-2],
              "--checkpoint-every", "0.5", "--resume", "--out", "o"],
    "timing": ["sim", "--algo", "ad-psgd,asgd", "--workers", "8,16", "--timing", "--gradients", "60000", "--quiet", "--out",
               "o"],
    "plot": ["plot", "t.json", "--out", "kept"],
    "report": ["report", "t.json", "--out", "kept"],
    "pictures": ["report", "--plots", "pictures"],
}
SPEC = """{ "title": "T", "base": { "algo": "asgd", "workers": 2, "net": "logistic", "lr": 0.01, "gradients": 1500 },
  "grid": { "algo": ["asgd", "allreduce"], "seed": [1, 2] }, "baseline": { "algo": "allreduce", "workers": 1 },
  "tables": [ { "name": "t", "title": "T", "rows": "algo", "columns": "workers", "values": ["time_s", "train_loss"] } ],
  "plots": [ { "name": "c", "title": "C", "from": "train", "x": "epoch", "y": "loss", "series": "algo" },
    { "name": "d", "title": "D", "from": "train", "x": "time_s", "y": "loss", "series": "algo" } ] }
"""
KINDS = {signal.SIGINT: {130}, signal.SIGTERM: {143}, signal.SIGHUP: {143, 129}}


class Trial:
    """A folder in which one command is run, and how it ends unbroken."""

    def __init__(self, convoy, source, path, name):
        self.command, self.path, self.name = [convoy, *COMMANDS[name]], path, name
        self.env = judge.environment(path, source, {})
        self.fresh(convoy, source)
        start = time.monotonic()
        code, err = self.finish()
        self.seconds = time.monotonic() - start
        if code:
            raise SystemExit(f"{name}: the unbroken run failed ({code}): {err}")
        self.whole = self.digest()

    def fresh(self, convoy, source):
        kept = self.path + ".kept"
        if not os.path.exists(kept):
            os.makedirs(kept)
            with open(kept + "/t.json", "w") as f:
                f.write(SPEC)
            if self.name in ("plot", "report"):
                subprocess.run([convoy, "run", "t.json", "--quiet", "--out", "kept"], cwd=kept, env=self.env, check=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                shutil.rmtree(kept + "/kept/t/default/plots", ignore_errors=True)
            if self.name == "pictures":
                shutil.copytree(source + "/results/reference/zhang2017/slow-worker", kept + "/pictures/a/slow-worker")
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(kept, self.path)

    def start(self):
        return subprocess.Popen(self.command, cwd=self.path, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def finish(self):
        p = self.start()
        err = p.communicate(timeout=300)[1].decode("utf-8", "replace")
        return p.returncode, err

    def files(self):
        return sorted(os.path.join(d, f) for d, _, fs in os.walk(self.path) for f in fs)

    def digest(self):
        """Of what must be the same: numbers of results, and the bytes of tables and pictures."""
        found = {}
        for f in self.files():
            short = os.path.relpath(f, self.path)
            if f.endswith(".h5"):
                found[short] = numbers(f, self.name == "train")
            elif "/tables/" in f or f.endswith((".svg", ".dat", ".gp", ".csv", "claims.json")):
                with open(f, "rb") as file:
                    found[short] = hashlib.sha1(file.read()).hexdigest()
            elif f.endswith((".html", ".png")):
                found[short] = "there"
        return found

    def torn(self):
        """The files that are not whole."""
        found = []
        for f in self.files():
            short = os.path.relpath(f, self.path)
            if f.endswith(".h5"):
                try:
                    with h5py.File(f, "r") as h:
                        if h["summary"].attrs["status"] not in (b"done", "done"):
                            found.append(short + ": a result that is not done")
                except Exception as e:
                    found.append(f"{short}: {e}")
            elif f.endswith(".h5.part"):
                try:
                    with h5py.File(f, "r") as h:
                        h["summary"].attrs["status"]
                except Exception as e:
                    found.append(f"{short}: {e}")
            elif f.endswith(".html") and not open(f, encoding="utf-8").read().rstrip().endswith("</html>"):
                found.append(short + ": not whole")
            elif f.endswith(".svg") and not open(f, encoding="utf-8").read().rstrip().endswith("</svg>"):
                found.append(short + ": not whole")
        return found


def numbers(path, real):
    """A digest of a result: all columns, or of a real run, whose times differ, its model."""
    with h5py.File(path, "r") as h:
        if real:
            return str(h["summary"].attrs["model"]) + str(h["summary"].attrs["gradients"])
        found = hashlib.sha1()

        def add(name, x):
            if isinstance(x, h5py.Dataset) and "environment" not in name:
                found.update(name.encode() + x[()].tobytes())
        h.visititems(add)
        return found.hexdigest()


def once(rng, trial, convoy, source):
    """Returns whether a signal landed, and what was wrong."""
    trial.fresh(convoy, source)
    which = rng.choice(list(KINDS))
    after = rng.uniform(0.05, 0.9) * trial.seconds
    p = trial.start()
    time.sleep(after)
    landed = p.poll() is None
    if landed:
        p.send_signal(which)
    try:
        err = p.communicate(timeout=60)[1].decode("utf-8", "replace")
    except subprocess.TimeoutExpired:
        p.kill()
        return landed, [f"did not end after {which.name}"]
    found = []
    landed = landed and p.returncode != 0
    if landed and p.returncode not in KINDS[which] | {-which}:
        found.append(f"exit code {p.returncode} after {which.name}: {err[-300:]!r}")
    if judge.REPORT.search(err.encode()):
        found.append("sanitizer: " + err[:2000])
    if trial.name in ("plot", "report", "pictures"):
        time.sleep(1)       # gnuplot finishes the picture that it is at
    found += trial.torn()
    code, err = trial.finish()
    if code:
        found.append(f"repeated: exit code {code}: {err[-500:]!r}")
    after_all = trial.digest()
    if after_all != trial.whole:
        found.append("repeated: differs in " + ", ".join(sorted(
            k for k in trial.whole.keys() | after_all.keys()
            if trial.whole.get(k) != after_all.get(k)))[:500])
    left = [os.path.relpath(f, trial.path) for f in trial.files() if f.endswith((".part", ".new"))]
    if left:
        found.append(f"left over: {left}")
    return landed, [f"{trial.name}, {which.name} after {after:.2f} s: {x}" for x in found]


def all_of(convoy, source, work, seed, n):
    """Repeats until N signals have landed; returns how many had findings."""
    rng, torn, landed, sent, by = random.Random(seed), 0, 0, 0, {}
    if not n:
        return 0
    os.makedirs(work, exist_ok=True)
    trials = [Trial(convoy, source, f"{work}/{name}", name) for name in COMMANDS]
    while landed < n:
        trial = trials[sent % len(trials)]
        sent += 1
        hit, found = once(rng, trial, convoy, source)
        landed += hit
        by[trial.name] = by.get(trial.name, 0) + hit
        torn += bool(found)
        for x in found:
            print("=== " + x, flush=True)
        if sent % 10 == 0:
            print(f"{landed} of {sent} signals landed, {torn} with findings", flush=True)
    print(f"{landed} of {sent} signals landed ({', '.join(f'{k} {c}' for k, c in by.items())}): {torn} with findings")
    return torn
