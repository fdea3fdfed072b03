"""report.py BUILD_FOLDER: lines of the program that ran, by top folder; see ./dev coverage."""
import json
import os
import subprocess
import sys

LEAST = 10  # files listed with the lowest share


def gcov(build):
    """What gcov says of every object of the program, one document after the other."""
    notes = [os.path.abspath(os.path.join(folder, name))
             for folder, _, names in os.walk(build) for name in names
             if name.endswith(".gcno") and "/tests/" not in os.path.relpath(folder, build) + "/"]
    if not notes:
        sys.exit(f"{build}: no .gcno files. Build with -DCONVOY_COVERAGE=ON")
    for at in range(0, len(notes), 50):
        command = ["gcov", "--json-format", "--stdout", *notes[at:at + 50]]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        yield from (json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{"))


def lines_run(build, top):
    """file -> line -> whether it ran, in any of the objects that hold it"""
    found = {}
    for document in gcov(build):
        for file in document["files"]:
            path = os.path.relpath(os.path.join(top, file["file"]), top)  # cmake/flags.cmake cuts top off
            if os.path.isfile(os.path.join(top, path)) and not path.startswith(("..", "tests/")):
                lines = found.setdefault(path, {})
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[number] = lines.get(number, False) or line["count"] > 0
    return found


def row(name, lines):
    """One line of the table; lines are whether each ran."""
    lines = list(lines)
    return f"{name:<32}{len(lines):>8}{sum(lines):>8}{100 * sum(lines) / len(lines):>7.1f} %"


def main():
    build, top = sys.argv[1], os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    files = {path: lines.values() for path, lines in lines_run(build, os.path.realpath(top)).items()}
    print(f"{'folder':<32}{'lines':>8}{'run':>8}{'share':>9}")
    for folder in sorted({path.split("/")[0] + "/" for path in files}):
        print(row(folder, [x for path in files if path.startswith(folder) for x in files[path]]))
    print(row("all", [x for lines in files.values() for x in lines]))
    print(f"\n{'least covered files':<32}")
    for path in sorted(files, key=lambda path: sum(files[path]) / len(files[path]))[:LEAST]:
        print(row(path, files[path]))


main()
