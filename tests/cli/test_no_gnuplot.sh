# Without gnuplot, a picture that the command line asks for is an error that names what to install;
# results, scripts and data are there all the same.
. "$(dirname "$0")/lib.sh"

mkdir empty
run="--workers 2 --net quadratic --compute-s 1 --gradients 20 --timing --quiet"
lacks="is not drawn: gnuplot is not installed (Debian: apt install gnuplot-nox). Script and data are in"

# lacking NAME TEXT ARGUMENT...: TEXT is printed, and NAME is not drawn.
lacking() {
	PATH=$here/empty expect 1 "${@:3}"
	says err "error: plot '$1' $lacks ./$1.gp and $1.dat"
	is "$(grep -c 'error:' err)" 1 "errors of $1"
	says out "$2"
	[ -s "$1.gp" ] && [ -s "$1.dat" ] || fail "no script, or no data, of $1"
}
lacking one "time per epoch" sim --algo asgd,allreduce $run --plot one.svg
lacking two "time per epoch" sim --algo asgd,allreduce $run --plot two.pdf
lacking line "time_per_epoch" sim --algo asgd $run --timeline line.svg
advise="--workers 2 --net quadratic --compute-s 1 --draws 2 --gradients 20 --quiet"
lacking even "break-even" advise --between allreduce,asgd --vary slow=1..4 --points 2 $advise --plot even.svg
lacking rank '"allreduce"' advise --among allreduce,asgd $advise --json --plot rank.svg
lacking uniform "mean" show delay uniform --plot

# An experiment's pictures go with its results: a warning, but an error of the command that draws.
PATH=$here/empty expect 0 run slow-worker --scale smoke --quiet
says err "warning: gnuplot is not installed (Debian: apt install gnuplot-nox): scripts and data are in"
PATH=$here/empty expect 1 plot slow-worker
says err "error: 2 of 2 plots are not drawn"
says out "time-per-epoch.gp"
