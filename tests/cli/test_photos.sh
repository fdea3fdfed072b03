# SANITIZED
# Photographs from a folder and packed: training gives the same numbers; Ctrl-C leaves nothing half.
. "$(dirname "$0")/lib.sh"
jpegs=$CONVOY_SOURCE/tests/fuzz/corpus/jpeg
kinds=(smooth grey cmyk ycck progressive busy)
for class in n01 n02; do
	for split in train val; do
		mkdir -p "photos/$split/$class"
		for kind in "${kinds[@]}"; do
			cp "$jpegs/$kind" "photos/$split/$class/$kind.JPEG"
		done
	done
done
printf '\x89PNG\r\n\x1a\n' >photos/val/n02/really-a-png.JPEG
small=resize=32,crop=24,augment=caffe

# numbers DATA OPTION...: what a short run prints, without what names it.
runs=0
numbers() {
	runs=$((runs + 1))
	"$CONVOY" sim --algo asgd --net mlp --workers 3 --batch 2 --gradients 12 --lr 1e-6 \
		--stat-batches 1 --quiet --json --out "run$runs" --data "$@" 2>err |
		grep -vE '"(file|hash|data)"' | sed -E 's/("test_correct":.*"[0-9]+) [0-9a-f]+/\1/'
}

expect 0 data pack photos -o jpeg.h5 --as jpeg --quiet
says out "jpeg.h5: 12 + 12 images, 1 left out"
says err "photos/val/n02/really-a-png.JPEG: a PNG, not a JPEG; skipped"
expect 0 data pack photos --fit squeeze -o pixels.h5 --resize 32 --quiet --threads 3
# What a killed packing left is written over.
head -c 6000000 /dev/zero >again.h5.part
expect 0 data pack photos -o again.h5 --as jpeg --quiet
cmp jpeg.h5 again.h5 || fail "packed over something, it is another file"
is "$(echo again.h5*)" again.h5
rm photos/val/n02/really-a-png.JPEG

# A file that becomes too large, wherever it does, is an error, and HDF5 does not crash at the exit.
for blocks in 4 16 24 28 44 48; do
	for as in jpeg pixels; do
		(
			ulimit -f $blocks
			expect 128 data pack photos -o small.h5 --as $as --resize 32 --quiet
			says err "cannot write 'small.h5.part': File too large"
		)
	done
done
[ -z "$(ls small.h5* 2>/dev/null)" ] || fail "left: $(ls small.h5*)"

folder=$(numbers "imagenet:dir=photos,$small")
case $folder in *train_loss*) ;; *) fail "no numbers: $folder $(cat err)" ;; esac
is "$(numbers "imagenet:dir=photos,$small,ahead=0" --threads 1)" "$folder" "nothing read ahead"

# Where photographs lie is no other set than the spec's; how they are cut is, and stands in the title.
cat >exp.json <<-END
	{ "title": "E", "base": { "net": "mlp", "data": "imagenet:$small", "workers": 2, "batch": 2, "timing": true, "gradients": 10 },
	  "grid": { "algo": ["asgd"] },
	  "tables": [ { "name": "t", "title": "T", "rows": "algo", "values": ["time_s"] } ] }
END
expect 0 run exp.json --data "imagenet:dir=photos,$small" --out titles
sed -n 1p out | grep -qx T || fail "a title: $(sed -n 1p out)"
expect 0 run exp.json --data "imagenet:dir=photos,$small,train=6" --out titles
says out "T; data: imagenet:augment=caffe,crop=24,resize=32,train=6"
is "$(numbers "imagenet:dir=photos,$small,ahead=3" --threads 3)" "$folder" "three ahead"
is "$(numbers "packed:file=jpeg.h5,$small")" "$folder" "packed as JPEGs"
is "$(numbers "packed:file=pixels.h5,$small")" "$folder" "packed as pixels"
[ "$(numbers "imagenet:dir=photos,$small" --seed 2)" != "$folder" ] || fail "no other crops"

# Other photographs under the same names are another run, in the folder and packed.
planned() { "$CONVOY" sim --net mlp --batch 2 --dry-run --json --data "$1,$small" 2>/dev/null | grep '"hash"'; }
before=$(planned imagenet:dir=photos)
packed=$(planned packed:file=jpeg.h5)
is "$(planned imagenet:dir=photos)" "$before" "the same photographs"
cp photos/train/n02/grey.JPEG kept.JPEG
cp photos/train/n02/busy.JPEG photos/train/n02/grey.JPEG
[ "$(planned imagenet:dir=photos)" != "$before" ] || fail "another photograph: the same hash"
cp jpeg.h5 kept.h5
expect 0 data pack photos -o jpeg.h5 --as jpeg --quiet
[ "$(planned packed:file=jpeg.h5)" != "$packed" ] || fail "another packed photograph: the same hash"
mv kept.h5 jpeg.h5
mv kept.JPEG photos/train/n02/grey.JPEG
is "$(planned packed:file=jpeg.h5) $(planned imagenet:dir=photos)" "$packed $before" "as before"

# What cannot be read is no damaged photograph: nothing stands in for it.
photo=photos/train/n01/unreadable.JPEG
unreadable() {
	expect 128 sim --algo asgd --net mlp --workers 3 --batch 2 --gradients 12 --quiet --out none \
		--data "imagenet:dir=photos,$small"
	says err "$photo: cannot read: $1"
	expect 1 data pack photos -o unread.h5 --quiet
	says err "$photo: cannot read: $1"
	is "$(echo unread.h5*)" "unread.h5*" "nothing is left"
	rm -r "$photo"
}
ln -s nowhere $photo
unreadable "No such file or directory"
mkdir $photo
unreadable "Is a directory"
# Such a file of the kernel's is shorter than it says.
if [ "$(stat -c %s /sys/kernel/fscaps 2>/dev/null)" = 4096 ]; then
	ln -s /sys/kernel/fscaps $photo
	unreadable "2 of 4096 bytes came"
fi

# A clock needs no photographs; a net takes their size from the settings.
expect 0 sim --timing --samples 1000 --net mlp --data imagenet:crop=32 --out timing --quiet

# Without a folder an epoch is ImageNet's own 1281167 images, or as many as are asked for.
epoch() { "$CONVOY" sim --timing --net mlp --workers 1 --batch 1000 --out timing --json --quiet --data "$1" |
	jq .gradients; }
is "$(epoch imagenet:crop=32)" 1282
is "$(epoch imagenet:crop=32,train=9000)" 9
is "$(epoch "imagenet:dir=photos,$small,train=6" 2>&1 | grep -c "more than the 6 samples")" 1
expect 1 run you2017/imagenette --scale paper --net mlp --dry-run
says out "24 runs to do"
says err "data set imagenet: no folder given"
expect 1 sim --net mlp --data imagenet:dir=nowhere --out none --quiet
says err "nowhere: no train/ in it"
expect 1 sim --net mlp --data packed:file=nothing.h5 --out none --quiet
says err "nothing.h5: cannot open"

expect 129 data pack
expect 129 data pack photos
says err "no file to write. Give -o FILE.h5"
expect 1 data pack photos/train -o x.h5
says err "photos/train: no train/ in it"
expect 1 data pack photos -o no/such/x.h5
says err "cannot write 'no/such/x.h5.part'"

# A label that is one class's number and another class's name is no guess.
for class in 0 1 2 10; do
	mkdir -p "numbers/train/$class"
	cp "$jpegs/grey" "numbers/train/$class/a.JPEG"
done
mkdir numbers/val
cp "$jpegs/grey" numbers/val/a.JPEG
echo "a.JPEG 2" >numbers/val.txt
expect 1 data pack numbers -o numbers.h5 --as jpeg --quiet
says err "numbers/val.txt:1: 'a.JPEG' has the label '2', the name of class 3, but as a number that of '10'"
printf '%s\n' 0 1 2 10 >order
expect 0 data pack numbers --synsets order -o numbers.h5 --as jpeg --quiet
echo "a.JPEG 10" >numbers/val.txt
expect 1 data pack numbers -o numbers.h5 --as jpeg --quiet
says err "'a.JPEG' has the label '10', the name of class 2, but as a number that of no class"

# 400 photographs take some seconds; a Ctrl-C long before that leaves no file.
for i in $(seq 400); do
	ln photos/train/n01/busy.JPEG "photos/train/n01/$i.JPEG"
done
"$CONVOY" data pack photos -o large.h5 --resize 1024 --threads 1 2>err &
job=$!
while [ ! -e large.h5.part ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
# No other process may write to it meanwhile.
expect 1 data pack photos -o large.h5 --as jpeg --quiet
says err "large.h5.part: another process is writing it"
[ -e large.h5.part ] && [ ! -e large.h5 ] || fail "left: $(ls large.h5*)"
kill -INT $job
wait $job
is $? 130 "exit code after Ctrl-C"
[ ! -e large.h5 ] && [ ! -e large.h5.part ] || fail "left: $(ls large.h5*)"
finish
