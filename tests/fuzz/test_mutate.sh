#!/bin/bash
# The edits of bench/adverse make some document of every seed, deeply nested ones included.
# QUICK
source=${CONVOY_SOURCE:?the source tree}
/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null || {
	echo "skipped, no python3-h5py"
	exit 77
}
PYTHONPATH=$source/bench/adverse PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 - <<'END'
import json
import random

import mutate
import samples

for seed in range(3000):
    document, _ = mutate.document(random.Random(seed), json.loads(samples.SPEC))
    assert document is not None, seed
END
