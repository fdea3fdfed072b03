# A run is a function of its spec: the same numbers with one thread and with two.
. "$(dirname "$0")/lib.sh"
python_with h5py >/dev/null || exit 77

for backend in $("$CONVOY" version | sed -n 's/^backends *//p'); do
	for threads in 1 2; do
		expect 0 sim --algo ad-psgd --net resnet8 --backend "$backend" --workers 4 --batch 4 \
			--gradients 8 --data shapes:train=64,test=16 --stat-batches 1 \
			--delay gamma:cv=0.3 --threads $threads --out "$backend$threads"
	done
	same_numbers "$backend"1/sim/*.h5 "$backend"2/sim/*.h5 || fail "$backend: $(cat differ)"
	rm "$backend"1/sim/*.h5
	expect 0 sim --algo ad-psgd --net resnet8 --backend "$backend" --workers 4 --batch 4 \
		--gradients 8 --data shapes:train=64,test=16 --stat-batches 1 --seed 2 \
		--delay gamma:cv=0.3 --threads 1 --out "$backend"1
	same_numbers "$backend"1/sim/*.h5 "$backend"2/sim/*.h5 &&
		fail "$backend: another seed, the same numbers"
done
finish
