# show net: the table, the unrolled net as JSON, other sizes, the diagram.
. "$(dirname "$0")/lib.sh"
need jq
need python3

expect 0 show net resnet50
says out "resnet50: 224x224x3 -> 1000 classes"
grep -qE '^conv1 +conv +7x7/2 +112x112x64 +9408 +118013952 +3211264$' out || fail "conv1: $(cat out)"
grep -qE '^total +25557032 +4089184256 +' out || fail "total"

# JSON: the same figures; layers read earlier ones; blobs lie one after the other.
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

# A misspelt name has the nearest of all nets, in files or not; a net without a file has no layers.
for command in "show net" "check net" "sim --net"; do
	expect 1 $command quadratc
	says err "unknown net 'quadratc'; did you mean 'quadratic'?"
	expect 1 $command gtp:layers=2
	says err "unknown net 'gtp'; did you mean 'gpt'?"
	expect 1 $command resnet2O
	says err "did you mean 'resnet20'?"
	expect 1 $command resnet20:depth=3
	says err "net resnet20 has no options. Leave out ':depth=3'"
done
expect 1 check net quadratic
says err "net quadratic has no layers of its own; 'convoy show net quadratic' says what it is"
echo '{"input": [8, 8, 3], "classes": 2, "layers": [{"conv": {"out": 6}}]}' >torch.json
expect 1 show net torch.json
says err 'torch.json: layers: the item {"conv":{"out":6}} has no "layer" (expected such as {"layer": "conv"})'

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

# The diagram, as DOT: every box stands for a layer and is named by it; connections.
expect 129 show net squeezenet here.dot
expect 1 show net squeezenet --plot here.jpg
says err "ends in .dot, .svg or .pdf"
[ -e here.jpg ] || [ -e here.dot ] && fail "a file was written"
expect 0 show net squeezenet --plot made/for/here.dot
[ -s made/for/here.dot ] || fail "no plot in a folder that was missing"
touch file
expect 1 show net squeezenet --plot file/here.svg
says err "'file'"
cat >wild.json <<'END'
{"input": [5, 5, 3], "classes": 3, "layers": [
{"layer": "conv", "name": "a", "out": 4, "kernel": 1}, {"layer": "conv", "name": "b", "in": "input", "out": 4, "kernel": 1},
{"layer": "bn", "in": "a"}, {"layer": "relu", "in": "b"}, {"layer": "concat", "in": ["bn1", "relu1"]},
{"layer": "concat", "in": ["concat1", "concat1"]}, {"layer": "conv", "in": "concat1", "out": 16, "kernel": 1},
{"layer": "add", "in": ["concat2", "conv1"]}, {"layer": "concat", "in": ["add1", "input"]},
{"layer": "dense", "out": "$classes"}]}
END
cp wild.json 'a<b>&"c.json'
figures() {     # FILE: boxes, connections, of which past other boxes
	echo "$(grep -c fillcolor "$1") $(grep -c -- ' -> ' "$1") $(grep -c 'd9480f' "$1")"
}
expect 0 show net './a<b>&"c.json' --plot odd.dot
is "$(cat out)" odd.dot
# input, a, b, bn, relu, 3 concats, conv, add, dense; the input goes on to the last concat
is "$(figures odd.dot)" "11 13 1"
says odd.dot 'digraph "a<b>&amp;\"c"'
says odd.dot '"a" [label="conv 1x1/1'
says odd.dot '"add1" -> "concat3"'
expect 0 show net resnet20 --plot r.dot
# 19 convolutions, 9 adds, 2 shortcuts, the input, the pool, the dense layer; 9 skips
is "$(figures r.dot)" "33 41 9"
says r.dot 'subgraph "cluster_stage1.block1" { '

# Without Graphviz: the usual picture is left out, one that was asked for is an error.
mkdir empty
(PATH=$PWD/empty && "$CONVOY" show net resnet20 --plot >out 2>err) || fail "no dot: exit code $?"
is "$(cat out)" resnet20.dot
says err "resnet20.svg is not drawn: Graphviz's program dot is not installed"
(PATH=$PWD/empty && "$CONVOY" show net resnet20 --plot a.pdf >out 2>err) && fail "no dot: exit code 0"
says err "a.pdf is not drawn"
[ -s a.dot ] || fail "a.dot was not written"
printf '#!/bin/sh\nexit 3\n' >empty/dot
chmod +x empty/dot
(PATH=$PWD/empty && "$CONVOY" show net resnet20 --plot b.svg >out 2>err) && fail "dot fails: exit code 0"
says err "b.svg: Graphviz's dot ended with exit code 3"
[ -e b.svg ] && fail "b.svg was written"
command -v dot >/dev/null || finish

# With it: a picture of as many boxes.
expect 0 show net resnet20 --plot
is "$(cat out)" "resnet20.dot
resnet20.svg"
is "$(python3 -c 'import sys, xml.etree.ElementTree as tree
print(sum(g.get("class") == "node" for g in tree.parse(sys.argv[1]).getroot().iter()))' resnet20.svg)" 33
expect 0 show net './a<b>&"c.json' --plot odd.svg
is "$(python3 -c 'import sys, xml.etree.ElementTree as tree
print(sum(g.get("class") == "node" for g in tree.parse(sys.argv[1]).getroot().iter()))' odd.svg)" 11
expect 0 show net squeezenet --plot here.pdf
is "$(head -c 5 here.pdf)" "%PDF-"
finish
