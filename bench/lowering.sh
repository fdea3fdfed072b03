#!/bin/bash
# Caffe con Troll's measurements on the backend openblas, for CaffeNet: samples a second (forward
# and backward) against the partitions of a batch, for one thread and for two, against BVLC
# Caffe's way; then each convolution under each type of lowering, in milliseconds a sample.
#
#     ./dev bench lowering
#
# OUT: folder of the data, the gnuplot script and the picture. NET, BATCH, LAYER_BATCH, PARTITIONS,
# TYPES, TEAMS, SECONDS_EACH change the measurement. OpenBLAS chooses its kernels itself on both
# sides: $OPENBLAS_CORETYPE is unset, unless KEEP_CORETYPE is 1.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
convoy=${CONVOY:?the program convoy: use ./dev bench lowering}
net=${NET:-caffenet}
batch=${BATCH:-256}
layer_batch=${LAYER_BATCH:-16}
partitions=${PARTITIONS:-1 2 4 8 16}
types=${TYPES:-2 auto}
teams=${TEAMS:-1 2}
seconds=${SECONDS_EACH:-6}
out=${OUT:-$here/../build/lowering}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}
[ "${KEEP_CORETYPE:-}" = 1 ] || unset OPENBLAS_CORETYPE
mkdir -p "$out"

# rate LOWERING PARTITIONS TEAM: samples a second
rate() {
	"$convoy" bench nets "$net" --backend openblas --batch "$batch" --lowering "$1" \
		--partitions "$2" --team "$3" --seconds "$seconds" --json --quiet |
		awk '/"samples_per_s"/ { sub(",", "", $2); print $2 }'
}

# row NAME LOWERING PARTITIONS: a line of the table, with Caffe's way to compare
row() {
	local team value line=$1
	printf '%-22s' "$1"
	for team in $teams; do
		value=$(rate "$2" "$3" "$team")
		line+=" $value"
		awk -v v="$value" -v c="${caffe[$team]:-$value}" \
			'BEGIN { printf " %10.1f %7.2f", v, v / c }'
		[ "$2" != caffe ] || caffe[$team]=$value
	done
	echo
	last=$line
}

echo "$net, batch $batch, samples/s and ratio to Caffe's way ($seconds s each)"
printf '%-22s' ''
for team in $teams; do printf ' %10s %7s' "$team threads" ratio; done
echo
declare -A caffe=()
row caffe caffe 0
echo "$last" >"$out/caffe.dat"
echo "# partitions, samples/s for teams of $teams" >"$out/partitions.dat"
for p in $partitions; do
	row "type 1, $p partitions" 1 "$p"
	echo "$p ${last#type 1, * partitions }" >>"$out/partitions.dat"
done
for type in $types; do row "type $type" "$type" 0; done

# layers TYPE: "NAME FORWARD BACKWARD" in ms a sample, of every convolution
layers() {
	"$convoy" bench nets "$net" --backend openblas --batch "$layer_batch" --lowering "$1" \
		--partitions 1 --layers --seconds 2 --json --quiet |
		awk -v n="$layer_batch" '
			{ gsub(/[",{}]/, "") }
			$1 == "name:" { name = $2 }
			$1 == "kind:" { kind = $2 }
			$1 == "forward_s:" { forward = $2 }
			$1 == "backward_s:" && kind == "conv" {
				printf "%s %.3f %.3f\n", name, 1e3 * forward / n, 1e3 * $2 / n
			}'
}

echo
echo "Convolutions, batch $layer_batch, one thread: ms a sample, forward and backward"
for type in 1 2 3 caffe; do layers "$type" >"$out/layers-$type.dat"; done
printf '%-10s' layer
for type in 1 2 3 caffe; do printf ' %18s' "type $type"; done
echo
paste -d' ' "$out"/layers-{1,2,3,caffe}.dat | awk '{ printf "%-10s", $1
	for (i = 2; i < NF; i += 3) printf " %9s %8s", $i, $(i + 1)
	print "" }'

cat >"$out/partitions.gp" <<-END
	set terminal svg size 640,420 background "white"
	set output "$out/partitions.svg"
	set title "$net, batch $batch: forward and backward"
	set xlabel "partitions of the batch"
	set ylabel "samples a second"
	set logscale x 2
	set yrange [0:]
	set key bottom right
	set grid
	plot $(column=2; for team in $teams; do
		printf '"%s" using 1:%d with linespoints pt 7 title "%s threads", ' \
			"$out/partitions.dat" "$column" "$team"
		printf '%s title "Caffe'"'"'s way, %s threads" dashtype 2, ' "${caffe[$team]}" "$team"
		column=$((column + 1))
	done | sed 's/, $//')
END
if command -v gnuplot >/dev/null; then
	gnuplot "$out/partitions.gp"
	echo
	echo "drawn: $out/partitions.svg"
fi
