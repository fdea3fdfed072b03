"""The model of a cluster that is fitted to measured step times, as a cluster file of convoy.

What it has, and why:

- computing: the measured times of one GPU, a table of batch to seconds;
- each gradient takes this time, times a draw of a gamma distribution of mean 1. The all-reduce waits for
  the slowest GPU, so a step's computing grows with the number of GPUs;
- all-reduce: NCCL's ring, as convoy's links have it. One ring passes through all GPUs, so each node's
  NIC carries 2 (p - 1) / p of the gradient, however many GPUs the node has. The slowest link decides:
  the NIC if there are several nodes, else the link inside the node;
- it overlaps the backward pass in buckets as large as ResNet-18's largest tensor, 9,437,184 bytes:
  PyTorch's DistributedDataParallel closes its first bucket at 1 MiB and adds whole tensors, so the
  first and the last bucket of this net have 9.5 and 8.9 MB;
- a fixed cost of each step is part of the measured times of one GPU.

COLLECTIVE=double-tree has a double binary tree between nodes instead of the ring, which takes the time of
2 gradients on a NIC, however many GPUs there are from four on. It was tried after the rows were known.

Three numbers are fitted: the deviation of the gamma distribution, and the two rates; with THREE
(fit.py) also the rate of a NIC when three nodes take part.
"""
import json
import math
import os

BUCKET = 9437184
COLLECTIVE = os.environ.get("COLLECTIVE", "ring")   # between nodes, as convoy's links name it
# Where the fit looks for the rate of a NIC: with a double tree, it carries up to twice the bytes of a ring.
ACROSS = (0.25, 1) if COLLECTIVE == "ring" else (0.25, 2)


class Machine:
    def __init__(self, net, table, cv, rate):
        self.net, self.table, self.cv = net, table, cv
        self.rate = rate        # {nodes: 1e9 bytes a second}; of one node, between its GPUs

    def write(self, path, link, about):
        batches = "/".join(str(b) for b, _ in self.table)
        seconds = "/".join(f"{s:.6g}" for _, s in self.table)
        cluster = {
            "about": about,
            "source": "fitted by bench/pollux.sh to measured step times of Pollux (OSDI 2021)",
            "compute": {"times": {self.net: f"table:batch={batches},seconds={seconds}"}},
            "bucket_bytes": BUCKET,
            "delay": f"gamma:cv={self.cv:.6g}",
            "link": f"nic:latency_s=0,{link}",
        }
        with open(path, "w", encoding="utf-8") as f:
            json.dump(cluster, f, indent=2)
            f.write("\n")
        return ["--cluster", os.path.abspath(path)]

    def rate_of(self, nodes):
        """Linear between numbers of nodes, and beyond them that of the nearest, as convoy's rate_nodes."""
        known = sorted(k for k in self.rate if k > 1)
        if nodes in self.rate:
            return self.rate[nodes]
        return self.rate[known[-1] if nodes > known[-1] else known[0]]

    def doubt_of(self, nodes):
        """Deviation of ln rate beyond the numbers of nodes that were measured: the last change goes on.

        None with the rate of two nodes alone, which says nothing about how rates change.
        """
        known = sorted(k for k in self.rate if k > 1)
        if nodes <= known[-1] or len(known) < 2:
            return 0.0
        a, b = known[-2:]
        return abs(math.log(self.rate[b] / self.rate[a])) * (nodes - b) / (b - a)

    def write_nodes(self, folder, nodes):
        rate = self.rate_of(nodes)
        if nodes == 1:
            return self.write(os.path.join(folder, "one-node.json"), f"bandwidth_GBps={rate:.6g}",
                              "GPUs of one g4dn.12xlarge (EC2)")
        return self.write(os.path.join(folder, "nodes.json" if nodes == 2 else f"nodes-{nodes}.json"),
                          f"bandwidth_GBps={rate:.6g},collective={COLLECTIVE}",
                          f"GPUs of {nodes} g4dn.12xlarge (EC2) that share one NIC each: the NIC of its node")


def least(f, low, high, steps):
    """Argument of the least f between low and high, by golden sections on a logarithmic scale."""
    ratio = (5 ** 0.5 - 1) / 2
    a, b = low, high
    x, y = a * (b / a) ** (1 - ratio), a * (b / a) ** ratio
    fx, fy = f(x), f(y)
    for _ in range(steps):
        if fx < fy:
            b, y, fy = y, x, fx
            x = a * (b / a) ** (1 - ratio)
            fx = f(x)
        else:
            a, x, fx = x, y, fy
            y = a * (b / a) ** ratio
            fy = f(y)
    return x if fx < fy else y
