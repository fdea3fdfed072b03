#!/bin/bash
# The notebook and the page on Python run, draw their pictures, and show what their texts say.
# COST 3
. "$(dirname "$0")/../cli/lib.sh"

python=$(python_with numpy h5py matplotlib) || exit 77
export PYTHONPATH=$CONVOY_SOURCE/python PYTHONDONTWRITEBYTECODE=1
notebook=$CONVOY_SOURCE/docs/notebooks/first-steps.ipynb
"$python" "$CONVOY_SOURCE/tests/python/run_notebook.py" "$CONVOY_SOURCE/docs/python.md" "$notebook" \
	>out 2>err || fail "$(tail -20 err)"
says out "time_per_epoch_s"
says out "AD-PSGD: s/epoch (paper)"
"$python" -c "import importlib.util, sys; sys.exit(not importlib.util.find_spec('pandas'))" &&
	says out 'class="dataframe"'
says out "diloco is faster below bandwidth"
says out "did you mean '--workers'?"
finish
