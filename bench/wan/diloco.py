"""Describes 4 L40S from runs at 1 and 5 Gbit/s and unshaped, and predicts runs: usage: diloco.py DATA.

- computing: the median of DiLoCo's medians, H >= 8; of DDP its own, with the optimiser's step;
- a blocked synchronisation of DiLoCo (median, H <= 32) at 1 and 5 Gbit/s takes a + 1.5 S / (e R): six
  steps of a ring of 4, each of a / 6 seconds and S / 4 bytes, through NICs shaped to e R. Unshaped ones
  give the rate of the NICs, with the same a;
- the first synchronisation of a run takes longer; this is measured with H = 128, and is a slow gradient
  of worker 0 in the simulation.
"""
import csv
import os
import statistics
import sys

import clock

WORKERS, BYTES, WARM_UP = 4, 4 * 30846720, 10
RING = 2 * (WORKERS - 1) / WORKERS * BYTES
RATES = {"1g": 1e9 / 8, "5g": 5e9 / 8, "50m": 50e6 / 8, "200m": 200e6 / 8}


def read(folder):
    path = os.path.join(folder, "runs.csv")
    if not os.path.exists(path):
        sys.exit(f"diloco: {path} is missing")
    with open(path, encoding="ascii") as f:
        return [{k: v if k in ("algorithm", "bandwidth") else float(v) for k, v in r.items()} for r in csv.DictReader(f)]


class Machine:
    def __init__(self, runs):
        def middle(key, algorithm, bandwidth=None, h=lambda h: True):
            chosen = [r[key] for r in runs if r["algorithm"] == algorithm and h(r["H"]) and
                      (bandwidth is None or r["bandwidth"] == bandwidth)]
            return 1e-3 * statistics.median(chosen)

        self.compute = middle("compute_ms_median", "diloco", None, lambda h: h >= 8)
        self.ddp = middle("compute_ms_median", "ddp") + middle("optimizer_ms_mean", "ddp")
        sync = {b: middle("sync_ms_median", "diloco", b, lambda h: h <= 32) for b in ("1g", "5g", "unshaped")}
        slope = (sync["1g"] - sync["5g"]) / (RING / RATES["1g"] - RING / RATES["5g"])
        self.efficiency = 1 / slope
        self.fixed = sync["5g"] - slope * RING / RATES["5g"]
        self.nic = RING / (sync["unshaped"] - self.fixed)
        self.first = {a: statistics.median(
            1e-3 * r["sync_ms_median"] - sync[r["bandwidth"]] for r in runs
            if r["algorithm"] == a and r["H"] == 128 and r["bandwidth"] != "unshaped") for a in ("diloco", "localsgd")}

    def link(self, bandwidth, collective="ring", fixed=None):
        step = (self.fixed if fixed is None else fixed) / (2 * (WORKERS - 1))
        shaped = f",shaped_GBps={1e-9 * self.efficiency * RATES[bandwidth]:.6g}" if bandwidth in RATES else ""
        return f"nic:latency_s=0,message_s={step:.6g},bandwidth_GBps={1e-9 * self.nic:.6g},collective={collective}{shaped}"

    def options(self, algorithm, h, compute, link):
        names = {"diloco": f"diloco:period={h}", "localsgd": f"local-sgd:period={h}", "ddp": "allreduce"}
        return ["--algo", names[algorithm], "--workers", str(WORKERS), "--net", f"bytes:{BYTES}", "--batch", "4",
                "--samples", "1e6", "--compute-s", f"{compute:.6g}", "--link", link]

    def wall(self, algorithm, h, bandwidth, steps, collective="ring"):
        """Mean seconds of a step, of `steps` after the warm-up."""
        compute = self.ddp if algorithm == "ddp" else self.compute
        fixed = 0 if algorithm == "ddp" else None
        options = self.options(algorithm, h, compute, self.link(bandwidth, collective, fixed))
        if algorithm != "ddp":
            slow = 1 + self.first[algorithm] / compute
            options += ["--slow", f"0:{slow:.6g}@{max(h - 1.5, 0) * compute:.6g}-{(h - 0.5) * compute:.6g}"]
        # the run ends with the gradient after the last step
        total = clock.seconds(options, WORKERS * (WARM_UP + steps + 1))
        return (total - clock.seconds(options, WORKERS * (WARM_UP + 1))) / steps

    def show(self):
        print(f"computing {1e3 * self.compute:.2f} ms (DDP {1e3 * self.ddp:.2f} ms); synchronisation "
              f"{1e3 * self.fixed:.1f} ms + {self.efficiency:.4f} of the shaped rate; NIC {1e-9 * self.nic:.3f} GB/s; "
              f"first one {1e3 * self.first['diloco']:.0f} ms longer, local SGD {1e3 * self.first['localsgd']:.0f} ms")
        print("link at 1 Gbit/s:", self.link("1g"))


def compare(machine, runs):
    print(f"\n{'algorithm':<10}{'H':>4} {'rate':<9}{'runs':>4}{'measured':>10}{'predicted':>10}{'error':>8}")
    for key in sorted({(r["algorithm"], r["H"], r["bandwidth"]) for r in runs}):
        a, h, b = key
        chosen = [r for r in runs if (r["algorithm"], r["H"], r["bandwidth"]) == key]
        measured = statistics.mean(r["wall_ms_mean"] for r in chosen)
        for c in ("ring", "double-tree") if a == "ddp" else ("ring",):
            s = 1e3 * machine.wall(a, int(h), b, int(chosen[0]["steps"]), c)
            worst = max((s / r["wall_ms_mean"] - 1 for r in chosen), key=abs)
            name = a if c == "ring" else "ddp, tree"
            print(f"{name:<10}{h:>4.0f} {b:<9}{len(chosen):>4}{measured:>10.2f}{s:>10.2f}{100 * worst:>+7.1f}%")


def predict(machine):
    print("\npredicted ms of a step (4 * 512 tokens), 50 and 200 Mbit/s:")
    for b in ("50m", "200m"):
        for a, h, steps, c in [(a, h, n, "ring") for a in ("diloco", "localsgd")
                               for h, n in ((1, 90), (8, 140), (32, 140), (128, 180))] + [("ddp", 1, 95, "ring"),
                                                                                         ("ddp", 1, 95, "double-tree")]:
            print(f"{a:<10}{h:>4} {b:<6}{c:<12}{1e3 * machine.wall(a, h, b, steps, c):>12.1f}")


def main():
    runs = read(sys.argv[1])
    machine = Machine(runs)
    machine.show()
    compare(machine, runs)
    predict(machine)


main()
