#!/usr/bin/env bash
# LABEL long
# COST 60
# The kept pictures are those that 'convoy report --plots' draws from the kept numbers.
. "$(dirname "$0")/lib.sh"
need gnuplot

kept=$CONVOY_SOURCE/results/reference
drawn_by=$(grep -ho 'GNUPLOT [0-9.]* patchlevel [0-9]*' "$kept"/*/*/plots/*.svg | sort -u)
[ "$(gnuplot --version | tr a-z A-Z)" = "$(tr a-z A-Z <<<"$drawn_by")" ] ||
	{ echo "skipped: the kept pictures are of $drawn_by"; exit 77; }

cp -r "$kept" reference
(cd reference && find . -name '*.svg' -o -name '*.json') >names
# a picture that is not drawn again differs
find reference -name '*.svg' -exec sed -i '$a<!-- old -->' {} +
expect 0 report --plots reference
while read -r name; do
	cmp -s "$kept/$name" "reference/$name" || fail "$name is not what is drawn from the kept numbers"
done <names
finish
