#!/bin/bash
# Fields, lessons, keys, files and links of the page with the simulator work in Chromium, and so does the
# page of a trace; what a frame of both costs.
# LABEL long
# COST 60
# TIMEOUT 600
. "$(dirname "$0")/lib.sh"

expect 0 sim --algo asgd --workers 4 --net quadratic --compute-s 0.1 --gradients 100 --lr 0.01 \
	--delay gamma:cv=0.3 --slow 0:4 --link nic:bandwidth_GBps=0.0001 --update-s 0.001 \
	--trace four.h5 --quiet
expect 0 trace four.h5 --html
expect 0 sim --algo asgd --workers 64 --net quadratic --samples 1e7 --timing --compute-s 0.1 \
	--gradients 150000 --delay gamma:cv=0.5 --link nic:bandwidth_GBps=0.001 --update-s 0.0002 \
	--trace long.h5 --quiet
expect 0 trace long.h5 --html
if node -e 'process.exit(require(process.argv[1]).chromium() ? 0 : 1)' "$CONVOY_SOURCE/tests/web/browser.js"; then
	node "$CONVOY_SOURCE/tests/web/clicks.js" page/convoy.html >out 2>&1 || fail "$(cat out)"
	says out "all clicks work"
	node "$CONVOY_SOURCE/tests/web/trace_clicks.js" four.html >out 2>&1 || fail "$(cat out)"
	says out "all clicks work"
	node "$CONVOY_SOURCE/tests/web/speed.js" page/convoy.html long.html || fail "too slow"
else
	echo "no chromium: fields, lessons and pages of traces are not tried"
fi
finish
