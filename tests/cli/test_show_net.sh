# show net: the table, the unrolled net as JSON, other sizes, the diagram.
. "$(dirname "$0")/lib.sh"
need jq
need python3

expect 0 show net resnet50
says out "resnet50: 224x224x3 -> 1000 classes"
grep -qE '^conv1 +conv +7x7/2 +112x112x64 +9408 +118013952 +3211264$' out || fail "conv1: $(cat out)"
grep -qE '^total +25557032 +4089184256 +' out || fail "total"

# JSON: the same figures; layers read earlier ones; blobs lie one behind the other.
expect 0 show net resnet50 --json
is "$(jq -c '[.parameters, .macs, .classes, .input]' out)" "[25557032,4089184256,1000,[224,224,3]]"
is "$(jq '[.layers[].parameters] | add' out)" 25557032
is "$(jq '[.layers[].macs] | add' out)" 4089184256
is "$(jq '.bytes == ([.layers[].bytes] | add)' out)" true
is "$(jq '.layers[0].bytes' out)" $((224 * 224 * 3 * 4))
is "$(jq '[.blobs[] | .count] | add' out)" 25557032
is "$(jq '.blobs | . as $b | all(range(1; length); $b[.].offset == $b[. - 1].offset + $b[. - 1].count)' \
	out)" true
is "$(jq '[.blobs[] | (.shape | reduce .[] as $n (1; . * $n)) == .count] | all' out)" true
is "$(jq -c '.blobs[] | select(.name == "stage1.block1.shortcut.weight").shape' out)" "[256,1,1,64]"
is "$(jq '[.layers[].name] as $n | [.layers[] | .name as $m | .in[] |
	($n | index($m)) as $at | . as $i | ($n | index($i)) < $at] | all' out)" true
is "$(jq -c '.layers[] | select(.name == "maxpool1") | [.kernel, .stride, .pad, .ceil]' out)" \
	"[3,2,1,false]"
expect 0 show net caffenet --json
is "$(jq -c '.layers[] | select(.name == "norm1") | [.size, .alpha, .beta, .k]' out)" "[5,0.0001,0.75,1]"
is "$(jq '[.blobs[] | select(.name | endswith("bias")) | .decay] | any' out)" false

# Another size.
expect 0 show net resnet18 --input 32x32x1 --classes 7
says out "resnet18: 32x32x1 -> 7 classes"
expect 1 show net alexnet --input 32x32x3
says err "pool5"
says err "made for images of 227x227"
for bad in 32x32 32x32x3x1 0x32x3 ax3x3 9999999x9999999x3 99999999x1x1; do
	expect 129 show net resnet18 --input $bad
	says err "HEIGHTxWIDTHxCHANNELS"
done
expect 129 show net resnet18 --classes -1
expect 129 show algo asgd --plot
says err "are for nets"
expect 129 show net quadratic --input 3x3x3
expect 0 show net quadratic --json

# The diagram: well-formed, every layer that begins a box named once, boxes inside the sheet.
expect 0 show net resnet20 --plot
is "$(cat out)" resnet20.svg
expect 0 show net squeezenet --plot here.svg
is "$(cat out)" here.svg
expect 1 show net squeezenet --plot here.jpg
says err "ends in .svg"
[ -e here.jpg ] && fail "here.jpg was written"
expect 129 show net squeezenet here.svg
expect 1 show net squeezenet --plot none/here.svg
cat >wild.json <<'END'
{"input": [5, 5, 3], "classes": 3, "layers": [
{"layer": "conv", "name": "a", "out": 4, "kernel": 1}, {"layer": "conv", "name": "b", "in": "input", "out": 4, "kernel": 1},
{"layer": "bn", "in": "a"}, {"layer": "relu", "in": "b"}, {"layer": "concat", "in": ["bn1", "relu1"]},
{"layer": "concat", "in": ["concat1", "concat1"]}, {"layer": "conv", "in": "concat1", "out": 16, "kernel": 1},
{"layer": "add", "in": ["concat2", "conv1"]}, {"layer": "concat", "in": ["add1", "input"]},
{"layer": "dense", "out": "$classes"}]}
END
cp wild.json 'a<b>&c.json'
expect 0 show net './a<b>&c.json' --plot odd.svg
cat >check.py <<'END'
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
width, height = float(root.get("width")), float(root.get("height"))
boxes = [(float(r.get("x")), float(r.get("y")), float(r.get("width")), float(r.get("height")))
         for r in root.iter(space + "rect") if r.get("class") == "box"]
titles = [t.text for t in root.iter(space + "title")]
assert len(titles) == len(set(titles)) == len(boxes), "boxes and names"
for i, (x, y, w, h) in enumerate(boxes):
    assert 0 <= x and x + w <= width and 0 <= y and y + h <= height, "outside"
    for a, b, c, d in boxes[:i]:
        assert x >= a + c or a >= x + w or y >= b + d or b >= y + h, "boxes overlap"
skips = [p for p in root.iter(space + "path") if p.get("class") == "skip"]
wires = [p for p in root.iter(space + "path") if p.get("class") == "wire"]
print(len(boxes), len(wires), len(skips))
END
# 19 convolutions, 9 adds, 2 shortcuts, the input, the pool, the dense layer; 9 skips.
is "$(python3 check.py resnet20.svg)" "33 32 9"
# input, a, b, bn, relu, 3 concats, conv, add, dense; the input goes on to the last concat
is "$(python3 check.py odd.svg)" "11 12 1"
is "$(python3 check.py here.svg)" "39 46 0"
finish
