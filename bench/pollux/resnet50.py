"""Predicts ResNet-50 on three and four nodes, compared with nothing: usage: resnet50.py DATA OUT.

Computing: the measured times of one GPU. Network and deviations: fit.json of fit.py with THREE, fitted to
ResNet-18. The deviations are multiplied by the factor that puts 90 % of ResNet-50's rows of two nodes into
their intervals. A step depends on the numbers of nodes and GPUs, not on how the nodes share them.
"""
import csv
import json
import math
import os
import sys

import clock
import model
import rows

DATA, OUT = sys.argv[1:]
GRADIENTS, SHARE_STEP, NORMAL_90 = 3360, 1.1, 1.645


def predict(fit, table, chosen):
    """[(seconds, deviation of their logarithm)] of rows of nodes, gpus and batch."""
    c = clock.Clock("resnet50", "imagenet", GRADIENTS)
    found = {}
    for k in sorted({r.nodes for r in chosen}):
        some = [r for r in chosen if r.nodes == k]
        m = model.Machine("resnet50", table, fit["cv"], {int(n): x for n, x in fit["rate_GBps"].items()})
        fast = c.rows(m.write_nodes(OUT, k), some)
        doubt = math.hypot(fit["deviation_rate"], m.doubt_of(k))
        m.rate[k] = m.rate_of(k) / SHARE_STEP
        slow = c.rows(m.write_nodes(OUT, k), some)
        for r, a, b in zip(some, fast, slow):
            share = min(max(math.log(b / a) / math.log(SHARE_STEP), 0.0), 1.0)
            found[r] = a, math.hypot((1 - share) * fit["deviation_computing"], share * doubt)
    return [found[r] for r in chosen]


def main():
    with open(os.path.join(OUT, "fit.json"), encoding="utf-8") as f:
        fit = json.load(f)
    measured = rows.read(DATA, "resnet50-imagenet-up-to-two-nodes.csv")
    table = sorted((r.batch, r.seconds) for r in measured if r.gpus == 1)
    two = [r for r in measured if r.nodes == 2]
    off = [abs(math.log(r.seconds / s)) / d for r, (s, d) in zip(two, predict(fit, table, two))]
    wider = max(1.0, rows.quantile(off, 0.9) / NORMAL_90)
    wanted = []
    for k in (3, 4):
        for p in range(k, 4 * k + 1):
            placement = "".join(str(p // k + (i < p % k)) for i in range(k))
            wanted += [rows.Row(placement, b, 0.0) for b, _ in table]
    print(f"intervals are {wider:.2f} times as wide as ResNet-18's")
    with open(os.path.join(OUT, "resnet50.csv"), "w", encoding="ascii") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(["nodes", "gpus", "batch", "predicted_s", "low_s", "high_s"])
        for r, (s, d) in zip(wanted, predict(fit, table, wanted)):
            w = math.exp(NORMAL_90 * wider * d)
            out.writerow([r.nodes, r.gpus, r.batch, f"{s:.4g}", f"{s / w:.4g}", f"{s * w:.4g}"])


main()
