#!/bin/bash
# A result has the layout that docs/results.md describes, and no attribute that it does not.
. "$(dirname "$0")/lib.sh"

python=$(python_with h5py) || exit 77
expect 0 sim --timing --samples 4096 --algo asgd --workers 3 --epochs 2 --out here --quiet
cp here/sim/*.h5 run.h5 || fail "no result"

"$python" - "$CONVOY_SOURCE/docs/results.md" >out 2>err <<'END' || fail "layout: $(cat err)"
import sys
import h5py
page = open(sys.argv[1]).read()
run = h5py.File("run.h5", "r")
assert run.attrs["format"] == b"convoy run" and run.attrs["layout_version"] == 4

def look(name, item):
    assert item.name == "/" + name
    for key, value in item.attrs.items():
        kind = item.attrs.get_id(key).dtype.kind
        assert kind in "Sif", (name, key, kind)
        assert name in ("settings", "assumed") or f"`{key}`" in page, f"{name}: {key} is not documented"
    if isinstance(item, h5py.Dataset) and name != "spec":
        assert item.ndim == 1 and item.dtype.kind in "if" and item.dtype.itemsize == 8, name
        assert f"`{name.split('/')[1]}`" in page, f"{name} is not documented"

run.visititems(look)
for group, rows in (("train", 20), ("nodes", 4)):
    lengths = {len(column) for column in run[group].values()}
    assert lengths == {rows}, (group, lengths)
assert run["nodes/rank"][:].tolist() == [0, 1, 2, -1]
assert run["staleness/count"][:].sum() == run["nodes/steps"][-1]
assert run["nodes/bytes_sent"][:].sum() == run["summary"].attrs["bytes_sent"]
END

# Where runs are compared, files say which are baselines, and the others' speedups over them.
expect 0 sim --timing --samples 4096 --algo allreduce --workers 2,4 --out there --quiet --json
"$python" - <<'END' >out2 2>err || fail "marks: $(cat err)"
import glob, json
import h5py
printed = json.load(open("out"))
summary = {}
for path in glob.glob("there/sim/*.h5"):
    file = h5py.File(path, "r")
    summary[file.attrs["hash"].decode()] = dict(file["summary"].attrs)
baselines = [hash for hash, of in summary.items() if of.get("is_baseline") == 1]
assert baselines == [run["hash"] for run in printed["baselines"]] and len(baselines) == 1
assert printed["baselines"][0]["is_baseline"] is True
for run in printed["runs"]:
    own = summary[run["hash"]]
    assert own["baseline"].decode() == run["baseline"] == baselines[0]
    assert own["speedup"] == run["speedup"] and 1 < own["speedup"] <= own["workers"]
    assert "is_baseline" not in own
END
finish
