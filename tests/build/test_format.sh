#!/bin/bash
# COST 40
# Sources are formatted as .clang-format says, but for where statements break into lines
# (check_format.py). Versions of clang-format differ, so one of them judges.
set -eu
version=14
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

clang_format=$(command -v clang-format-$version || command -v clang-format) &&
	"$clang_format" --version | grep -q "version $version\." ||
	{ echo "skipped: no clang-format $version"; exit 77; }

# check FOLDER: prints the faults of the sources in it.
check() {
	local formatted=$work/formatted
	rm -rf "$formatted"
	cp -r "$1" "$formatted"
	cp "$CONVOY_SOURCE/.clang-format" "$work/"
	find "$formatted" -name '*.[ch]' -print0 | xargs -0 -n 100 "$clang_format" -i
	python3 "$CONVOY_SOURCE/tests/build/check_format.py" "$1" "$formatted"
}

mkdir "$work/bad"
cat >"$work/bad/bad.c" <<'END'
#include <stdio.h>
#include <math.h>
END
cat >"$work/bad/worse.c" <<'END'
int space(int a)
{
	return(a);
}


int lines(int a) {
	if (a) return a+1;
	    return 0;
}
END
check "$work/bad" >"$work/faults" && { echo "FAILED: no fault is found"; exit 1; }
diff "$work/faults" - <<'END'
bad.c:1: clang-format has 'math' before 'stdio': order of #include lines
worse.c:3: a space missing before '('
worse.c:7: blank lines before 'int'
worse.c:7: a line break missing before '{'
worse.c:8: a line break missing before 'return'
worse.c:8: a space missing before '+'
worse.c:8: a space missing before '1'
worse.c:9: indentation before 'return'
END

cd "$CONVOY_SOURCE"
mkdir "$work/ours"
find . \( -path './.*' -o -path './build*' \) -prune -o -name '*.[ch]' -print0 |
	xargs -0 cp --parents -t "$work/ours"
check "$work/ours" || { echo "./dev format formats the lines that differ from the last commit"; exit 1; }
