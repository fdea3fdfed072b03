"""Fits a cluster to the rows of one and two nodes: usage: fit.py DATA OUT.

With THREE=PLACEMENT,PLACEMENT in the environment, rows of these placements are fitted too, and three
nodes have a rate of their own.
"""
import json
import math
import os
import sys

import clock
import model
import rows

DATA, OUT = sys.argv[1:]
NET, GRADIENTS = "resnet18-cifar", 1680
THREE = [p for p in os.environ.get("THREE", "").split(",") if p]
SHARE_STEP = 1.1        # by which rates are divided to see what share of a step they decide


class Fit:
    def __init__(self, measured):
        self.clock = clock.Clock(NET, "cifar10", GRADIENTS)
        table = sorted((r.batch, r.seconds) for r in measured if r.gpus == 1)
        self.machine = model.Machine(NET, table, 0.1, {})
        self.rows = {1: [r for r in measured if r.nodes == 1 and r.gpus > 1],
                     2: [r for r in measured if r.nodes == 2]}
        if THREE:
            self.rows[3] = [r for r in measured if r.placement in THREE]
        self.machine.rate = {k: 1 for k in self.rows}

    def seconds(self, nodes):
        return self.clock.rows(self.machine.write_nodes(OUT, nodes), self.rows[nodes])

    def errors(self, nodes):
        """ln(measured / predicted) of the rows of that number of nodes."""
        return [math.log(r.seconds / s) for r, s in zip(self.rows[nodes], self.seconds(nodes))]

    def loss(self, nodes, rate):
        self.machine.rate[nodes] = rate
        return sum(abs(e) for e in self.errors(nodes))

    def rates(self, steps):
        for k in self.rows:
            between = (1, 4) if k == 1 else model.ACROSS
            self.machine.rate[k] = model.least(lambda x, k=k: self.loss(k, x), *between, steps)

    def deviation(self, cv):
        self.machine.cv = cv
        return sum(self.loss(k, self.machine.rate[k]) for k in self.rows)

    def run(self):
        """Each in turn, twice: the rates hardly depend on the deviation."""
        for _ in range(2):
            self.rates(6)
            self.machine.cv = model.least(self.deviation, 0.05, 0.2, 5)
        self.rates(8)

    def shares(self, nodes):
        """Share of each row's step that the rate decides: d ln(step) / d ln(1 / rate)."""
        m = self.machine
        before, rate = self.seconds(nodes), m.rate[nodes]
        m.rate[nodes] = rate / SHARE_STEP
        slower = self.seconds(nodes)
        m.rate[nodes] = rate
        return [min(max(math.log(b / a) / math.log(SHARE_STEP), 0.0), 1.0) for a, b in zip(before, slower)]


def deviations(errors, shares):
    """Deviations of ln computing and of ln 1 / rate that make the errors of a normal law likeliest.

    A row's error has the variance (1 - share)^2 computing^2 + share^2 rate^2.
    """
    def unlikely(c, n):
        total = 0.0
        for e, s in zip(errors, shares):
            v = ((1 - s) * c) ** 2 + (s * n) ** 2
            total += 0.5 * math.log(v) + 0.5 * e * e / v
        return total

    c = n = 0.1
    for _ in range(6):
        c = model.least(lambda x: unlikely(x, n), 0.005, 0.8, 16)
        n = model.least(lambda x: unlikely(c, x), 0.005, 0.8, 16)
    return c, n


def main():
    measured = [r for r in rows.read(DATA, "resnet18-cifar10.csv") if r.nodes <= 2 or r.placement in THREE]
    fit = Fit(measured)
    fit.run()
    errors = [e for k in fit.rows for e in fit.errors(k)]
    shares = [e for k in fit.rows for e in fit.shares(k)]
    computing, rate = deviations(errors, shares)
    m = fit.machine
    for k in fit.rows:
        m.write_nodes(OUT, k)
    off = [abs(math.exp(-e) - 1) for e in errors]
    said = {"net": NET, "rows": len(errors), "cv": m.cv, "rate_GBps": m.rate, "fitted": THREE,
            "deviation_computing": computing, "deviation_rate": rate,
            "median_error": rows.median(off), "p90_error": rows.quantile(off, 0.9)}
    with open(os.path.join(OUT, "fit.json"), "w", encoding="utf-8") as f:
        json.dump(said, f, indent=2)
        f.write("\n")
    print(f"fitted to {said['rows']} rows ({fit.clock.runs} runs of convoy):")
    print(f"  deviation of a gradient's time     {m.cv:.3f}")
    for k, r in m.rate.items():
        what = "rate inside a node" if k == 1 else f"rate of a NIC, {k} nodes"
        print(f"  {what:<34} {r:.3f} GB/s")
    print(f"  errors: median {100 * said['median_error']:.1f} %, 90th percentile {100 * said['p90_error']:.1f} %")
    print(f"  interval: ln computing +- {computing:.3f}, ln rate +- {rate:.3f} (deviations)")


main()
