"""Fits a cluster to the rows of one and two nodes: usage: fit.py DATA OUT."""
import json
import math
import os
import sys

import clock
import model
import rows

DATA, OUT = sys.argv[1:]
NET, GRADIENTS = "resnet18-cifar", 1680
SHARE_STEP = 1.1        # by which rates are divided to see what share of a step they decide


class Fit:
    def __init__(self, measured):
        self.clock = clock.Clock(NET, "cifar10", GRADIENTS)
        table = sorted((r.batch, r.seconds) for r in measured if r.gpus == 1)
        self.machine = model.Machine(NET, table, 0.1, 1, 1)
        self.one = [r for r in measured if r.nodes == 1 and r.gpus > 1]
        self.two = [r for r in measured if r.nodes == 2]

    def errors(self, inside):
        """ln(measured / predicted) of the rows inside a node, or across two."""
        m = self.machine
        options = m.write_inside(OUT) if inside else m.write_across(OUT)
        chosen = self.one if inside else self.two
        return [math.log(r.seconds / s) for r, s in zip(chosen, self.clock.rows(options, chosen))]

    def loss(self, inside, rate):
        if inside:
            self.machine.inside = rate
        else:
            self.machine.across = rate
        return sum(abs(e) for e in self.errors(inside))

    def rates(self, steps):
        self.machine.inside = model.least(lambda x: self.loss(True, x), 1, 4, steps)
        self.machine.across = model.least(lambda x: self.loss(False, x), *model.ACROSS, steps)

    def deviation(self, cv):
        m = self.machine
        m.cv = cv
        return self.loss(True, m.inside) + self.loss(False, m.across)

    def run(self):
        """Each in turn, twice: the rates hardly depend on the deviation."""
        for _ in range(2):
            self.rates(6)
            self.machine.cv = model.least(self.deviation, 0.05, 0.2, 5)
        self.rates(8)

    def shares(self, inside):
        """Share of each row's step that the rate decides: d ln(step) / d ln(1 / rate)."""
        m = self.machine
        chosen = self.one if inside else self.two
        options = m.write_inside(OUT) if inside else m.write_across(OUT)
        before = self.clock.rows(options, chosen)
        rates = m.inside, m.across
        m.inside, m.across = m.inside / SHARE_STEP, m.across / SHARE_STEP
        options = m.write_inside(OUT) if inside else m.write_across(OUT)
        slower = self.clock.rows(options, chosen)
        m.inside, m.across = rates
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
    measured = [r for r in rows.read(DATA, "resnet18-cifar10.csv") if r.nodes <= 2]
    fit = Fit(measured)
    fit.run()
    errors = fit.errors(True) + fit.errors(False)
    shares = fit.shares(True) + fit.shares(False)
    computing, rate = deviations(errors, shares)
    m = fit.machine
    m.write_inside(OUT)
    m.write_across(OUT)
    off = [abs(math.exp(-e) - 1) for e in errors]
    said = {"net": NET, "rows": len(errors), "cv": m.cv, "inside_GBps": m.inside, "across_GBps": m.across,
            "deviation_computing": computing, "deviation_rate": rate,
            "median_error": rows.median(off), "p90_error": rows.quantile(off, 0.9)}
    with open(os.path.join(OUT, "fit.json"), "w", encoding="utf-8") as f:
        json.dump(said, f, indent=2)
        f.write("\n")
    print(f"fitted to {said['rows']} rows of one and two nodes ({fit.clock.runs} runs of convoy):")
    print(f"  deviation of a gradient's time     {m.cv:.3f}")
    print(f"  rate inside a node                 {m.inside:.2f} GB/s")
    print(f"  rate of a node's NIC               {m.across:.3f} GB/s")
    print(f"  errors: median {100 * said['median_error']:.1f} %, 90th percentile {100 * said['p90_error']:.1f} %")
    print(f"  interval: ln computing +- {computing:.3f}, ln rate +- {rate:.3f} (deviations)")


main()
