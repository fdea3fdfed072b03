# Plots that are drawn already: gnuplot draws them again only after a change.
. "$(dirname "$0")/lib.sh"
need gnuplot
few="--timing --samples 5000 --net quadratic:dim=1000 --algo asgd,allreduce --workers 2,4 --quiet"

# written FILE: when it was.
written() { stat -c %y "$1"; }

# draw: the command; listed, the pictures are there after each.
draw() {
	expect 0 sim $few --plot a.svg "$@"
	for f in a.gp a.dat a.svg a.png; do says out $f; done
}

draw
svg=$(written a.svg) png=$(written a.png) gp=$(written a.gp)
draw
is "$(written a.svg) $(written a.png) $(written a.gp)" "$svg $png $gp" "nothing has changed"
rm a.png
draw
[ "$(written a.svg)" != "$svg" ] || fail "a picture is missing, and was not drawn"
size=$(stat -c %s a.png)
truncate -s $((size / 2)) a.png
draw
is "$(stat -c %s a.png)" "$size" "a picture that was cut short"
echo "# a change" >>a.gp
gp=$(written a.gp) svg=$(written a.svg)
draw
[ "$(written a.svg)" != "$svg" ] || fail "the script was changed, and nothing was drawn"
! grep -q "# a change" a.gp || fail "the script is not the usual one"
svg=$(written a.svg)
touch a.dat
draw
[ "$(written a.svg)" != "$svg" ] || fail "the data are newer than the picture"

# A plot of many lines is soon drawn, too.
cat >lines.json <<END
{ "title": "Lines", "base": { "timing": true, "samples": 64, "epochs": 1, "batch": 16, "workers": 1, "algo": "asgd" },
  "grid": { "compute_s": [$(seq -s , 60)] },
  "plots": [ { "name": "lines", "title": "Lines", "from": "runs", "x": "workers", "y": "time_s", "series": "compute_s" } ] }
END
timeout -s KILL 60 "$CONVOY" run lines.json --out lines --quiet >out 2>err || fail "many lines: $(cat err)"
