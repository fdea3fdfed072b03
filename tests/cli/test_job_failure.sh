# A job that fails in the middle of a run: the cause, exit code 128, and no rank that waits for ever.
. "$(dirname "$0")/lib.sh"
jpegs=$CONVOY_SOURCE/tests/fuzz/corpus/jpeg
for class in n01 n02; do
	for split in train val; do
		mkdir -p "photos/$split/$class"
		cp "$jpegs"/{smooth,grey,cmyk,ycck,progressive,busy} "photos/$split/$class"
		for photo in "photos/$split/$class"/*; do
			mv "$photo" "$photo.JPEG"
		done
	done
done
expect 0 data pack photos -o pack.h5 --as jpeg --quiet
settings=(--algo asgd --net mlp --batch 2 --gradients 12 --lr 1e-6 --stat-batches 1 --quiet
	--data packed:file=pack.h5,resize=32,crop=24,augment=caffe)
expect 0 sim "${settings[@]}" --workers 2 --out whole --trace whole.h5

# Now 64 bytes of some photographs are others.
for tenth in 2 3 4 5 6 7; do
	head -c 64 /dev/zero | dd of=pack.h5 bs=1 seek=$(($(stat -c %s pack.h5) * tenth / 10)) \
		conv=notrunc 2>/dev/null
done

# ends CODE ARGUMENT...: so does convoy, and names the file.
ends() {
	expect "$@"
	says err "is damaged: its checksum is wrong"
	says err "pack.h5: pack it again"
}
ends 128 sim "${settings[@]}" --workers 2 --out broken
is "$(find broken -name '*.h5*')" "" "no result"
ends 128 sim "${settings[@]}" --workers 2 --threads 1 --out broken
ends 128 replay whole.h5 --quiet
cat >exp.json <<-END
	{ "title": "E", "base": { "net": "mlp", "batch": 2, "gradients": 12, "workers": 2, "lr": 1e-6,
	    "data": "packed:file=$PWD/pack.h5,resize=32,crop=24,augment=caffe" },
	  "grid": { "algo": ["asgd"] } }
END
ends 1 run exp.json --quiet --out broken

if has_mpi; then
	ends 128 train -n 2 "${settings[@]}" --out broken
	ends 128 train -n 2 "${settings[@]}" --allreduce ring --algo allreduce --out broken
	ends 128 sim "${settings[@]}" --workers 3 --sim-ranks 2 --out broken
fi
finish
