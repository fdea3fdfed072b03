"""Predicts the rows of three and four nodes with the cluster that fit.py wrote: usage: predict.py DATA OUT.

Criterion, fixed before any of these rows was predicted:

- all rows of resnet18-cifar10.csv with three or four nodes count, each once, except those that were
  fitted (THREE of fit.py);
- the error of a row is |predicted / measured - 1|; predicted is convoy's mean time of a step;
- goals: median error at most 7 %, 90th percentile at most 18 %;
- the stated interval of a row is predicted * exp(+-1.645 d), which a normal law fills with 90 %; d is
  from the deviations that fit.py found on one and two nodes, and from the row's share of the network.
  Goal: it holds 90 % of the rows;
- model, numbers and interval follow from rows of one and two nodes alone. What comes out is reported,
  whether it meets the goals or not, and nothing is changed after that.

With THREE=111,444 two placements of three nodes are fitted too. This rule was written down before a
prediction of it was compared:

- the placements are those of three nodes with the fewest and with the most GPUs;
- the 1007 other rows of three and four nodes count. Goals: median error at most 5 %, 90th percentile
  at most 15 %, 90 % of the rows inside their interval;
- four nodes have the rate of three. The deviation of ln rate then grows by |ln(rate of 3 / rate of 2)|.
"""
import json
import math
import os
import sys

import clock
import model
import rows

DATA, OUT = sys.argv[1:]
GRADIENTS = 6720
SHARE_STEP = 1.1        # by which the rate is divided to see what share of a step it decides
NORMAL_90 = 1.645       # deviations on each side


def machine(fit, table):
    return model.Machine(fit["net"], table, fit["cv"], {int(k): r for k, r in fit["rate_GBps"].items()})


def predict(fit, net, data, table, chosen):
    """Seconds of each row, and the deviation of their logarithm."""
    c = clock.Clock(net, data, GRADIENTS)
    seconds, deviations = {}, {}
    for k in sorted({r.nodes for r in chosen}):
        m = machine(dict(fit, net=net), table)
        of = [i for i, r in enumerate(chosen) if r.nodes == k]
        some = [chosen[i] for i in of]
        predicted = c.rows(m.write_nodes(OUT, k), some)
        m.rate[k] = m.rate_of(k) / SHARE_STEP
        slower = c.rows(m.write_nodes(OUT, k), some)
        m = machine(dict(fit, net=net), table)
        m.write_nodes(OUT, k)
        rate = math.hypot(fit["deviation_rate"], m.doubt_of(k))
        for i, a, b in zip(of, predicted, slower):
            share = min(max(math.log(b / a) / math.log(SHARE_STEP), 0.0), 1.0)
            seconds[i] = a
            deviations[i] = math.hypot((1 - share) * fit["deviation_computing"], share * rate)
    return [seconds[i] for i in range(len(chosen))], [deviations[i] for i in range(len(chosen))]


class Outcome:
    def __init__(self, chosen, predicted, deviations):
        self.off = [p / r.seconds - 1 for r, p in zip(chosen, predicted)]
        self.inside = [abs(math.log(r.seconds / p)) <= NORMAL_90 * d
                       for r, p, d in zip(chosen, predicted, deviations)]

    def line(self, name):
        size = [abs(x) for x in self.off]
        return (f"{name:<24} {len(size):>5} {100 * rows.median(self.off):>+8.1f} {100 * rows.median(size):>8.1f} "
                f"{100 * rows.quantile(size, 0.9):>8.1f} {100 * sum(self.inside) / len(size):>8.0f}")


HEAD = f"{'rows':<24} {'count':>5} {'bias %':>8} {'median %':>8} {'p90 %':>8} {'inside %':>8}"


def group(chosen, predicted, deviations, of, names):
    for name in names:
        kept = [k for k, r in enumerate(chosen) if of(r) == name]
        print(Outcome([chosen[k] for k in kept], [predicted[k] for k in kept],
                      [deviations[k] for k in kept]).line(str(name)))


def write(chosen, predicted, deviations):
    """For the plot: measured and predicted seconds, by number of nodes."""
    with open(os.path.join(OUT, "predictions.csv"), "w", encoding="ascii") as f:
        f.write("placement,batch,measured_s,predicted_s,low_s,high_s\n")
        for r, p, d in zip(chosen, predicted, deviations):
            low, high = p * math.exp(-NORMAL_90 * d), p * math.exp(NORMAL_90 * d)
            f.write(f"{r.placement},{r.batch},{r.seconds:.4g},{p:.4g},{low:.4g},{high:.4g}\n")


def main():
    with open(os.path.join(OUT, "fit.json"), encoding="utf-8") as f:
        fit = json.load(f)
    measured = rows.read(DATA, "resnet18-cifar10.csv")
    table = sorted((r.batch, r.seconds) for r in measured if r.gpus == 1)
    chosen = [r for r in measured if r.nodes > 2 and r.placement not in fit["fitted"]]
    predicted, deviations = predict(fit, fit["net"], "cifar10", table, chosen)
    write(chosen, predicted, deviations)
    print("ResNet-18, three and four nodes, predicted:")
    print(HEAD)
    print(Outcome(chosen, predicted, deviations).line("all"))
    group(chosen, predicted, deviations, lambda r: f"{r.nodes} nodes", ["3 nodes", "4 nodes"])
    group(chosen, predicted, deviations, lambda r: f"batch {r.batch}", [f"batch {b}" for b, _ in table])
    measured = rows.read(DATA, "resnet50-imagenet-up-to-two-nodes.csv")
    table = sorted((r.batch, r.seconds) for r in measured if r.gpus == 1)
    chosen = [r for r in measured if r.nodes == 2]
    predicted, deviations = predict(fit, "resnet50", "imagenet", table, chosen)
    print("ResNet-50, two nodes, with its times of one GPU and the network fitted to ResNet-18:")
    print(Outcome(chosen, predicted, deviations).line("all"))
    group(chosen, predicted, deviations, lambda r: f"batch {r.batch}", [f"batch {b}" for b, _ in table])


main()
