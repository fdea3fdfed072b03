"""Mutated inputs and signals against convoy: see ../adverse.sh."""
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import inputs
import judge
import samples
import signals


def tree(path):
    """What is in a folder, without following links: names, kinds, sizes, times."""
    found = {}
    for d, folders, files in os.walk(path):
        for f in files + folders:
            s = os.lstat(os.path.join(d, f))
            found[os.path.join(d, f)] = (s.st_mode, s.st_size if f in files else 0, s.st_mtime_ns if f in files else 0)
    return found


def holds_token(path):
    for d, _, files in os.walk(path):
        for f in files:
            p = os.path.join(d, f)
            if os.path.isfile(p) and not os.path.islink(p) and os.path.getsize(p) < 1 << 22:
                with open(p, "rb") as file:
                    if judge.TOKEN.encode() in file.read():
                        return f
    return None


class Round:
    def __init__(self, convoy, source, work):
        self.convoy, self.source, self.work = convoy, source, work
        self.box, self.up = work + "/world/box", work + "/world/up"
        env = judge.environment(work, source, {})
        self.good = samples.Samples(convoy, source, work + "/samples", env)
        self.counts, self.codes, self.late = {}, {}, 0

    def once(self, seed):
        rng = random.Random(seed)
        subprocess.run(["rm", "-rf", self.work + "/world"], check=True)
        os.makedirs(self.box)
        os.makedirs(self.up)
        for name in "secret", "secret.h5":
            with open(f"{self.up}/{name}", "w") as f:
                f.write("secret")
        kinds, weights = zip(*inputs.KIND_WEIGHTS.items())
        kind = rng.choices(kinds, weights)[0]
        box = inputs.Box(self.box, self.good)
        words = [w if isinstance(w, bytes) else inputs.raw(rng, w) for w in kind(rng, box)]
        command = [self.convoy.encode(), *words]
        env = judge.environment(self.box, self.source, box.env)
        before = tree(self.up)
        got = judge.run(command, self.box, env, terminal=rng.random() < 0.1)
        found = judge.faults(got, command, [*box.marks, *box.env.values()])
        if tree(self.up) != before:
            found.append("wrote outside of its folder: " + str(set(tree(self.up).items()) ^ set(before.items())))
        stray = set(os.listdir(self.work + "/world")) - {"box", "up", "out", "err"}
        if stray:
            found.append(f"wrote outside of its folder: {stray}")
        if os.path.exists(self.box + "/pwned"):
            found.append("a text was run as a command")
        token = holds_token(self.box)
        if token:
            found.append(f"{token} holds a value of the environment")
        self.counts[kind.__name__] = self.counts.get(kind.__name__, 0) + 1
        self.codes[got.code] = self.codes.get(got.code, 0) + 1
        self.late += got.late
        return kind.__name__, words, box.env, got, found


def show(seed, kind, words, env, got, found):
    print(f"\n=== {seed} {kind} exit {got.code}{' late' if got.late else ''}: " + "; ".join(found)[:600])
    print("    convoy " + " ".join(repr(w)[1:][:200] for w in words)[:1500] + (f"   {env}" if env else ""))
    err = got.err.decode("utf-8", "replace")
    print("    " + repr(err[-1500:] if "Sanitizer" not in err and "runtime" not in err else err[:2500]), flush=True)


def main():
    convoy, source = os.environ["CONVOY"], os.environ["CONVOY_HOME"]
    n, first = int(os.environ.get("N", "5000")), int(os.environ.get("SEED", "1"))
    work = os.environ.get("ADVERSE_WORK") or tempfile.mkdtemp(prefix="adverse.")
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    rounds, bad, slowest = Round(convoy, source, work), 0, (0.0, 0)
    start = time.monotonic()
    for i in range(int(os.environ.get("START", "0")), int(os.environ.get("START", "0")) + n):
        seed = first * 1000000 + i
        began = time.monotonic()
        try:
            kind, words, env, got, found = rounds.once(seed)
        except Exception:
            print(f"=== {seed}: the script itself failed")
            traceback.print_exc()
            continue
        slowest = max(slowest, (time.monotonic() - began, seed))
        if found or "SHOW" in os.environ:
            bad += bool(found)
            show(seed, kind, words, env, got, found)
        if (i + 1) % 250 == 0:
            print(f"{i + 1} inputs, {bad} with findings, {time.monotonic() - start:.0f} s", flush=True)
    print(f"{n} inputs: {bad} with findings, {rounds.late} asked to end after {judge.SECONDS:.0f} s; "
          f"slowest {slowest[0]:.1f} s ({slowest[1]})")
    print("exit codes: " + ", ".join(f"{c}: {k}" for c, k in sorted(rounds.codes.items())))
    print("kinds: " + ", ".join(f"{k} {c}" for k, c in sorted(rounds.counts.items())))
    torn = signals.all_of(convoy, source, work + "/signals", first, int(os.environ.get("SIGNALS", "100")))
    shutil.rmtree(work, ignore_errors=True)
    return 1 if bad or torn else 0


sys.exit(main())
