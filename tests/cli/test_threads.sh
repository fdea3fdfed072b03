# A run is a function of its spec: the same numbers with one thread and with two.
. "$(dirname "$0")/lib.sh"
python=
for candidate in python3 /usr/bin/python3; do
	$candidate -c 'import h5py' 2>/dev/null && python=$candidate && break
done
[ "$python" ] || {
	echo "skipped: no Python with h5py"
	exit 77
}

cat >same.py <<'END'
import sys
import h5py

def columns(path):
    found = {}
    with h5py.File(path, "r") as f:
        f.visititems(lambda name, x: found.update({name: x[()].tobytes()})
                     if isinstance(x, h5py.Dataset) else None)
    return found

a, b = columns(sys.argv[1]), columns(sys.argv[2])
differ = [k for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)]
print(len(a), "datasets; differing:", differ)
sys.exit(1 if differ or len(a) < 10 else 0)
END

for backend in $("$CONVOY" version | sed -n 's/^backends *//p'); do
	for threads in 1 2; do
		expect 0 sim --algo ad-psgd --net resnet20 --backend "$backend" --workers 4 --batch 4 \
			--gradients 12 --data shapes:train=64,test=16 --stat-batches 2 \
			--delay gamma:cv=0.3 --threads $threads --out "$backend$threads"
	done
	$python same.py "$backend"1/sim/*.h5 "$backend"2/sim/*.h5 >out || {
		fail "$backend: $(cat out)"
	}
	rm "$backend"1/sim/*.h5
	expect 0 sim --algo ad-psgd --net resnet20 --backend "$backend" --workers 4 --batch 4 \
		--gradients 12 --data shapes:train=64,test=16 --stat-batches 2 --seed 2 \
		--delay gamma:cv=0.3 --threads 1 --out "$backend"1
	$python same.py "$backend"1/sim/*.h5 "$backend"2/sim/*.h5 >out &&
		fail "$backend: another seed, the same numbers"
done
finish
