"""Least squares of 20 unknowns, with faults: fault=KIND at the gradient number `at`."""
import os
import signal
import sys
import threading
import time

import numpy as np

import convoy


class Line(convoy.Problem):
    n_train, n_test = 512, 64

    def __init__(self, fault, at):
        draw = np.random.default_rng(None if fault == "unseeded" else 0)
        self.a = draw.normal(size=(576, 20)).astype("f4")
        if fault == "unscored":         # the test samples alone
            self.a[512:] = np.random.default_rng().normal(size=(64, 20))
        self.y = self.a @ np.arange(20, dtype="f4") / 20
        self.fault, self.at, self.calls = fault, at, 0

    def init(self, seed):
        return np.zeros(20, "f4")

    def names(self):
        return [("first", (3, 4)), ("second", (8,))]

    def error(self, x, at):
        return self.a[at] @ x - self.y[at]

    def grad(self, x, batch):
        self.calls += 1
        if self.fault in FAULTS and self.calls > self.at:
            found = FAULTS[self.fault](self, x, batch)
            if found is not None:
                return found
        error = self.error(x, batch.indices)
        return (error**2).mean() / 2, self.a[batch.indices].T @ error / len(error)

    def score(self, x, split, first, n):
        at = slice(first, first + n) if split == "train" else slice(512 + first, 512 + first + n)
        return (self.error(x, at) ** 2).sum() / 2, -1, n


def shout(*_):
    print("SHOUTED")
    os.write(1, b"SHOUTED\n")


def fork(*_):
    if os.fork() == 0:
        time.sleep(600)


def thread(*_):
    threading.Thread(target=time.sleep, args=(600,), daemon=False).start()
    raise RuntimeError("after a thread")


def hog(*_):
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    return bytearray(1 << 32)


def good(x, dtype="f4"):
    return np.zeros(len(x), dtype)


FAULTS = {
    "raise": lambda *_: 1 / 0,
    "sysexit": lambda *_: sys.exit(3),
    "exit": lambda *_: os._exit(7),
    "exit0": lambda *_: os._exit(0),
    "segv": lambda *_: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": lambda *_: os.kill(os.getpid(), signal.SIGKILL),
    "term": lambda *_: os.kill(os.getpid(), signal.SIGTERM),
    "stop": lambda *_: os.kill(os.getpid(), signal.SIGSTOP),
    "hang": lambda *_: time.sleep(600),
    "double": lambda self, x, batch: (0.0, good(x, "f8")),
    "longer": lambda self, x, batch: (0.0, good(np.zeros(21))),
    "matrix": lambda self, x, batch: (0.0, good(x).reshape(4, 5)),
    "list": lambda self, x, batch: (0.0, [0.0] * 20),
    "lossless": lambda self, x, batch: good(x),
    "text": lambda self, x, batch: ("much", good(x)),
    "nan": lambda self, x, batch: (float("nan"), good(x)),
    "nangrad": lambda self, x, batch: (1.0, good(x) * np.float32("nan")),
    "random": lambda self, x, batch: (float(np.random.default_rng().random()), good(x)),
    "write": lambda self, x, batch: x.__setitem__(0, 1),
    "recursion": lambda self, x, batch: FAULTS["recursion"](self, x, batch),
    "interrupt": lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()),
    "closed": lambda *_: os.close(3),
    "garbage": lambda *_: os.write(3, b"x" * 64) and None,
    "truncate": lambda *_: os.ftruncate(4, 0),
    "shout": shout,
    "fork": fork,
    "thread": thread,
    "memory": hog,
}


def make_problem(fault="", at=0):
    if fault == "import":
        import no_such_module  # noqa: F401
    if fault == "relative":
        from . import no_such_module  # noqa: F401
    if fault == "lines":
        raise ValueError("first\nsecond: what the first line is about")
    if fault == "nothing":
        return None
    return Line(fault, at)
