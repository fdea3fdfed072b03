"""Answers convoy's requests for a problem in a Python file: serve.py FILE FUNCTION [KEY=VALUE...].

convoy starts this file; docs/problem-protocol.md describes what is sent.
"""
import ast
import mmap
import os
import socket
import struct
import sys

# One thread of each library, as every compute thread of convoy has a process of its own. The sums
# of several threads would also depend on their number.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

VERSION = 1
SOCKET_FD, MEMORY_FD = 3, 4
DESCRIBE, MAP, INIT, GRAD, STATS, SCORE = range(1, 7)
TEXT_MOST = 1 << 16

REQUEST = struct.Struct("=IIQQqqII2Q")
LAYOUT = struct.Struct("=5Q3Q")
ANSWER = struct.Struct("=IIQdqqQ2Q")
SIZES = struct.Struct("=IIQQqqQQQ")
BLOB = struct.Struct("=64sQ4qII2Q")
METRIC = struct.Struct("=64s")


class Wrong(Exception):
    """A problem that does not keep its contract; the text is for the user."""


# ---- the problem ----


def _value(text):
    """Value of an argument: true, false, a literal of Python, else the text."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


class Reads:
    """Files that the problem reads while it is made, other than Python's own and libraries."""

    MOST, LARGEST = 4, 1 << 26      # files that are listed, and bytes that are hashed

    def __init__(self, path):
        self.open, self.files = True, []
        self.folders = {os.path.dirname(os.path.realpath(path)), os.path.realpath(os.getcwd())}
        self.path = os.path.realpath(path)
        sys.addaudithook(self.hook)

    def hook(self, event, args):
        if not self.open or event != "open" or not isinstance(args[0], (str, bytes)):
            return
        writes = args[2] & (os.O_WRONLY | os.O_RDWR) if isinstance(args[2], int) else 0
        if not writes:
            self.add(os.fsdecode(args[0]))

    def add(self, file):
        file = os.path.realpath(file)
        inside = any(file.startswith(os.path.join(folder, "")) for folder in self.folders)
        library = "site-packages" in file or file.endswith(".pyc") or file == self.path
        if inside and not library and file not in self.files and os.path.isfile(file):
            self.files.append(file)

    def text(self):
        """Text of the files with digests, or ""; nothing is recorded from now on."""
        import hashlib

        self.open = False
        for module in list(sys.modules.values()):       # a cached one is not opened itself
            file = getattr(module, "__file__", None)
            if isinstance(file, str):
                self.add(file)
        self.files.sort()
        shown = []
        for file in self.files[:self.MOST]:
            try:
                with open(file, "rb") as data:
                    digest = hashlib.sha256(data.read(self.LARGEST)).hexdigest()[:12]
            except OSError:
                continue
            shown.append(f"{os.path.basename(file)} {digest}")
        more = len(self.files) - self.MOST
        return ", read " + " ".join(shown) + (f" and {more} more" if more > 0 else "") if shown else ""


def seed_all():
    """Seed the generators that draw without one, so that each process makes the same problem."""
    import random

    random.seed(0)
    np.random.seed(0)
    if hasattr(sys.modules.get("torch"), "manual_seed"):
        sys.modules["torch"].manual_seed(0)


def load(path, function, words):
    """Run the file and call its function with KEY=VALUE arguments; return the problem."""
    name = os.path.splitext(os.path.basename(path))[0]
    module = type(sys)(name)
    module.__file__ = path
    sys.modules.setdefault(name, module)
    with open(path, "rb") as file:
        code = compile(file.read(), path, "exec")
    seed_all()
    exec(code, module.__dict__)
    make = module.__dict__.get(function)
    if make is None:
        callables = sorted(k for k, v in module.__dict__.items() if callable(v) and k[0] != "_")
        raise Wrong(
            f"{path} has no function {function}"
            + (f" (it has {', '.join(callables[:8])})" if callables else "")
        )
    seed_all()          # the file may have imported PyTorch, which seeds itself at random
    return make(**{k: _value(v) for k, v in (word.split("=", 1) for word in words)})


def _integer(problem, name, least):
    value = getattr(problem, name, None)
    try:
        value = value.__index__()
    except AttributeError:
        raise Wrong(f"{name} of the problem is {value!r} (expected an int)") from None
    if not least <= value < 2**63:
        most = f"at least {least}" if value < least else "less than 2**63"
        raise Wrong(f"{name} of the problem is {value} (expected {most})")
    return value


def _blobs(problem, dim):
    """Rows (name, shape, count, decay) of the parts of x, or [] for one part."""
    names = getattr(problem, "names", None)
    rows = []
    for row in names() if names else []:
        try:
            name, shape = row[0], [int(n) for n in row[1]]
        except (TypeError, ValueError, IndexError):
            raise Wrong(f"names() returned {row!r} (expected (name, shape))") from None
        if len(shape) > 4:
            shape = shape[:3] + [_product(shape[3:])]
        if _product(shape) != 0:        # PyTorch allows parameters without elements
            rows.append((str(name), shape, _product(shape), row[2] if len(row) > 2 else True))
    total = sum(row[2] for row in rows)
    if rows and total != dim:
        raise Wrong(f"names() has shapes of {total} floats, and init() returned {dim}")
    return rows


def _product(shape):
    count = 1
    for n in shape:
        count *= n
    return count


def _vector(value, dim, what):
    """The array of float32[dim], contiguous; dim None: any length."""
    if not isinstance(value, np.ndarray):
        raise Wrong(f"{what} is {type(value).__name__} (expected a numpy array of float32)")
    if value.dtype != np.float32:
        raise Wrong(f"{what} has dtype {value.dtype} (expected float32)")
    if value.ndim != 1 or (dim is not None and len(value) != dim):
        raise Wrong(f"{what} has shape {value.shape} (expected {f'({dim},)' if dim else '1-D'})")
    return value


def _pair(value, n, what, expected):
    try:
        if len(value) == n:
            return value
    except TypeError:
        pass
    raise Wrong(f"{what} returned {type(value).__name__} (expected {expected})")


def _number(value, what):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise Wrong(f"{what} is {type(value).__name__} (expected a number)") from None


def keep_memory():
    """Let malloc keep the arrays that a gradient frees, for the next one.

    glibc returns most of them to the system, which clears their pages when they are used again.
    """
    if any(name.startswith("MALLOC_") or name == "GLIBC_TUNABLES" for name in os.environ):
        return
    try:
        import ctypes

        mallopt = ctypes.CDLL(None).mallopt
    except (ImportError, AttributeError, OSError):
        return                          # another library of C
    mallopt(-4, 0)                      # M_MMAP_MAX
    mallopt(-1, (1 << 31) - 1)          # M_TRIM_THRESHOLD
    mallopt(-2, 64 << 20)               # M_TOP_PAD


def _whole(value, what):
    number = _number(value, what)
    if not abs(number) < 2**63 or number != int(number):
        raise Wrong(f"{what} is {value!r} (expected a whole number)")
    return int(number)


def _metrics(problem):
    """Names of the numbers that score() gives with the loss."""
    names = getattr(problem, "metrics", ())
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise Wrong(f"metrics of the problem is {names!r} (expected a list of names)")
    return [str(name) for name in names]


def _labels(problem):
    """Labels of each sample, which score() counts; 0: None, any number."""
    name = "labels_per_sample"
    if not hasattr(problem, name):
        return 1
    return 0 if getattr(problem, name) is None else _integer(problem, name, 1)


def _sums(metrics, names):
    if not isinstance(metrics, dict) or set(metrics) != set(names):
        got = ", ".join(map(str, metrics)) if isinstance(metrics, dict) else type(metrics).__name__
        raise Wrong(f"score() returned the metrics {got or 'of an empty dict'} "
                    f"(expected {', '.join(names)})")
    return [_number(metrics[name], f"the metric {name} that score() returned") for name in names]


class Server:
    """Problem of this process, with its vectors in the shared memory."""

    def __init__(self, path, function, words):
        reads = Reads(path)
        pure = "pure=false" not in words
        self.problem = load(path, function, [word for word in words if word != "pure=false"])
        self.read = reads.text()
        for name in ("init", "grad", "score"):
            if not callable(getattr(self.problem, name, None)):
                raise Wrong(
                    f"{function}() returned {type(self.problem).__name__}, which has no "
                    f"{name}() (expected a convoy.Problem)"
                )
        self.n_train = _integer(self.problem, "n_train", 1)
        self.n_test = _integer(self.problem, "n_test", 0)
        self.direct = hasattr(self.problem, "bind")  # it writes into the shared vectors itself
        if self.direct:
            self.problem.pure = pure
        self.stats_dim = int(getattr(self.problem, "stats_dim", 0))
        if hasattr(self.problem, "dim"):
            self.dim = _integer(self.problem, "dim", 1)
        else:
            self.dim = len(_vector(self.problem.init(0), None, "what init() returned"))
            if self.dim < 1:
                raise Wrong("init() returned no floats")
        self.blobs = _blobs(self.problem, self.dim)
        self.metrics = _metrics(self.problem)
        self.labels = _labels(self.problem)
        self.sums = struct.Struct(f"={len(self.metrics)}d")

    def describe(self):
        versions = [f"python {sys.version.split()[0]}"]
        for name in ("numpy", "torch", "jax"):
            if name in sys.modules and hasattr(sys.modules[name], "__version__"):
                versions.append(f"{name} {sys.modules[name].__version__}")
        text = (", ".join(versions) + self.read).encode("ascii", "replace")[:240]
        remark = getattr(self.problem, "remark", None)
        line = remark() if self.direct and remark else ""
        if line:
            text += b"\n" + line.encode("ascii", "replace")
        out = [
            SIZES.pack(VERSION, 0, self.dim, self.stats_dim, self.n_train, self.n_test,
                       len(self.blobs), len(self.metrics), self.labels)
        ]
        for name, shape, count, decay in self.blobs:
            padded = (shape + [0, 0, 0, 0])[:4]
            short = name.encode("utf-8")[:63].decode("utf-8", "ignore").encode("utf-8")
            out.append(BLOB.pack(short, count, *padded, len(shape), 0 if decay else 1, 0, 0))
        out += [METRIC.pack(name.encode("utf-8")[:63]) for name in self.metrics]
        return b"".join(out) + text, len(text)

    def map(self, layout):
        size, x, g, stats, sample = layout[:5]
        keep_memory()
        self.memory = mmap.mmap(MEMORY_FD, size)

        def view(kind, at, n):
            return np.frombuffer(self.memory, kind, n, at)

        self.x, self.g = view(np.float32, x, self.dim), view(np.float32, g, self.dim)
        self.stats = view(np.float32, stats, self.stats_dim) if self.stats_dim else None
        self.sample = view(np.int64, sample, (size - sample) // 8)
        self.x_read = self.x.view()
        self.x_read.flags.writeable = False
        if self.direct:
            self.problem.bind(self.x, self.g, self.stats)

    def init(self, seed):
        if self.direct:
            self.problem.init(seed)
        else:
            self.x[:] = _vector(self.problem.init(seed), self.dim, "what init() returned")

    def batch(self, seed, n):
        return Batch(self.sample[:n].copy(), seed, self.g)

    def grad(self, seed, n):
        result = self.problem.grad(self.x_read, self.batch(seed, n))
        if self.direct:
            return _number(result, "the loss that grad() returned")
        loss, g = _pair(result, 2, "grad()", "(mean loss, float32[dim])")
        loss = _number(loss, "the loss that grad() returned")
        if g is not self.g:
            self.g[:] = _vector(g, self.dim, "the gradient that grad() returned")
        return loss

    def score(self, split, first, n):
        result = self.problem.score(self.x_read, "test" if split else "train", first, n)
        if self.metrics:
            expected = "(sum of losses, number right, count, {metric: sum})"
            *numbers, metrics = _pair(result, 4, "score()", expected)
        else:
            numbers, metrics = _pair(result, 3, "score()", "(sum of losses, number right, count)"), {}
        loss, right, count = numbers
        return (
            _number(loss, "the loss that score() returned"),
            _whole(right, "the number right that score() returned"),
            _whole(count, "the count that score() returned"),
            self.sums.pack(*_sums(metrics, self.metrics)),
            0,
        )


# ---- failures ----


def reason(error, path):
    """Text of a failure: the cause in one line, then the traceback."""
    import traceback

    if isinstance(error, Wrong):
        return str(error)
    more = []
    if isinstance(error, SystemExit):
        cause = f"sys.exit({error.code!r})"
    else:
        try:
            said = str(error)
        except Exception:
            said = "(its text cannot be shown)"
        cause, *more = f"{type(error).__name__}: {said.strip() or 'without a text'}".splitlines()
    lines = traceback.extract_tb(error.__traceback__)
    ours = os.path.dirname(os.path.abspath(__file__))
    lines = [f for f in lines if os.path.dirname(os.path.abspath(f.filename)) != ours
             and not f.filename.startswith("<frozen")]
    own = [f for f in lines if os.path.dirname(f.filename) == os.path.dirname(path)]
    where = (own or lines or [None])[-1]
    if isinstance(error, SyntaxError) and error.filename:
        cause = f"{type(error).__name__}: {error.msg} ({error.filename}, line {error.lineno})"
    elif where:
        cause += f" ({where.filename}, line {where.lineno}, in {where.name})"
    if isinstance(error, ModuleNotFoundError):
        cause += (f" [{sys.executable}; --python PATH or CONVOY_PYTHON name another interpreter, "
                  "PYTHONPATH the folder of a module of your own]")
    elif isinstance(error, ImportError) and "relative import" in cause:
        cause += (" [the file is no part of a package: import a module of its folder by its name, "
                  "others from a folder that PYTHONPATH names]")
    rest = "".join("\n" + line for line in more)
    if not lines:
        return cause + rest
    shown = "".join(traceback.format_list(lines[-20:]))
    return f"{cause}\nTraceback (most recent call last):\n{shown}{cause}{rest}"


# ---- requests ----


def receive(connection, n):
    """Exactly n bytes, or b"" when convoy has closed the socket."""
    data = connection.recv(n, socket.MSG_WAITALL)
    while 0 < len(data) < n:
        more = connection.recv(n - len(data), socket.MSG_WAITALL)
        if not more:
            return b""
        data += more
    return data


def answer(server, kind, seed, n, first, split):
    """Return (loss, correct, n, bytes that follow the answer, bytes of text)."""
    if kind == GRAD:
        return server.grad(seed, n), 0, 0, b"", 0
    if kind == SCORE:
        return server.score(split, first, n)
    if kind == INIT:
        server.init(seed)
    elif kind == STATS:
        server.problem.statistics(server.batch(seed, n))
    elif kind == DESCRIBE:
        return (0.0, 0, 0) + server.describe()
    return 0.0, 0, 0, b"", 0


def serve(path, function, words):
    connection = socket.socket(fileno=SOCKET_FD)
    os.set_inheritable(SOCKET_FD, False)
    os.set_inheritable(MEMORY_FD, False)
    server = None
    while True:
        data = receive(connection, REQUEST.size)
        if not data:
            return
        kind, _, number, seed, n, first, split = REQUEST.unpack(data)[:7]
        more = receive(connection, LAYOUT.size) if kind == MAP else b""
        try:
            if server is None:
                server = Server(path, function, words)
            if kind == MAP:
                server.map(LAYOUT.unpack(more))
            loss, right, count, after, text = answer(server, kind, seed, n, first, split)
            out = ANSWER.pack(kind, 0, number, loss, right, count, text, 0, 0) + after
        except BaseException as error:
            text = reason(error, path).encode("utf-8", "replace")[:TEXT_MOST]
            out = ANSWER.pack(kind, 1, number, 0.0, 0, 0, len(text), 0, 0) + text
        connection.sendall(out)


def main():
    path, function, *words = sys.argv[1:]
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path[0] = here
    sys.path.insert(1, os.path.dirname(os.path.abspath(path)))
    sys.argv = [path]
    global np, Batch
    try:
        import numpy as np

        from convoy.problem import Batch
    except ImportError as error:
        failed = error

        def load_failed(*_):
            raise Wrong(
                f"{failed}, which convoy needs, in the interpreter {sys.executable}. Install it "
                "there, or name another interpreter by --python PATH or CONVOY_PYTHON"
            )

        globals()["load"] = load_failed
    serve(path, function, words)


if __name__ == "__main__":
    main()
