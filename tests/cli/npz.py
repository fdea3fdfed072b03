"""Writes the .npz files of test_npz.sh, in the current folder; NumPy is not needed."""
import struct
import zipfile
import zlib
from random import Random

CODES = {"f4": "f", "f8": "d", "f2": "e", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
         "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}


def npy(values, shape, descr="<f8", fortran=False, version=1, header=None):
    """An array from its values in the file's order."""
    head = header or "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (
        descr, fortran, shape)
    head = head.encode() + b"\n"
    order = ">" if descr[0] == ">" else "<"
    body = struct.pack(order + str(len(values)) + CODES[descr[1:]], *values)
    size = struct.pack("<H" if version == 1 else "<I", len(head))
    return b"\x93NUMPY" + bytes([version, 0]) + size + head + body


def save(path, packed=False, big=False, **arrays):
    kind = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as z:
        for name, array in arrays.items():
            with z.open(name + ".npy", "w", force_zip64=big) as f:
                f.write(array)


def samples(seed, n):
    """Rows of four numbers; class 0, 1 or 2; and a number that follows from them."""
    r = Random(seed)
    x = [[r.gauss(0, 1) for _ in range(4)] for _ in range(n)]
    c = [int(a + b > 0) + int(a - b > 1) for a, b, _, _ in x]
    t = [a - 2 * b for a, b, _, _ in x]
    return x, c, t


def flat(rows):
    return [v for row in rows for v in row]


def columns(rows):
    return [row[k] for k in range(len(rows[0])) for row in rows]


N, M = 120, 60
x, c, t = samples(1, N)
u, d, s = samples(2, M)


def four(y, z, shape=None, descr="<i8"):
    return {"x_train": npy(flat(x), (N, 4)), "y_train": npy(y, shape or (N,), descr),
            "x_test": npy(flat(u), (M, 4)), "y_test": npy(z, (M,) if shape is None else
                                                          (M,) + shape[1:], descr)}


same = four(c, d)
save("classes.npz", **same)
# A fifth number that is constant, and another constant in the test samples.
save("drift.npz", **dict(same,
                         x_train=npy(flat([row + [0.1] for row in x]), (N, 5), "<f4"),
                         x_test=npy(flat([row + [0.2] for row in u]), (M, 5), "<f4")))
# The same numbers in other forms: float32 in both orders of bytes and indices, deflated, ZIP64.
f4 = [struct.unpack("<f", struct.pack("<f", v))[0] for v in flat(x)]
save("single.npz", **dict(same, x_train=npy(f4, (N, 4), "<f4")))
save("other.npz", packed=True, big=True, x_train=npy(columns(x), (N, 4), ">f8", True, 2),
     y_train=npy(c, (N,), "|u1", version=3), x_test=npy(flat(u), (M, 4), version=2),
     y_test=npy(d, (M, 1), ">i2"))
# Equal numbers in every type: halves, some of them subnormal; integers of both signs.
half = [struct.unpack("<e", struct.pack("<e", v / (1 << 18 * (k % 2))))[0]
        for k, v in enumerate(flat(x))]
for kind in ("<f2", ">f2", "<f4", "<f8"):
    name = "half-%s-%s.npz" % (kind[1:], "big" if kind[0] == ">" else "little")
    save(name, **dict(same, x_train=npy(half, (N, 4), kind)))
whole_x = [k % 101 - 50 for k in range(4 * N)]
for kind in ("|i1", ">i2", "<i4", ">i8", "<f4"):
    save("whole-%s.npz" % kind[1:], **dict(same, x_train=npy(whole_x, (N, 4), kind)))
save("numbers.npz", **four(t, s, descr="<f8"))
save("binary.npz", **four([v > 0 for v in t], [v > 0 for v in s], descr="|b1"))
save("several.npz", **four([k for v in t for k in (v > 0, v > 1)],
                           [k for v in s for k in (v > 0, v > 1)], (N, 2), "|b1"))
save("columns.npz", **four([k for v in c for k in (v == 0, v == 1, v == 2)],
                           [k for v in d for k in (v == 0, v == 1, v == 2)], (N, 3), "<f4"))
pixels = [Random(3).randrange(256) for _ in range(10 * 2 * 3 * 5)]
last = dict(x_train=npy(pixels, (10, 2, 3, 5), "|u1"), y_train=npy([0, 1] * 5, (10,), "<i4"))
save("images.npz", **last)
first = [pixels[((i * 2 + h) * 3 + w) * 5 + k]
         for i in range(10) for k in range(5) for h in range(2) for w in range(3)]
save("first.npz", **dict(last, x_train=npy(first, (10, 5, 2, 3), "|u1")))
save("gap.npz", **four([3 if v == 2 else v for v in c], [0] * M))


def faulty(name, **arrays):
    save(name + ".npz", **dict(same, **arrays))


faulty("object", x_train=npy([], (N, 4), header="{'descr': '|O', 'fortran_order': False, "
                             "'shape': (120, 4), }"))
faulty("fields", x_train=npy([], (N,), header="{'descr': [('a', '<f4')], 'fortran_order': "
                             "False, 'shape': (120,), }"))
faulty("untyped", y_train=npy([], (N,), header="{'descr': '', 'fortran_order': False, "
                               "'shape': (120,), }"))
faulty("text", y_train=npy([], (N,), header="{'descr': '<U4', 'fortran_order': False, "
                           "'shape': (120,), }"))
faulty("header", x_train=npy(flat(x), (N, 4), header="{'descr': __import__('os'), }"))
faulty("short", x_train=npy(flat(x)[:-1], (N, 4)))
faulty("huge", x_train=npy([], (1 << 40, 1 << 40)))
faulty("nan", x_train=npy([float("nan") if k == 7 else v for k, v in enumerate(flat(x))], (N, 4)))
faulty("large", x_train=npy([1e39] + flat(x)[1:], (N, 4)))
faulty("negative", y_train=npy([-1] + c[1:], (N,), "<i8"))
faulty("ids", y_train=npy([100000] + c[1:], (N,), "<i8"))
faulty("counts", y_train=npy(c[1:], (N - 1,), "<i8"))
faulty("empty", x_train=npy([], (0, 4)), y_train=npy([], (0,), "<i8"))
faulty("deep", x_train=npy(flat(x), (N, 2, 1, 2, 1)))
faulty("widths", x_test=npy(flat(u)[:M * 3], (M, 3)))
faulty("version", x_train=npy(flat(x), (N, 4), version=4))
faulty("onehot", y_train=npy([0] * 3 * N, (N, 3), "<i8"), y_test=npy([0] * 3 * M, (M, 3), "<i8"))
save("absent.npz", x=same["x_train"], y=same["y_train"])
whole = open("classes.npz", "rb").read()
open("cut.npz", "wb").write(whole[:len(whole) // 2])
at = whole.index(b"\x93NUMPY") + 200
open("crc.npz", "wb").write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
open("words.npz", "w").write("no archive\n")
# A member that claims more bytes than its own can hold: in the directory, 4 GB of 12 bytes.
body = zlib.compress(b"\x93NUMPY", 9)[2:-4]
local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, 0, len(body), 0xf0000000, 11, 0)
entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, 0, len(body), 0xf0000000, 11, 0,
                    0, 0, 0, 0, 0)
start = len(local) + 11 + len(body)
open("bomb.npz", "wb").write(local + b"x_train.npy" + body + entry + b"x_train.npy" + struct.pack(
    "<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(entry) + 11, start, 0))
