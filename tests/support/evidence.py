#!/usr/bin/env python3
"""Prints study/advise/evidence.def from the runs that results/reference keeps.

Progress per step of an algorithm is relative to all-reduce with the same net, data, workers, batch
and seed: the epochs that all-reduce needs to a test loss, over those that the algorithm needs. The
loss is the higher of both final ones. A row has the geometric mean over the seeds, and the ends of
its 95 % interval by Student's t.
"""
import collections
import gzip
import json
import math
import os
import sys

EXPERIMENTS = ['barkai2020/heterogeneous', 'douillard2023/diloco', 'douillard2025/streaming', 'jin2016/nodes',
               'survey/all-algorithms']
HEAD = """/*
 * evidence.def - progress per step of algorithms, relative to all-reduce, in runs that we made and
 * keep: tests/support/evidence.py writes this file from results/reference.
 *
 * EVIDENCE(experiment, algorithm, workers, batch, net, data set, a worker was slower, seeds,
 *\t    progress, ends of its 95 % interval)
 */"""
STUDENT = {2: 12.706, 3: 4.3027, 4: 3.1824, 5: 2.7764, 6: 2.5706, 7: 2.4469, 8: 2.3646, 9: 2.3060, 10: 2.2622,
           11: 2.2281, 12: 2.2010, 16: 2.1314, 24: 2.0687, 32: 2.0395}


def epochs_to(curve, loss):
    """Epochs until the test loss, linear between rows."""
    epochs, losses = curve['epoch'], curve['test_loss']
    for i, x in enumerate(losses):
        if x is not None and x <= loss:
            if i == 0:
                return epochs[0]
            before = losses[i - 1]
            return epochs[i - 1] + (epochs[i] - epochs[i - 1]) * (before - loss) / (before - x)
    return None


def rows(root, experiment):
    with gzip.open(os.path.join(root, experiment, 'runs.json.gz')) as file:
        runs = json.load(file)
    groups = collections.defaultdict(dict)
    for run in runs:
        s, p = run['settings'], run['point']
        curve = run.get('eval') or {}
        if s.get('codec', 'none') == 'none' and run['status'] == 'done' and curve.get('test_loss'):
            key = (p.get('algo', run['algo']), int(run['workers']), int(run['batch']), s['net'],
                   s['data'].split(':')[0], p.get('slow', 'none') != 'none', p.get('delay'), s['epochs'])
            groups[key][run['seed']] = curve
    for key, curves in groups.items():
        base = groups.get(('allreduce',) + key[1:]) or groups.get(('allreduce',) + key[1:5] + (False,) + key[6:])
        if key[0] == 'allreduce' or not base or key[1] < 2:
            continue
        logs = []
        for seed, curve in curves.items():
            if seed in base:
                loss = max(base[seed]['test_loss'][-1], curve['test_loss'][-1])
                logs.append(math.log(epochs_to(base[seed], loss) / epochs_to(curve, loss)))
        n = len(logs)
        if n not in STUDENT:
            continue
        mean = sum(logs) / n
        half = STUDENT[n] * math.sqrt(sum((x - mean) ** 2 for x in logs) / (n - 1) / n)
        yield (experiment, *key[:5], key[5] or (key[6] or '').startswith('cvb'), n, mean, half)


def main():
    print(HEAD)
    for experiment in EXPERIMENTS:
        for name, algo, workers, batch, net, data, slow, n, mean, half in sorted(rows(sys.argv[1], experiment)):
            print(f'EVIDENCE("{name}", "{algo}",\n'
                  f'\t {workers}, {batch}, "{net}", "{data}", {str(slow).lower()}, {n}, '
                  f'{math.exp(mean):.3g}, {math.exp(mean - half):.3g}, {math.exp(mean + half):.3g})')


if __name__ == '__main__':
    main()
