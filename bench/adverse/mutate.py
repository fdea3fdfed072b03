"""Mutations of texts, JSON values, bytes and HDF5 files, drawn from a random.Random."""
import contextlib
import copy
import json
import sys

import h5py
import numpy

NUMBERS = ["0", "-0", "-1", "1", "2", "0.5", "1e-9", "1e-320", "1e308", "1e309", "-1e308", "nan", "NaN", "-nan",
           "inf", "-inf", "Infinity", "2147483647", "2147483648", "4294967295", "4294967296", "-2147483649",
           "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e15",
           "1e16", "99999999999999999999999", "0x10", "1_000", "1,5", "1.5.5", "+1", " 1", "1 ", "1e", "e1", ".",
           "-", "00001", "1e-400", "1e99999", "16777216", "16777217", "1048576", "\u0661", "\u00bd", "1" * 400]
TEXTS = ["", " ", ":", ",", "=", "/", "//", ".", "..", "../up", "../../up", "/dev/null/x", "~", "-", "--", "-x",
         "none", "auto", "all", "null", "true", "%s%s%n", "%999999d", "$(id)", "`id`", "${HOME}", "$TOKEN", "'", '"',
         "''", "\\", "\\n", "\n", "\t", "\r", "a\nb", "\x1b]0;PWNED\x07", "\x1b[31m", "\u009b31m", "\u0085",
         "\x7f", "\x01\x02", "\u202eabc", "\ufeff", "\u0000", "\ud800", "\U0001f6a2", "a\u0301" * 30, "\u2028",
         "<script>x</script>", "&amp;", "]]>", "{workers}", "{", "}", "{{}}", "[", "*", "?", "|cat", "<cat", "; ls",
         "a" * 255, "a" * 256, "b" * 5000, "a," * 2000, "x=1," * 500, "0:1+" * 500, "(" * 3000, "a;b;c", "@", "+"]
RAW = [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\x9b31m", b"\xf4\x90\x80\x80", b"\xc2", b"\xe2\x82"]
SEPARATORS = ":,;@+*=-/. ()|.."


def number(rng):
    return rng.choice(NUMBERS)


def text(rng, s):
    """One to three edits of a text: numbers, separators, odd characters, parts twice or not at all."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        s = _edit(rng, s)
    return s


def _edit(rng, s):
    digits = [i for i, c in enumerate(s) if c.isdigit()]
    at = rng.randrange(len(s) + 1)
    to = min(len(s), at + rng.choice([1, 1, 2, 5]))
    what = rng.randrange(10)
    if what < 3 and digits:
        i = j = rng.choice(digits)
        while i > 0 and s[i - 1] in "0123456789.e-":
            i -= 1
        while j < len(s) and s[j] in "0123456789.e-":
            j += 1
        return s[:i] + number(rng) + s[j:]
    if what == 3:
        return s[:at] + s[to:]
    if what == 4:
        return s[:at] + rng.choice(SEPARATORS) + s[at:]
    if what == 5:
        return s[:at] + rng.choice(TEXTS) + s[at:]
    if what == 6:
        return s[:to] + s[at:]
    if what == 7:
        return rng.choice([number(rng), rng.choice(TEXTS)])
    if what == 8:
        return s[:at]
    return s[:at] + chr(rng.choice([1, 9, 27, 127, 0x80, 0x9b, 0xad, 0x3b1, 0xfffd, 0x1f6a2])) + s[at:]


def blob(rng, b):
    """One to four edits of bytes."""
    b = bytearray(b)
    for _ in range(rng.randint(1, 4)):
        size = len(b)
        at = rng.randrange(size + 1)
        what = rng.randrange(8)
        if what < 3 and size:
            for _ in range(rng.choice([1, 1, 2, 8, 64])):
                b[rng.randrange(size)] ^= 1 << rng.randrange(8)
        elif what == 3:
            del b[at:]
        elif what == 4:
            b[at:at + rng.choice([1, 4, 8, 100])] = rng.choice([b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7, *RAW])
        elif what == 5:
            b[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 3, 1000])))
        elif what == 6:
            del b[at:at + rng.choice([1, 2, 16, 1000])]
        else:
            b[at:at] = b[max(0, at - 500):at]
    return bytes(b)


@contextlib.contextmanager
def _deep_calls():
    """Copying takes two calls a level, and each of three edits may nest a value 900 levels deep."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20000)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _entries(value, found):
    if isinstance(value, dict):
        for k in value:
            found.append((value, k))
            _entries(value[k], found)
    elif isinstance(value, list):
        for i in range(len(value)):
            found.append((value, i))
            _entries(value[i], found)
    return found


def _other(rng, old, entries):
    what = rng.randrange(10)
    if what < 3 and isinstance(old, str):
        return text(rng, old)
    if what < 5 and isinstance(old, (int, float)):
        return rng.choice([-1, 0, 1, -0.0, 1e308, 1e-320, 2**31, 2**32, 2**53 + 1, 2**63, -2**63, 1e15, 0.5, 10**30,
                           float("nan"), float("inf")])
    if what == 5:
        return rng.choice(TEXTS)
    if what == 6:
        parent, key = rng.choice(entries)
        return copy.deepcopy(parent[key])
    if what == 7:
        deep = old
        for _ in range(rng.choice([1, 2, 60, 900])):
            deep = [deep] if rng.random() < 0.5 else {"a": deep}
        return deep
    if what == 8:
        return [copy.deepcopy(old)] * rng.choice([0, 1, 2, 300])
    return rng.choice([None, True, False, 0, "", [], {}, [None], {"": ""}, "x" * 70000])


def value(rng, v):
    """One to three edits of a JSON value; returns it and the keys that were touched."""
    with _deep_calls():
        return _edit_value(rng, v)


def _edit_value(rng, v):
    v, keys = copy.deepcopy(v), []
    for _ in range(rng.choice([1, 1, 2, 3])):
        entries = _entries(v, [])
        if not entries:
            return rng.choice([None, [], "x", 0]), keys
        parent, key = rng.choice(entries)
        keys.append(str(key))
        what = rng.randrange(8)
        if what == 0:
            del parent[key]
        elif what == 1 and isinstance(parent, dict):
            parent[text(rng, key)] = parent.pop(key)
        elif what == 2 and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(rng.choice(parent)))
        else:
            parent[key] = _other(rng, parent[key], entries)
    return v, keys


def document(rng, v):
    """A JSON text: of an edited value, or the edited text itself, as bytes."""
    new, keys = value(rng, v)
    try:
        s = json.dumps(new, ensure_ascii=rng.random() < 0.5)
    except RecursionError:
        s = "[" * 5000
    b = s.encode("utf-8", "surrogatepass")
    return (b if rng.random() < 0.8 else blob(rng, b)), keys


def _objects(f):
    found = []
    f.visit(found.append)
    return found


def h5(rng, path):
    """Edits an HDF5 file in place: its bytes, or its groups, datasets and attributes."""
    if rng.random() < 0.35:
        with open(path, "rb") as f:
            b = f.read()
        with open(path, "wb") as f:
            f.write(blob(rng, b))
        return
    try:
        f = h5py.File(path, "r+")
    except OSError:         # another mutation came before
        return
    with f:
        for _ in range(rng.choice([1, 1, 2, 4])):
            try:
                _h5_once(rng, f)
            except (OSError, ValueError, KeyError, TypeError, RuntimeError, OverflowError, UnicodeError):
                pass


def _h5_value(rng):
    return rng.choice([numpy.float64("nan"), numpy.float64("inf"), numpy.int64(-1), numpy.int64(2**62),
                       numpy.uint64(2**64 - 1), "text", "\x1b]0;PWNED\x07", "\u009b31m", "x" * 60000, "",
                       numpy.zeros(3), numpy.zeros(0), numpy.zeros((2, 2)), numpy.bytes_(b"\xff\xfe"),
                       numpy.array(["a", "bc"], dtype=object), numpy.float32(1e38), h5py.Empty("f"), numpy.int8(5),
                       "{", "{}", '{"algo": 5}', "../../up/x"])


def _h5_once(rng, f):
    name = rng.choice(_objects(f) or ["/"])
    o = f[name]
    what = rng.randrange(12)
    if what < 4 and len(o.attrs):
        key = rng.choice(list(o.attrs))
        if what == 0:
            del o.attrs[key]
        elif what == 1 and isinstance(o.attrs[key], (str, bytes)):
            old = o.attrs[key]
            old = old.decode("utf-8", "replace") if isinstance(old, bytes) else old
            o.attrs[key] = text(rng, old)
        else:
            o.attrs[key] = _h5_value(rng)
    elif what == 4:
        del f[name]
    elif what == 5:
        new = rng.choice(_objects(f))
        del f[name]
        f[name] = h5py.SoftLink("/" + rng.choice([new, name, "nowhere"]))
    elif what == 6:
        del f[name]
        f[name] = h5py.ExternalLink(rng.choice(["../up/secret.h5", "/dev/zero", "other.h5"]), "/")
    elif what == 7 and isinstance(o, h5py.Dataset):
        shape, kind = o.shape, o.dtype
        del f[name]
        f.create_dataset(name, shape=rng.choice([(), (0,), (1,), (3, 3), (1 << 40,), shape + (2,)]),
                         dtype=rng.choice(["f4", "f8", "i1", "u8", kind]), chunks=None)
    elif what == 8 and isinstance(o, h5py.Dataset):
        shape = o.shape
        del f[name]
        f.create_dataset(name, shape=rng.choice([shape, (10**6, 100)]), dtype="f8", chunks=True, fillvalue=rng.choice(
            [float("nan"), 1e308, -1.0]), compression="gzip")
    elif what == 9 and isinstance(o, h5py.Dataset):
        n = o.shape
        del f[name]
        f.create_dataset(name, shape=n or (1,), dtype="f8", external=[("../up/secret.h5", 0, h5py.h5f.UNLIMITED)])
    elif isinstance(o, h5py.Dataset) and o.size:
        a = o[...]
        if a.dtype.kind in "fiu":
            flat = a.reshape(-1)
            for _ in range(rng.choice([1, 2, 50])):
                flat[rng.randrange(flat.size)] = rng.choice([-1, 0, 1, 127, 1e9]) if a.dtype.kind != "f" else \
                    rng.choice([float("nan"), float("inf"), -1.0, 1e308, 0.0])
            o[...] = a
        else:
            o[...] = rng.choice([b"", b"x", b"\x1b]0;PWNED\x07", b"\xff"])
