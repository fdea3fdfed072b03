"""One function for each kind of input: it mutates something, and returns the command that takes it."""
import glob
import json
import os
import shutil

import mutate
import samples

GOOD = {
    "algo": ["allreduce", "asgd", "hogwild:blocks=4", "staleness-aware", "dynsgd:clock=worker", "gap-aware:penalty=layer",
             "dc-asgd:form=constant", "ad-psgd", "d-psgd", "gossip-push", "gossip-pull:period=2", "sgp", "osgp:tau=2",
             "backup:extra=1", "k-sync:k=1", "k-batch-async:k=2", "softsync", "ssp:s=2", "rennala:batch=3",
             "ringmaster:threshold=2", "groups:groups=2", "local-sgd:period=4", "downpour:fetch=2,push=2",
             "easgd:alpha=0.3,form=sync", "eamsgd", "dana", "multi-asgd", "nag-asgd", "delay-adaptive:rule=drop"],
    "graph": ["auto", "ring", "torus:rows=2", "hypercube", "random-regular:degree=2,seed=3", "file:path=graph.txt", "complete",
              "bipartite-complete", "star", "exponential"],
    "workers": ["4", "2", "1", "3"], "batch": ["32", "1"], "net": ["quadratic", "logistic", "net.json"],
    "data": ["shapes:train=64,test=16", "cifar10:dir=cifar,any=true", "mnist:dir=mnist,train=8", "packed:file=pixels.h5"],
    "backend": ["auto", "onednn", "openblas"], "precision": ["f32", "bf16"], "lowering": ["1", "auto", "caffe"],
    "partitions": ["0", "2"], "compute-threads": ["0", "1"], "seed": ["1", "7"], "epochs": ["auto", "0.01", "0"],
    "seconds": ["0", "0.01"], "gradients": ["40", "100"], "lr": ["0.01"], "lr-scaling": ["none", "linear", "sqrt"],
    "lr-batch": ["256"], "schedule": ["constant", "steps:at=1/2,factor=0.5", "poly:power=2", "cosine"],
    "warmup": ["0", "0.5"], "warmup-from": ["0.1", "workers"],
    "optim": ["sgd:momentum=0.9,nesterov=false", "lars:trust=0.01", "adam:eps=1e-8", "lamb", "sgd:asynchrony=-1",
              "closed-loop:target=0.9,gain=0.1"],
    "codec": ["none", "fp16", "bf16", "onebit", "terngrad:clip=2", "qsgd:levels=3,bucket=64", "topk:ratio=0.1"],
    "init": ["seed", "result.h5"], "keep-model": ["true", "false"], "eval-every": ["1", "0"], "eval-samples": ["0", "8"],
    "stat-batches": ["1"], "train-every": ["0.1"], "time-from": ["0", "5"], "measures": ["none", "cheap", "all"],
    "server": ["own", "shared"], "allreduce": ["buckets", "whole", "ring"], "bucket": ["4194304", "64"],
    "cluster": ["auto", "none", "power8-edr", "cluster.json"], "compute-s": ["auto", "0.01"], "host-copy-s": ["auto", "0.001"],
    "update-s": ["auto", "0.001"], "shards": ["1", "2"], "sim-bucket": ["auto", "0", "128"], "overlap": ["auto", "true"],
    "delay": ["constant", "gamma:cv=0.3", "0: exponential:least=0.5; *: normal:cv=0.2", "cvb:v_mach=0.1,v_task=0.2",
              "empirical:file=times.txt", "empirical:file=trace.h5,rank=0", "profile:file=pairs.txt",
              "markov:factor=5,fast_s=1,slow_s=2 * uniform:spread=0.5", "measured:factors=1/2/3", "pareto:alpha=2.5",
              "periodic:factor=3,period_s=2,slow_s=1", "rack:size=2,every_s=1,cv=0.2", "weibull:shape=2", "lognormal:cv=1"],
    "link": ["auto", "ideal", "nic:latency_s=1e-5,bandwidth_GBps=1,jitter=0.1", "fair:rack=2,latency_s=1e-4",
             "nic:stepwise=pairs", "nic:stepwise=eager", "nic:duplex=half,message_s=1e-6",
             "measured:message_bytes=1/1000,message_s=1e-6/1e-5,allreduce_bytes=1/1000,allreduce_s=1e-6/1e-5,ranks=4"],
    "slow": ["none", "0:10", "0:2+1:3@0.1-0.5"], "shares": ["equal", "speed", "0:2+1:0.5"],
    "faults": ["none", "1:leave@0.001", "1:leave@0.001-0.01,copy=old+0-1:drop@0.002-0.004", "server:stall@0.001-0.002"],
    "timing": ["true", "false"], "samples": ["0", "1000"],
}
NEW = ["cluster", "sim-bucket", "link", "slow", "faults", "shares", "delay", "graph"]
BASE = ["--algo", "asgd", "--workers", "4", "--net", "quadratic", "--lr", "0.01", "--gradients", "40"]
LISTS = ["1,2", "1..4", "1..1000000", "1..10:2", "1..16:x2", "4..1", "1..2:0", "1..4:x1", "1..4:x0", "1..inf", "nan..2",
         "0..1:1e-300", "1,,2", ",", "1,1,1", "..", "1..", "..4", "1..4:", "1..4:x", "-4..4", "1..1e300:x1.0000001",
         "0:5,0:20", "none,0:3", "asgd,asgd", "auto,0.1", "true,false", "a,b", "1..4,8"]
OPTIONS = {"threads": ["1", "0"], "jobs": ["1", "2"], "sim-ranks": ["0", "1"], "checkpoint-every": ["1"], "resume": [None],
           "checkpoint-keep": ["1000000"], "plot-y": ["speedup", "time_s", "time_to:train_loss<=1"], "json": [None],
           "csv": [None], "quiet": [None], "dry-run": [None], "scale": ["small", "default"], "only": ["algo=asgd", "seed=1"],
           "format": ["md", "csv", "json", "latex", "text", "term", "svg", "tex"], "values": ["time_s,speedup"],
           "name": ["p", "c"], "every": ["0.5"], "late": ["30"], "hang": ["0"], "restarts": ["0"], "input": ["12x12x1", "12"],
           "classes": ["4"], "steps": ["1"], "groups": ["1..2"], "rounds": ["1"], "budget": ["0.01"], "probe": ["0.2"],
           "rates": ["0.1/0.01"], "momenta": ["0/0.9"], "within": ["10"], "settle": ["0"], "hosts": ["a:2,b:2"],
           "hostfile": ["hosts"], "mpirun": ["--bind-to none"], "all": [None], "set": ["lr=0.1"], "seconds": ["0.1"]}
COMMANDS = ["run", "watch", "sim", "tune", "replay", "trace", "predict", "table", "plot", "claims", "report", "compare",
            "check", "bench", "verify", "list", "show", "schema", "completion", "help", "version", "complete", "data"]
KINDS = ["experiment", "algo", "graph", "net", "data", "delay", "link", "cluster", "schedule", "optim", "codec", "runs",
         "experiments", "algos"]


class Box:
    """The folder that a command runs in, and what it takes from the samples."""

    def __init__(self, path, samples):
        self.path, self.samples, self.marks, self.env = path, samples, [], {}
        self.up = os.path.join(os.path.dirname(path), "up")

    def take(self, *names):
        for name in names:
            source, to = os.path.join(self.samples.folder, name), os.path.join(self.path, name)
            if os.path.isdir(source):
                shutil.copytree(source, to, symlinks=True, dirs_exist_ok=True)
            else:
                shutil.copy(source, to)

    def put(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data)
        self.marks.append(os.path.basename(name))

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as f:
            return f.read()

    def json(self, rng, name, good):
        data, keys = mutate.document(rng, good)
        self.put(name, data)
        self.marks += keys

    def needs(self, words):
        """Takes the samples that the words name."""
        line = " ".join(words)
        for name in ("graph.txt", "times.txt", "pairs.txt", "trace.h5", "result.h5", "net.json", "pixels.h5", "cifar", "mnist",
                     "hosts"):
            if name in line and not os.path.exists(os.path.join(self.path, name)):
                self.take(name)
        if "cluster.json" in line and not os.path.exists(os.path.join(self.path, "cluster.json")):
            shutil.copy(self.samples.clusters[0], os.path.join(self.path, "cluster.json"))


def clean(s):
    """What can be an argument: no NUL, and lone surrogates as their bytes."""
    return s.replace("\0", "").encode("utf-8", "surrogatepass")


def raw(rng, s):
    b = clean(s)
    return b + rng.choice(mutate.RAW) if rng.random() < 0.004 else b


def value_of(rng, key, bad):
    good = rng.choice(GOOD[key])
    return mutate.text(rng, good) if rng.random() < bad else good


def settings(rng, box, bad=0.7, most=3):
    words = []
    keys = rng.sample(sorted(GOOD), rng.randint(1, most))
    if rng.random() < 0.5:
        keys.append(rng.choice(NEW))
    for key in keys:
        v = value_of(rng, key, bad)
        words += rng.choice([["--" + key, v], ["--" + key + "=" + v], ["--set", key.replace("-", "_") + "=" + v]])
    box.needs(words)
    return words


def quick(rng):
    return BASE + rng.choice([["--timing"], ["--timing"], []])


def setting(rng, box):
    return ["sim", *quick(rng), *settings(rng, box)] + rng.choice([[], ["--quiet"], ["--dry-run"], ["--json"], ["--csv"]])


def each_setting(rng, box):
    """A setting alone with an odd number or text."""
    key = rng.choice(sorted(GOOD))
    v = mutate.number(rng) if rng.random() < 0.6 else rng.choice(mutate.TEXTS)
    return ["sim", *quick(rng), "--" + key, v]


def option_of(rng, box):
    """An option of an algorithm, graph, delay, link, schedule, optimiser, codec or data set with an odd number."""
    key = rng.choice([k for k in GOOD if any("=" in v for v in GOOD[k])])
    v = rng.choice([v for v in GOOD[key] if "=" in v])
    at = rng.choice([i for i, c in enumerate(v) if c == "="])
    end = min([i for i in range(at, len(v)) if v[i] in ",; "] or [len(v)])
    v = v[:at + 1] + (mutate.number(rng) if rng.random() < 0.7 else rng.choice(mutate.TEXTS)) + v[end:]
    words = ["sim", *quick(rng), "--" + key, v]
    box.needs(words)
    return words


def sweep(rng, box):
    keys = rng.sample(sorted(GOOD), rng.randint(1, 2))
    words = []
    for key in keys:
        v = rng.choice(LISTS) if rng.random() < 0.6 else ",".join(rng.choice(GOOD[key]) for _ in range(2))
        words += ["--" + key, mutate.text(rng, v) if rng.random() < 0.4 else v]
    box.needs(words)
    if rng.random() < 0.5:
        box.take("s.json")
        return ["run", "s.json", "--quiet", *words, *rng.choice([[], ["--dry-run"], ["--timing"]])]
    return ["sim", *quick(rng), *words, *rng.choice([[], ["--dry-run"], ["--plot", "x.svg"], ["--csv"]])]


def command_line(rng, box):
    """A command with options of any command."""
    words = [rng.choice(COMMANDS)]
    if words[0] in ("sim", "tune", "predict"):
        words += quick(rng)
    if words[0] in ("list", "show", "check", "bench", "data", "schema", "completion", "help"):
        words.append(rng.choice(KINDS + COMMANDS + ["spec", "net", "bash", "zsh", "fish", "nets", "info", "sim", "cluster"]))
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        key = rng.choice(sorted(OPTIONS))
        v = rng.choice(OPTIONS[key])
        if rng.random() < 0.5:
            v = mutate.text(rng, v or "")
        key = mutate.text(rng, key) if rng.random() < 0.15 else key
        words += ["--" + key] if v is None else rng.choice([["--" + key, v], ["--" + key + "=" + v]])
    if rng.random() < 0.4:
        words.insert(rng.randint(1, len(words)), rng.choice(["s.json", "result.h5", "trace.h5", "sim", "slow-worker", "net", "-",
                                                             "--", "net.json", "lenet", mutate.text(rng, "slow-worker")]))
    if rng.random() < 0.2:
        i = rng.randrange(len(words))
        words[i] = mutate.text(rng, words[i])
    if words[0] in ("predict", "bench", "check", "verify", "tune", "watch", "data", "run") and "--dry-run" not in words:
        words += {"watch": ["--once"], "tune": ["--dry-run"], "run": ["--dry-run"],
                  "predict": ["--cluster", "nowhere.json"]}.get(words[0], [])
    if words[0] == "data" and "get" in words:
        words.remove("get")
    box.take("s.json")
    box.needs(words)
    return words


def spec(rng, box):
    good = json.loads(samples.SPEC) if rng.random() < 0.7 else json.load(open(rng.choice(box.samples.experiments)))
    big = len(json.dumps(good)) > 2500
    box.json(rng, "odd.json", good)
    words = ["run", "odd.json", "--quiet"]
    if big:
        words = rng.choice([["run", "odd.json", "--dry-run"], ["show", "experiment", "odd.json"], ["table", "odd.json"],
                            ["claims", "odd.json"], ["report", "odd.json"]])
    elif rng.random() < 0.2:
        words += settings(rng, box, 0.5, 1)
    return words


def claim(rng, box):
    filters = ["true", "env", "$ENV", "input", "inputs", "debug", "halt", "halt_error", "import \"a\" as a; .",
               "include \"x\"; .", "[limit(1e9; repeat(1))]", "def f: f; f", "last(range(1e9))", "error(\"\\u001b]0;PWNED\")",
               "\"\\u009b1m\"", ".[0].time_s", "1/0", ".a.b.c", "[range(1e7)]|length", "$__loc__", "input_filename",
               "get_search_list", "now|todate", "\"x\"*1e9", "tojson*100000", "@sh", "@base64d", "ltrimstr(1)",
               "reduce range(1e6) as $i ([]; [.])|tojson", "getpath([\"a\"])", "splits(\"(a*)*b\")", "\\", "(", "", "\"",
               "first(inputs)", "$__prog_args", "strftime(\"%Z\")|env", "ascii", "nan", "infinite|floor", "[.[]|.x]|@csv"]
    good = json.loads(samples.SPEC)
    good["grid"] = {}
    good["claims"][0]["jq"] = rng.choice(filters) if rng.random() < 0.7 else mutate.text(rng, rng.choice(filters))
    good["claims"][0]["shows"] = rng.choice(filters) if rng.random() < 0.5 else mutate.text(rng, "length")
    box.put("odd.json", json.dumps(good).encode("utf-8", "surrogatepass"))
    return ["run", "odd.json", "--quiet"]


def net(rng, box):
    good = json.loads(samples.NET) if rng.random() < 0.6 else json.load(open(rng.choice(box.samples.nets)))
    box.json(rng, "odd.json", good)
    return rng.choice([["show", "net", "odd.json"], ["show", "net", "odd.json", "--json"], ["show", "net", "odd.json", "--plot"],
                       ["sim", *BASE, "--net", "odd.json", "--timing"],
                       ["sim", "--net", "odd.json", "--data", "shapes:train=64,test=16", "--workers", "2", "--gradients", "3",
                        "--batch", "2", "--algo", "asgd", "--eval-samples", "4", "--stat-batches", "1", "--threads", "1"],
                       ["show", "net", "odd.json", "--input", mutate.text(rng, "12x12x1")]])


def cluster(rng, box):
    box.json(rng, "odd.json", json.load(open(rng.choice(box.samples.clusters))))
    return rng.choice([["show", "cluster", "odd.json"], ["sim", *BASE, "--net", "lenet", "--timing", "--cluster", "odd.json"],
                       ["sim", *BASE, "--net", "caffenet", "--timing", "--cluster", "odd.json", "--dry-run"],
                       ["predict", "--cluster", "odd.json", "--dry-run"], ["show", "cluster", "odd.json", "--json"]])


def table_of_text(rng, box):
    name, words = rng.choice([
        ("times.txt", ["--delay", "empirical:file=times.txt"]), ("pairs.txt", ["--delay", "profile:file=pairs.txt"]),
        ("graph.txt", ["--algo", "d-psgd", "--graph", "file:path=graph.txt"]),
        ("graph.txt", ["--algo", "sgp", "--graph", "file:path=graph.txt,directed=true"])])
    box.take(name)
    if rng.random() < 0.15:
        os.unlink(os.path.join(box.path, name))
        box.marks.append(name)
        rng.choice([lambda p: os.mkdir(p), lambda p: os.symlink("/dev/zero", p), lambda p: os.symlink(name, p),
                    lambda p: os.symlink("/nowhere", p)])(os.path.join(box.path, name))
    else:
        good = box.read(name)
        box.put(name, mutate.blob(rng, good) if rng.random() < 0.5 else clean(mutate.text(rng, good.decode())))
    if name == "graph.txt" and rng.random() < 0.3:
        return ["show", "graph", "file:path=graph.txt", "--workers", rng.choice(["4", "1000"])]
    return ["sim", *BASE, "--timing", *words]


def result(rng, box):
    box.take("result.h5", "result2.h5")
    mutate.h5(rng, os.path.join(box.path, "result.h5"))
    box.marks.append("result.h5")
    return rng.choice([["compare", "result.h5", "result2.h5"], ["compare", "result2.h5", "result.h5", "--format", "md"],
                       ["sim", *BASE, "--init", "result.h5"], ["watch", "result.h5", "--once"],
                       ["sim", *BASE, "--timing", "--delay", "empirical:file=result.h5"],
                       ["sim", "--algo", "asgd", "--workers", "2", "--gradients", "60", "--keep-model", "--net", "quadratic",
                        "--lr", "0.01", "--quiet", "--file", "result.h5"],
                       ["compare", "result.h5:algo=asgd", "result2.h5", "--values", mutate.text(rng, "time_s,speedup")]])


def trace(rng, box):
    name = rng.choice(["trace.h5", "trace2.h5"])
    box.take(name)
    mutate.h5(rng, os.path.join(box.path, name))
    box.marks.append(name)
    return rng.choice([["trace", name], ["trace", name, "--format", "json"], ["trace", name, "--format", "chrome"],
                       ["trace", name, "--plot", "x.svg"], ["replay", name], ["replay", name],
                       ["sim", *BASE, "--timing", "--delay", "empirical:file=" + name]])


def checkpoint(rng, box):
    which = rng.choice(["stopped", "whole"])
    box.take(which)
    found = glob.glob(os.path.join(box.path, which, "sim", "*"))
    broken = [f for f in found if f.endswith("checkpoint") or rng.random() < 0.1] or found
    for f in broken:
        if f.endswith(".h5") or rng.random() < 0.4:
            mutate.h5(rng, f) if f.endswith((".h5", ".part")) else _blob_file(rng, f)
        else:
            _blob_file(rng, f)
        box.marks.append(os.path.basename(f))
    if which == "whole":
        return ["sim", "--algo", "asgd", "--workers", "2", "--gradients", rng.choice(["60", "90"]), "--net", "quadratic",
                "--lr", "0.01", "--checkpoint-every", "1", "--resume", "--out", "whole"]
    return ["sim", "--algo", "asgd", "--workers", "2", "--net", "logistic", "--gradients", "1000000", "--lr", "0.01",
            "--eval-every", "1000", "--checkpoint-every", "0.2", "--resume", "--out", "stopped"]


def _blob_file(rng, path):
    with open(path, "rb") as f:
        b = f.read()
    if rng.random() < 0.5:
        at = rng.randrange(min(len(b), 4096) + 1)
        b = b[:at] + mutate.blob(rng, b[at:at + 64]) + b[at + 64:]
    else:
        b = mutate.blob(rng, b)
    with open(path, "wb") as f:
        f.write(b)


def data(rng, box):
    kind = rng.choice(["cifar", "mnist", "photos", "packed"])
    if kind == "packed":
        name = rng.choice(["pixels.h5", "tiny-jpeg.h5"])
        box.take(name)
        mutate.h5(rng, os.path.join(box.path, name))
        box.marks.append(name)
        what = "packed:file=" + name
    else:
        box.take(kind)
        files = [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(box.path, kind)) for f in fs]
        for f in rng.sample(files, rng.choice([1, 1, 2])):
            if rng.random() < 0.1:
                os.unlink(f)
                os.symlink(rng.choice(["/dev/zero", "/nowhere", "../up", f]), f)
            else:
                _blob_file(rng, f)
            box.marks.append(os.path.basename(f))
        box.marks.append(kind)
        what = {"cifar": "cifar10:dir=cifar,any=true", "mnist": "mnist:dir=mnist", "photos": "imagenet:dir=photos"}[kind]
    if rng.random() < 0.2:
        what = mutate.text(rng, what)
    if kind == "photos" and rng.random() < 0.4:
        return ["data", "pack", what, "-o", "packed.h5"] if rng.random() < 0.5 else ["data", "pack", "photos", "-o", "packed.h5"]
    if kind in ("cifar", "mnist") and rng.random() < 0.5:
        return ["sim", "--algo", "asgd", "--workers", "2", "--gradients", "4", "--batch", "2", "--lr", "0.01", "--threads", "1",
                "--net", {"cifar": "cifar-cnn", "mnist": "mlp"}[kind], "--data", what, "--stat-batches", "1"]
    return ["data", "info", what]


def plot_name(rng, box):
    names = ["x.svg", "a b.png", "x'; system('touch pwned'); y='.svg", "x.tex", "x.pdf", "-x.svg", ".svg", "d/x.svg", "/.svg",
             "x.svg.png", "x.SVG", "x", "\n.svg", "%s.svg", "a" * 240 + ".svg", "a" * 300 + ".svg", "`id`.png", "|x.svg", "x\\.svg"]
    name = rng.choice(names) if rng.random() < 0.6 else mutate.text(rng, rng.choice(names[:5]))
    while name.startswith("/") or ".." in name:
        name = name.lstrip("/").replace("..", "")
    if rng.random() < 0.15:
        os.symlink("../up/secret", os.path.join(box.path, rng.choice(["x.svg", "x.gp", "x.dat", "x.csv", "x.svg.new", "x.gp.new"])))
    if rng.random() < 0.3:
        return ["sim", "--algo", "asgd", "--workers", "2", "--timing", "--net", "lenet", "--gradients", "20", "--timeline", name]
    if rng.random() < 0.3:
        return ["show", "net", "lenet", "--plot", name]
    if rng.random() < 0.2:
        return ["show", "delay", "gamma:cv=0.2", "--plot", name]
    return ["sim", "--algo", "asgd", "--workers", "1,2", "--timing", "--net", "lenet", "--gradients", "20", "--plot", name,
            "--plot-y", "time_s" if rng.random() < 0.6 else mutate.text(rng, "time_to:train_loss<=1")]


def plots_of_spec(rng, box):
    """Names, titles and labels of plots and tables of a spec."""
    good = json.loads(samples.SPEC)
    good["grid"] = {"workers": [1, 2]}
    plot = rng.choice(good["plots"] + good["tables"])
    key = rng.choice(sorted(plot))
    plot[key] = rng.choice(mutate.TEXTS) if rng.random() < 0.6 else mutate.text(rng, str(plot[key]))
    box.marks.append(key)
    box.put("odd.json", json.dumps(good).encode("utf-8", "surrogatepass"))
    return ["run", "odd.json", "--quiet"]


def hosts(rng, box):
    which = rng.choice(["hosts", "nodes"])
    box.take(which)
    good = box.read(which)
    box.put(which, mutate.blob(rng, good) if rng.random() < 0.5 else clean(mutate.text(rng, good.decode())))
    if rng.random() < 0.5:
        box.env.update({rng.choice(["PBS_NODEFILE", "LSB_DJOB_HOSTFILE"]): which, "PBS_JOBID": "1"})
        words = []
    else:
        words = rng.choice([["--hostfile", which], ["--hosts", mutate.text(rng, "a:2,b:2")],
                            ["--mpirun", mutate.text(rng, "--bind-to none")]])
    return ["train", "--algo", "asgd", "--net", "quadratic", "--lr", "0.01", "--gradients", "20", *words, "--dry-run"]


def environment(rng, box):
    good = {"SLURM_NTASKS": "2", "SLURM_JOB_NUM_NODES": "1", "SLURM_NNODES": "1", "SLURM_NTASKS_PER_NODE": "2",
            "SLURM_TASKS_PER_NODE": "2(x3),1", "SLURM_JOB_ID": "1", "SLURM_CPUS_PER_TASK": "1", "SLURM_STEP_NUM_TASKS": "1",
            "SLURM_PROCID": "0", "OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0", "PMI_SIZE": "1", "PMI_RANK": "0",
            "PMIX_RANK": "0", "PBS_JOBID": "1", "PBS_NODEFILE": "nodes", "LSB_JOBID": "1", "LSB_HOSTS": "a a b",
            "LSB_MCPU_HOSTS": "a 2 b 1", "LSB_DJOB_HOSTFILE": "nodes", "CONVOY_HOME": box.samples.source, "CONVOY_DATA": "cifar",
            "CONVOY_RESULTS": "results", "CONVOY_TERMINAL": "1", "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "80",
            "LINES": "24", "TMPDIR": ".", "XDG_CACHE_HOME": "cache", "HOME": ".", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
            "LC_ALL": "de_DE.UTF-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TZ": "UTC"}
    box.take("nodes", "s.json", "results", "cifar")
    for key in rng.sample(sorted(good), rng.choice([1, 2, 3])):
        v = good[key] if rng.random() < 0.3 else mutate.text(rng, good[key])
        if key in ("TMPDIR", "CONVOY_RESULTS", "XDG_CACHE_HOME", "HOME"):
            v = v.lstrip("/").replace("..", "")
        box.env[key] = clean(v)
        box.marks.append(key)
    return rng.choice([["sim", *BASE], ["train", "-n", "1", *BASE[:2], "--workers", "1", *BASE[4:], "--dry-run"], ["list", "runs"],
                       ["train", *BASE[:2], *BASE[4:], "--dry-run"], ["table", "s.json"], ["report", "s.json"], ["doctor"],
                       ["watch", "--once"], ["plot", "s.json", "--format", "term"], ["sim", *BASE, "--data", "cifar10", "--net",
                        "cifar-cnn", "--dry-run"], ["list", "experiments"], ["run", "s.json", "--quiet"]])


def completion(rng, box):
    lines = [["run", "slow"], ["sim", "--algo", "asgd:"], ["sim", "--net", "./"], ["sim", "--delay", "gamma:cv"],
             ["sim", "--link", "nic:stepwise="], ["run", "slow-worker", "--scale", ""], ["run", "s.json", "--only", "algo="],
             ["show", "algo", ""], ["list", "runs", "algo="], ["--"], ["sim", "--set", "lr"], ["sim", "--data", "cifar10:dir=c"],
             ["sim", "--delay", "0: gamma:cv=0.1 * "], ["compare", "s.json:algo="], ["run", "--all", "--scale", "s"],
             ["data", "info", "packed:file="], ["check", "net", "r"], [""], ["report", "--plots", ""], ["sim", "--slow", "0:"]]
    words = list(rng.choice(lines))
    for _ in range(rng.choice([1, 1, 2])):
        i = rng.randrange(len(words))
        words[i] = mutate.text(rng, words[i])
    if rng.random() < 0.3:
        box.json(rng, "s.json", json.loads(samples.SPEC))
    if rng.random() < 0.2:
        for name in "a\nb.json", "\x1b]0;PWNED\x07.json", "\u009b1m", "a b", "-x", "$(id)":
            open(os.path.join(box.path, name), "w").close()
    return ["complete", *words]


def runs(rng, box):
    box.take("results", "s.json")
    _damage(rng, box, "results", rng.random() < 0.5)
    keys = ["algo=asgd", "workers=1,2", "lr=0.01,0.02", "experiment=s", "scale=small", "status=done", "net=quadratic",
            "seed=1..2", "optim=sgd:momentum=0.9", "algo=downpour:fetch=2"]
    return ["list", "runs", *[mutate.text(rng, k) if rng.random() < 0.6 else k for k in rng.sample(keys, rng.choice([1, 2]))],
            *rng.choice([[], ["--json"], ["--out", "results"]])]


def _damage(rng, box, folder, really=True):
    files = [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(box.path, folder)) for f in fs]
    text = [f for f in files if f.endswith((".json", ".path", ".csv", ".dat"))]
    for f in rng.sample(text if rng.random() < 0.7 else files, rng.choice([1, 1, 2, 3]) if really else 0):
        if rng.random() < 0.1:
            os.unlink(f)
            if rng.random() < 0.7:
                os.symlink(rng.choice(["/dev/zero", "/nowhere", os.path.join(box.up, "secret"), f]), f)
        elif f.endswith(".h5"):
            mutate.h5(rng, f)
        elif f.endswith(".json") and rng.random() < 0.8:
            with open(f, encoding="utf-8") as file:
                b, keys = mutate.document(rng, json.load(file))
            box.marks += keys
            with open(f, "wb") as file:
                file.write(b)
        else:
            _blob_file(rng, f)
        box.marks.append(os.path.basename(f))


def kept(rng, box):
    """Damaged files of finished experiments: tables, plots, claims and pages of them."""
    box.take("results", "s.json")
    _damage(rng, box, "results")
    out = rng.choice([[], ["--scale", "small", "--lr", "0.01,0.02"]])
    return rng.choice([["table", "s.json", *out], ["plot", "s.json", *out], ["claims", "s.json", *out], ["report", "s.json", *out],
                       ["report", "--all"], ["run", "s.json", "--quiet", *out], ["watch", "results", "--once"],
                       ["compare", "results/s/default", "results/s/small"], ["table", "s.json", "--format", "latex"],
                       ["plot", "s.json", "--format", "term"], ["list", "runs"]])


def kept_plots(rng, box):
    """`report --plots` and `--md` of a folder of kept results."""
    source = rng.choice(box.samples.kept)
    to = os.path.join(box.path, "kept", *source.split("/")[-2:])
    shutil.copytree(source, to)
    for png in glob.glob(to + "/plots/*"):
        if not png.endswith(".json"):
            os.unlink(png)
    files = sorted(glob.glob(to + "/plots/*.json"))
    for f in files[2:]:
        os.unlink(f)
    with_json = files[:2] + glob.glob(to + "/claims.json") + glob.glob(to + "/tables/*.json")
    if not with_json:
        return ["report", "--plots", "kept"]
    f = rng.choice(with_json)
    with open(f, encoding="utf-8") as file:
        b, keys = mutate.document(rng, json.load(file))
    with open(f, "wb") as file:
        file.write(b)
    if rng.random() < 0.1:
        os.unlink(f)
        os.symlink(os.path.join(box.up, "secret"), f)
    if rng.random() < 0.1:
        os.symlink(os.path.join(box.up, "secret"), f[:-4] + rng.choice(["svg", "png", "gp", "dat"]))
    box.marks += keys + [os.path.basename(f), "kept"]
    return ["report", "--plots" if "/plots/" in f else rng.choice(["--md", "--plots"]), "kept"]


def large(rng, box):
    """What cannot fit, or hardly: numbers near the bounds."""
    words = ["sim", "--timing", "--algo", rng.choice(GOOD["algo"]), "--net", rng.choice(["quadratic", "lenet", "resnet50"])]
    for key, values in rng.sample([("workers", ["1000", "100000", "16777216", "1048576"]), ("gradients", ["1000", "1e12"]),
                                   ("batch", ["16777216"]), ("samples", ["1e15"]), ("shards", ["1048576", "1000"]),
                                   ("delay", ["gamma:cv=1e-200", "cvb:v_mach=10,v_task=10", "rack:size=16777216"]),
                                   ("graph", ["complete", "random-regular:degree=999", "torus:rows=16777216", "hypercube"]),
                                   ("compute-s", ["1e-300", "1e15", "0"]), ("sim-bucket", ["1", "4", "1e15"]),
                                   ("link", ["nic:latency_s=1e6", "nic:bandwidth_GBps=1e-9", "fair:rack=16777216"]),
                                   ("train-every", ["1e-15"]), ("epochs", ["1e15"]), ("seconds", ["1e15", "1e-300"]),
                                   ("data", ["shapes:train=1e7,test=1e7"])], rng.choice([1, 2, 3])):
        words += ["--" + key, rng.choice(values)]
    return words + ([] if "--gradients" in words else ["--gradients", "200"])


def folder(rng, box):
    """What is in the way of what is written: symbolic links, folders, read-only ones; odd folders of results."""
    names = ["o", "o/sim", "run.h5", "run.h5.part", "run.h5.part.new", "run.h5.checkpoint", "run.h5.checkpoint.part", "t.h5",
             "x.svg", "x.gp"]
    name = rng.choice(names)
    path = os.path.join(box.path, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    rng.choice([lambda: os.symlink(os.path.join(box.up, "secret"), path), lambda: os.symlink("/dev/full", path),
                lambda: os.symlink(name, path), lambda: os.mkdir(path), lambda: os.mkfifo(path),
                lambda: open(path, "w").write("x"), lambda: os.symlink("/nowhere/x", path)])()
    box.marks += [os.path.basename(name), "up"]
    return ["sim", *quick(rng), *rng.choice([["--file", "run.h5"], ["--file", "run.h5", "--checkpoint-every", "1", "--resume"],
            ["--out", "o"], ["--out", "o", "--workers", "1,2", "--plot", "x.svg"], ["--trace", "t.h5", "--file", "run.h5"],
            ["--out", rng.choice(["o", "", "a\nb", "\x1b]0;PWNED\x07", "a" * 300, "o/" * 300, "%s"])]])]


def foreign(rng, box):
    """Words of other programs, and near misses."""
    words = ["--np", "--staleness", "--algo=ps", "--lr-decay", "--learning-rate=0.1", "--optimizer=adam", "--model=resnet20",
             "--dataset=cifar10", "--world-size=4", "--nproc_per_node=2", "-np", "--batch-size", "--n-workers=3", "--momentum=0.9",
             "--epoch=1", "--device=cuda", "--network=100G", "--bandwidth=1", "--alg=asgd", "--algo=ASGD", "--algo=adpsgd",
             "--net=ResNet-20", "--data=CIFAR10", "--link=infiniband", "--delay=exp", "--codec=powersgd", "--graph=circle"]
    line = [rng.choice(["sim", "train", "run", "tune"]), *rng.sample(words, rng.choice([1, 2]))]
    i = rng.randrange(1, len(line))
    line[i] = mutate.text(rng, line[i]) if rng.random() < 0.6 else line[i]
    return line + ["--dry-run"]


def ranks(rng, box):
    """Real ranks, one or two."""
    n = rng.choice(["1", "2"])
    return ["train", "-n", n, "--algo", "allreduce", "--workers", n, "--net", "quadratic", "--lr", "0.01", "--gradients", "20",
            "--quiet", *settings(rng, box, 0.6, 2)]


def search(rng, box):
    return ["tune", "--net", "quadratic", "--workers", "4", "--batch", "8", "--compute-s", "1", "--budget", "20", "--quiet",
            *settings(rng, box, 0.6, 1), "--" + rng.choice(["groups", "probe", "rates", "momenta", "rounds"]),
            mutate.text(rng, rng.choice(["1..2", "0.2", "0.1/0.01", "1"]))]


def look(rng, box):
    """`show`, `list`, `check` and `bench` with odd names."""
    kind = rng.choice(["algo", "graph", "net", "data", "delay", "link", "cluster", "schedule", "optim", "codec", "experiment"])
    good = rng.choice(GOOD.get(kind, ["slow-worker", "zhang2017/speedup"]))
    words = ["show", kind, mutate.text(rng, good), *rng.choice([[], ["--json"], ["--workers", mutate.text(rng, "16")], ["--plot"]])]
    if kind == "net" and rng.random() < 0.4:
        words = rng.choice([["check", "net", "net.json", "--batch", "2", "--no-reference", "--steps", mutate.text(rng, "1")],
                            ["bench", "nets", "net.json", "--seconds", "0.01", "--no-peak", "--batch", mutate.text(rng, "2")],
                            ["verify", "sim", "--seed", mutate.text(rng, "x")]])
    box.needs(words)
    return words


KIND_WEIGHTS = {setting: 12, each_setting: 10, option_of: 10, sweep: 10, command_line: 10, spec: 12, claim: 4, net: 8, cluster: 5,
                table_of_text: 4, result: 8, trace: 8, checkpoint: 5, data: 6, plot_name: 4, plots_of_spec: 4, hosts: 4,
                environment: 6, completion: 7, runs: 5, kept: 7, kept_plots: 5, large: 4, folder: 5, foreign: 3, ranks: 2,
                search: 2, look: 6}
