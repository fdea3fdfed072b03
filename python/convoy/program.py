"""Finds the program convoy, starts it and follows what it says."""
from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterable, Mapping

from .errors import Error
from .progress import Progress

# Options that are repeated, once for each KEY=VALUE.
_repeated = ("set", "only")
# Options that this package gives itself.
_own = {"json": "results are always read as JSON", "csv": "use the frame's to_csv()",
        "format": "results are frames; use their to_csv(), or 'convoy table' in a shell",
        "values": "a frame has every measure",
        "help": "use help(convoy), or 'convoy help' in a shell"}


def find() -> str:
    """Return the path of the program.

    The first of: ``$CONVOY``; the program within a wheel, or of the installation that holds this
    package; ``convoy`` on ``PATH``; ``build/convoy`` of the source tree that holds this package.
    """
    here = Path(__file__).resolve().parent
    named = os.environ.get("CONVOY")
    if named:
        found = shutil.which(named)
        if not found:
            raise Error(f"$CONVOY is '{named}', which is no program. Correct it, or unset it")
        return found
    inside = [here / "_program" / "bin" / "convoy"]
    if here.parts[-4:-1] == ("share", "convoy", "python"):
        inside.append(here.parents[3] / "bin" / "convoy")
    for path in inside:
        if os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("convoy")
    if found:
        return found
    built = here.parent.parent / "build" / "convoy"
    if os.access(built, os.X_OK):
        return str(built)
    raise Error("the program convoy was not found: $CONVOY is not set, no convoy is on PATH, and "
                f"there is no {built}. Install it, or set CONVOY to its path")


def _value_text(name: str, value: Any) -> str:
    """The text of one value on the command line."""
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()            # a number of NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        if isinstance(text, str):
            if "\0" in text:
                raise Error(f"{name}: the value has a NUL character: {text!r}")
            return text
    if name == "net":                   # each run and thread has a process that loads the file
        raise Error("net: a model of your own is in a file: write its class and make_problem() into "
                    "model.py, and give net='python:model.py'")
    raise Error(f"{name}: a value is {type(value).__name__} (expected text, a number, a truth value, "
                "or a list of them)")


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, range, set, frozenset)) or getattr(value, "ndim", 0) == 1


def pair_text(name: str, key: Any, value: Any) -> str:
    """KEY=VALUE; of a pair of numbers KEY=LO..HI."""
    if name == "vary" and _is_list(value) and len(value) == 2:
        return f"{key}={_value_text(name, value[0])}..{_value_text(name, value[1])}"
    values = value if _is_list(value) else [value]
    return f"{_value_text(name, key)}=" + ",".join(_value_text(name, v) for v in values)


def options(settings: Mapping[str, Any]) -> list[str]:
    """Return the command line of keyword arguments.

    ``compute_s=1`` becomes ``--compute-s=1``, a list ``a,b,c``, True the bare flag, False ``--no-...``,
    None nothing. The program refuses a bare name that needs a value. Values cannot become options: each is part of the word that names its option.
    """
    words = []
    for name, value in settings.items():
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
            raise Error(f"{name!r} is not the name of an option")
        if name in _own:
            raise Error(f"{name}: not for this package: {_own[name]}")
        flag = name.replace("_", "-")
        if value is None:
            continue
        if value is True:
            words.append(f"--{flag}")
        elif value is False:
            words.append(f"--no-{flag}")
        elif isinstance(value, Mapping) and name == "progress":
            words.append(f"--{flag}=" + ",".join(pair_text(name, k, v) for k, v in value.items()))
        elif isinstance(value, Mapping):
            words += [f"--{flag}={pair_text(name, k, v)}" for k, v in value.items()]
        elif name in _repeated and _is_list(value):
            words += [f"--{flag}={_value_text(name, v)}" for v in value]
        elif _is_list(value):
            texts = [_value_text(name, v) for v in value]
            if not texts:
                raise Error(f"{name}: the list is empty. Give a value, or leave it out")
            words.append(f"--{flag}={','.join(texts)}")
        else:
            words.append(f"--{flag}={_value_text(name, value)}")
    return words


def plain_words(what: str, words: Iterable[Any]) -> list[str]:
    """Return words that are not options: names, paths, KEY=VALUE."""
    texts = []
    for word in words:
        text = _value_text(what, word)
        if text.startswith("-") or not text:
            raise Error(f"{what} {text!r}: expected a name or a path, not an option")
        texts.append(text)
    return texts


# What the program says of an option that True or False was given for, although it needs a value.
_no_value = r"option '--([a-z0-9_-]+)' needs a value(: there is no '--no-)?.*"


def _expected(found: re.Match[str]) -> str:
    return (f"{found[1].replace('-', '_')}: expected a value, not "
            f"{'False' if found[2] else 'True'}")


def _message(code: int, lines: list[str]) -> str:
    """What the program said when it failed."""
    errors, inside = [], False
    for line in lines:
        if line.startswith("convoy: error: "):
            errors.append(line[len("convoy: error: "):])
            inside = True
        elif line.startswith(("convoy: ", "usage: ")):
            inside = False
        elif inside:
            errors.append(line)
    if errors:
        return re.sub("^" + _no_value, _expected, "\n".join(errors))
    if lines:
        return "\n".join(line.removeprefix("convoy: ") for line in lines[-5:])
    if code < 0:
        return f"the program ended by signal {signal.Signals(-code).name}"
    return f"the program ended with exit code {code}, without a message"


def _follow(child: subprocess.Popen, progress: Progress) -> int:
    """Shows what the program says until its end. Its exit code."""
    assert child.stderr
    while True:
        said = os.read(child.stderr.fileno(), 65536)
        if not said:
            return child.wait()
        progress.feed(said)


def _end(child: subprocess.Popen, progress: Progress) -> None:
    """Interrupts the program and waits until its files are whole; Ctrl-C again kills its runs."""
    while child.poll() is None:
        try:
            child.send_signal(signal.SIGINT)
            _follow(child, progress)
        except KeyboardInterrupt:
            continue


def call(command: str, words: Iterable[str], quiet: bool = False) -> tuple[list[Any], Error | None]:
    """Start ``convoy COMMAND WORD... --json`` and wait for its end.

    Progress and notes go to ``sys.stderr``, unless quiet. An interrupt (Ctrl-C, or a notebook's stop)
    ends the program as Ctrl-C in a terminal does: checkpoints and result files are written first.

    Returns
    -------
    documents : list
        The JSON documents that the program printed.
    error : Error or None
        Set if the program failed although it printed something; without output it is raised.
    """
    line = [find(), command, *words, "--json"]
    if quiet:
        line.append("--quiet")
    progress = Progress(command, quiet)
    environment = {name: value for name, value in os.environ.items() if name != "CONVOY_TERMINAL"}
    environment.setdefault("CONVOY_PYTHON", sys.executable)     # of nets python:FILE
    if progress.moves:
        environment.update(CONVOY_TERMINAL="1", TERM="xterm")
    with tempfile.TemporaryFile() as printed, progress:
        try:
            # Of a session of its own, so that a terminal's Ctrl-C reaches it once, from here.
            child = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=printed,
                                     stderr=subprocess.PIPE, env=environment,
                                     start_new_session=True)
        except OSError as error:
            raise Error(f"{line[0]} cannot be started: {error.strerror}", None, line) from None
        try:
            code = _follow(child, progress)
        except BaseException:
            _end(child, progress)
            raise
        finally:
            if child.stderr:
                child.stderr.close()
        progress.finish()
        printed.seek(0)
        text = printed.read().decode("utf-8", "replace")
    if code and not text.strip():
        raise Error(_message(code, progress.lines), code, line)
    documents, at, decoder = [], 0, json.JSONDecoder()
    text = text.rstrip()
    try:
        while at < len(text):
            document, at = decoder.raw_decode(text, at)
            documents.append(document)
            at += len(text[at:]) - len(text[at:].lstrip())
    except ValueError:
        raise Error(_message(code, progress.lines) if code else
                    f"the program printed no JSON: {text[:200]!r}", code, line) from None
    if not documents:
        raise Error(f"'convoy {command}' printed nothing", code, line)
    return documents, Error(_message(code, progress.lines), code, line) if code else None


def main() -> None:
    """Replace this process by the program: the command ``convoy`` of a wheel."""
    try:
        path = find()
        os.environ.setdefault("CONVOY_PYTHON", sys.executable)
        os.execv(path, [path, *sys.argv[1:]])
    except (Error, OSError) as error:
        print(f"convoy: error: {error}", file=sys.stderr)
        sys.exit(128)
