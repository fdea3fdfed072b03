"""Runs one command in its folder, and says what was wrong with how it ended."""
import os
import pty
import re
import resource
import select
import signal
import subprocess
import time

CODES = {0, 1, 128, 129, 130, 138, 143}
REPORT = re.compile(rb"(AddressSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|runtime error:|Sanitizer:|BUG:|Assertion)")
COLOURS = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
TOKEN = "not-to-be-printed-5e1f"
SECONDS = 10.0


def environment(box_path, source, extra):
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": box_path, "TMPDIR": box_path, "CONVOY_HOME": source,
           "LANG": "C.UTF-8", "TOKEN": TOKEN, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
           "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4000:hard_rss_limit_mb=6000"
                           ":exitcode=99:allocator_release_to_os_interval_ms=-1",
           "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
           "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    env.update(extra)
    return env


def _limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))


class Outcome:
    """How a command ended: code, out and err in bytes, and whether it took too long and could be asked to end."""

    def __init__(self):
        self.code, self.out, self.err, self.late, self.stuck, self.terminal = 0, b"", b"", False, False, False


def run(command, cwd, env, terminal=False):
    got = Outcome()
    got.terminal = terminal
    out = open(os.path.join(os.path.dirname(cwd), "out"), "w+b")
    err = open(os.path.join(os.path.dirname(cwd), "err"), "w+b")
    leader = None
    if terminal:
        leader, follower = pty.openpty()
    p = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=follower if terminal else out,
                         stderr=err, preexec_fn=_limits, start_new_session=True)
    if terminal:
        os.close(follower)
    end, shown, asked = time.monotonic() + SECONDS, b"", 0
    while p.poll() is None:
        if terminal and select.select([leader], [], [], 0.02)[0]:
            try:
                shown += os.read(leader, 65536)
            except OSError:
                pass
        elif not terminal:
            try:
                p.wait(0.05)
            except subprocess.TimeoutExpired:
                pass
        if time.monotonic() > end:
            got.late, asked = True, asked + 1
            if asked > 2:
                got.stuck = True
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
            else:
                p.send_signal(signal.SIGINT)
                end = time.monotonic() + 8
    while terminal:
        try:
            more = os.read(leader, 65536) if select.select([leader], [], [], 0)[0] else b""
        except OSError:
            more = b""
        if not more:
            os.close(leader)
            break
        shown += more
    got.code = p.returncode
    for name, file in ("out", out), ("err", err):
        file.seek(0)
        setattr(got, name, file.read(1 << 24))
        file.close()
    if terminal:
        got.out = shown
    return got


def _controls(data):
    """What of the bytes could drive a terminal: C0 but for tab, line feed, form feed, return; DEL; C1; bytes that are not UTF-8."""
    found = re.search(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]|\xc2[\x80-\x9f]", data)
    if found:
        return f"control byte {found.group()!r} in {data[max(0, found.start() - 40):found.end() + 20]!r}"
    try:
        data.decode()
    except UnicodeDecodeError as e:
        if e.end < len(data) - 4:
            return f"not UTF-8: {data[max(0, e.start - 40):e.end + 20]!r}"
    return None


def _own_controls(words):
    """The user's own names are printed as they are for scripts."""
    return any(_controls(w if isinstance(w, bytes) else w.encode("utf-8", "surrogatepass")) for w in words)


def words_of(command, marks):
    """The words of the input, one of which an error's message names."""
    words = set()
    for w in [*command[1:], *marks, "results"]:
        w = w.decode("utf-8", "replace") if isinstance(w, bytes) else w
        words.update(x[:12] for x in re.findall(r"[^\W_]{2,}", w.replace("\0", "")))
        words.update(re.findall(r"\S", w) if len(w) < 3 else [w[:30]])
        if not w:                           # shown as what it is
            words.add("''")
        elif not w.isprintable():           # shown as spaces or question marks
            words.add("'")
    return words


def faults(got, command, marks):
    """What was wrong, a line each."""
    found = []
    if REPORT.search(got.err) or REPORT.search(got.out):
        found.append("sanitizer or assertion")
    if got.code not in CODES and not (got.late and got.code == -signal.SIGINT):
        found.append(f"exit code {got.code}")
    if got.stuck:
        found.append("did not end when asked to")
    elif got.late and got.code not in (130, 0, 1, -signal.SIGINT):
        found.append(f"late, then exit code {got.code}")
    for name, data in ("stdout", got.out), ("stderr", got.err):
        data = COLOURS.sub(b"", data) if got.terminal else data
        exact = name == "stdout" and not got.terminal and _own_controls([*command, *marks])
        c = _controls(data)
        if c and not exact:
            found.append(f"{name}: {c}")
        if TOKEN.encode() in data:
            found.append(f"{name}: a value of the environment")
    if got.code not in (0, 130) and not got.late:
        said = got.err.decode("utf-8", "replace")
        if not said.strip() and command[1] != b"doctor":      # whose answer is what is missing
            found.append(f"exit code {got.code} without a message")
        elif command[1] not in (b"complete", b"doctor") and not any(
                w in said for w in [*words_of(command, marks), "CONVOY_DATA"]):     # a data set is missing
            found.append("the message names nothing of the input")
    return found
