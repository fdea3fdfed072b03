#!/bin/bash
# The package of Python gives what the program says: frames, tables, claims, advice, traces, errors.
# COST 4
. "$(dirname "$0")/../cli/lib.sh"

python=$(python_with numpy h5py) || exit 77
export PYTHONPATH=$CONVOY_SOURCE/python PYTHONDONTWRITEBYTECODE=1
"$python" "$CONVOY_SOURCE/tests/python/calls.py" >out 2>err || fail "$(tail -60 err)"
# What only type checkers import is there.
for module in $(sed -n 's/^    from \.\([a-z_]*\) import .*/\1/p' "$PYTHONPATH/convoy/__init__.py"); do
	[ -e "$PYTHONPATH/convoy/$module.py" ] || fail "no module $module in the package"
done
finish
