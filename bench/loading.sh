#!/bin/bash
# How fast photographs are read, and how long a training waits for them: a folder of JPEGs against
# the same packed as JPEGs and as pixels.
#
#     ./dev bench loading            DIR from CONVOY_DATA: it holds train/WNID/*.JPEG
#
# DIR, ROWS ("SOURCE:AUGMENT ..."), NETS ("NET:PRECISION:BATCH ..."), THREADS, SECONDS_EACH change
# the measurement. The packed files are made in a folder of their own, and removed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
loading=${CONVOY_BENCH:?the folder with the program loading: use ./dev bench loading}/loading
convoy=${CONVOY:?the program convoy: use ./dev bench loading}
nets=${NETS-caffenet:f32:16 caffenet:bf16:16 resnet18:f32:16 resnet18:bf16:16}
rows=${ROWS-folder:caffe folder:resnet jpeg:caffe jpeg:resnet pixels:caffe}
threads=${THREADS:-1 2}
seconds=${SECONDS_EACH:-3}
export CONVOY_HOME=${CONVOY_HOME:-$here/..}

find_folder() {
	local dir
	for dir in "${DIR:-}" "${CONVOY_DATA:-}" "${CONVOY_DATA:-}/imagenet" \
		"${CONVOY_DATA:-}/imagenette"; do
		[ -z "$dir" ] || [ ! -d "$dir/train" ] || { echo "$dir"; return; }
	done
	echo "loading: no photographs: set DIR or CONVOY_DATA to a folder that holds train/" >&2
	exit 1
}

dir=$(find_folder)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pack() {
	"$convoy" data pack "$dir" --quiet "$@" >"$work/said"
	echo "packed $(sed "s#$work/##" "$work/said")"
}
pack -o "$work/jpeg.h5" --as jpeg
pack -o "$work/squeezed.h5" --fit squeeze

data() {
	case $1 in
	folder) echo "imagenet:dir=$dir,augment=$2" ;;
	jpeg) echo "packed:file=$work/jpeg.h5,augment=$2" ;;
	pixels) echo "packed:file=$work/squeezed.h5,augment=$2" ;;
	esac
}

echo
echo "Images/s, training batches, nothing else done ($seconds s each)"
printf '%-10s %-10s' from augment
for n in $threads; do printf ' %12s' "$n threads"; done
echo
for row in $rows; do
	printf '%-10s %-10s' "${row%:*}" "${row#*:}"
	for n in $threads; do
		printf ' %12s' "$("$loading" fetch "$(data "${row%:*}" "${row#*:}")" "$n" "$seconds")"
	done
	echo
done

echo
echo "Training from the folder: samples/s, and the share of compute threads' time spent on data"
printf '%-10s %-6s %6s %8s %12s %8s %12s %8s\n' net prec. batch threads alone share ahead share
for net in $nets; do
	IFS=: read -r name precision batch <<<"$net"
	augment=resnet
	case $name in alexnet | caffenet*) augment=caffe ;; esac
	for n in $threads; do
		set --
		for ahead in 0 1; do
			out=$("$loading" train "$(data folder $augment),ahead=$ahead" "$name" \
				"$precision" "$batch" "$n" "$seconds")
			read -r rate share <<<"$out"
			set -- "$@" "$rate" "$share"
		done
		printf '%-10s %-6s %6d %8d %12.1f %7.2f%% %12.1f %7.2f%%\n' "$name" "$precision" \
			"$batch" "$n" "$@"
	done
done
