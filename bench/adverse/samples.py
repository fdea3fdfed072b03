"""Good inputs of every kind, made once: what the mutations start from."""
import glob
import os
import shutil
import struct
import subprocess
import time

SPEC = """{ "title": "S", "paper": "P", "figure": "1", "about": "a",
  "base": { "algo": "asgd", "workers": 2, "net": "quadratic", "lr": 0.01, "gradients": 40 },
  "grid": { "algo": ["asgd", "allreduce"], "workers": [1, 2], "seed": [1, 2] },
  "baseline": { "algo": "allreduce", "workers": 1 },
  "scales": { "small": { "time": "1 s", "about": "x", "base": { "gradients": 20 }, "grid": { "seed": [1] } } },
  "published": { "source": "s", "cells": [ { "algo": "asgd", "workers": 2, "time_s": ">1", "speedup": 1.5 } ] },
  "tables": [ { "name": "t", "title": "T {workers}", "rows": "workers", "columns": "algo",
    "values": ["time_s", "speedup", "time_to:train_loss<=1"], "labels": { "asgd": "ASGD" }, "notes": ["n {net}"] } ],
  "plots": [ { "name": "p", "title": "P {net}", "from": "runs", "x": "workers", "y": "time_s", "series": "algo",
    "xlabel": "x", "labels": { "asgd": "A" } },
    { "name": "c", "title": "C", "from": "train", "x": "epoch", "y": "loss", "series": "algo",
      "where": { "workers": 2 } } ],
  "claims": [ { "says": "s", "kind": "ours", "where": "w", "jq": "all(.runs[]; .time_s > 0)", "shows": "length" } ] }
"""
NET = """{ "about": "a", "cite": "c", "input": [12, 12, 1], "classes": 4,
  "defaults": { "conv": { "init": "xavier" }, "maxpool": { "kernel": 2, "ceil": true } },
  "blocks": { "unit": { "params": ["out", "stride"], "layers": [
     { "layer": "conv", "out": "$out", "kernel": 3, "stride": "$stride", "pad": 1 }, "bn", "relu" ] } },
  "layers": [ { "layer": "conv", "out": 4, "kernel": 3 }, "maxpool", { "layer": "dense", "out": 8 }, "relu",
    { "layer": "dropout", "ratio": 0.5 }, { "layer": "dense", "out": "$classes" } ] }
"""
GRAPH = "# a ring\n0 1\n1 2\n2 3\n3 0\n"
TABLES = {"times.txt": "1.0\n1.1\n0.9\n1.3 # slow\n", "pairs.txt": "0 1\n60 10\n90 1\n",
          "hosts": "node1 slots=2\nnode2:2\n# none\n", "nodes": "node1\nnode1\nnode2\n",
          "synsets.txt": "n01440764 tench\nn01443537 goldfish\n", "labels.txt": "a.JPEG 0\nb.JPEG 1\n",
          "graph.txt": GRAPH}


class Samples:
    """The folder of good inputs, and their names."""

    def __init__(self, convoy, source, folder, env):
        self.convoy, self.source, self.folder, self.env = convoy, source, folder, env
        os.makedirs(folder)
        for name, text in {"s.json": SPEC, "net.json": NET, **TABLES}.items():
            self.put(name, text.encode())
        self.nets = sorted(glob.glob(source + "/nets/zoo/*.json"))
        self.clusters = sorted(glob.glob(source + "/sim/clusters/*.json"))
        self.experiments = sorted(glob.glob(source + "/experiments/*/*.json"))
        self.kept = sorted({os.path.dirname(f) for f in glob.glob(source + "/results/reference/*/*/claims.json")})
        self.make_data()
        self.make_results()

    def put(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(data)

    def run(self, *words, interrupt=0.0):
        process = subprocess.Popen([self.convoy, *words], cwd=self.folder, env=self.env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        if interrupt:
            time.sleep(interrupt)
            process.send_signal(2)
        err = process.communicate()[1]
        if process.returncode not in (0, 130):
            raise SystemExit(f"cannot make a sample: convoy {' '.join(words)}: {err.decode()}")

    def make_data(self):
        os.makedirs(self.folder + "/cifar")
        row = bytes([3]) + bytes(range(256)) * 12
        for i in range(1, 6):
            self.put(f"cifar/data_batch_{i}.bin", row * 4)
        self.put("cifar/test_batch.bin", row * 4)
        self.put("cifar/batches.meta.txt", b"".join(b"class%d\n" % i for i in range(10)))
        os.makedirs(self.folder + "/mnist")
        for part, n in (("train", 8), ("t10k", 4)):
            self.put(f"mnist/{part}-images-idx3-ubyte", struct.pack(">IIII", 2051, n, 28, 28) + bytes(784 * n))
            self.put(f"mnist/{part}-labels-idx1-ubyte", struct.pack(">II", 2049, n) + bytes(i % 10 for i in range(n)))
        corpus = self.source + "/tests/fuzz/corpus/"
        for part in "train", "val":
            for i, label in enumerate(("n01440764", "n01443537")):
                os.makedirs(f"{self.folder}/photos/{part}/{label}")
                for j, kind in enumerate(("smooth", "grey", "progressive", "cmyk")):
                    shutil.copy(corpus + "jpeg/" + kind, f"{self.folder}/photos/{part}/{label}/{i}{j}.JPEG")
        for name in "pixels", "tiny-jpeg":
            shutil.copy(corpus + "packed/" + name, f"{self.folder}/{name}.h5")

    def make_results(self):
        small = ["--net", "quadratic", "--lr", "0.01", "--quiet"]
        self.run("sim", "--algo", "asgd", "--workers", "2", "--gradients", "60", "--keep-model", "--trace", "trace.h5",
                 "--file", "result.h5", *small)
        self.run("sim", "--algo", "ad-psgd", "--workers", "4", "--gradients", "60", "--trace", "trace2.h5",
                 "--file", "result2.h5", *small)
        self.run("sim", "--algo", "asgd", "--workers", "2", "--net", "logistic", "--gradients", "1000000", "--lr",
                 "0.01", "--eval-every", "1000", "--checkpoint-every", "0.2", "--quiet", "--out", "stopped",
                 interrupt=4)
        self.run("sim", "--algo", "asgd", "--workers", "2", "--gradients", "60", "--checkpoint-every", "1", "--out",
                 "whole", *small)
        self.run("run", "s.json", "--quiet", "--out", "results")
        self.run("run", "s.json", "--quiet", "--out", "results", "--scale", "small", "--lr", "0.01,0.02")
