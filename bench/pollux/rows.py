"""Measured step times of Pollux: rows of placement, batch and seconds."""
import csv
import os
import sys


class Row:
    def __init__(self, placement, batch, seconds):
        self.placement, self.batch, self.seconds = placement, batch, seconds
        self.nodes = len(placement)
        self.gpus = sum(int(c) for c in placement)


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.exit(f"pollux: {path} is missing (expected the columns placement, local_bsz, step_time)")
    with open(path, encoding="ascii") as f:
        return [Row(r["placement"], int(r["local_bsz"]), float(r["step_time"])) for r in csv.DictReader(f)]


def median(values):
    return quantile(values, 0.5)


def quantile(values, p):
    """Linear between the order statistics."""
    v = sorted(values)
    at = p * (len(v) - 1)
    low = int(at)
    high = min(low + 1, len(v) - 1)
    return v[low] + (v[high] - v[low]) * (at - low)
