#!/bin/sh
# commit.sh SOURCE_DIR FILE: writes FILE, a header that defines CONVOY_COMMIT,
# and leaves it untouched when the commit is the same as before. A tarball has the commit in a file.
set -eu
if [ -e "$1/.git" ]; then
	commit=$(git -C "$1" describe --always --dirty --abbrev=12 --exclude '*' 2>/dev/null)
else
	commit=$(cat "$1/commit" 2>/dev/null)
fi || commit=unknown
line="#define CONVOY_COMMIT \"$commit\""
if [ ! -f "$2" ] || [ "$(cat "$2")" != "$line" ]; then
	printf '%s\n' "$line" >"$2"
fi
