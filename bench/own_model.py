"""A ResNet-20 of a user's own: convoy's whole program and PyTorch's own training loop, in turns.

Variables:
    CONVOY         the program
    TORCH_PYTHON   the interpreter that has PyTorch (/usr/bin/python3)
    STEPS          391, an epoch of 50,000 samples: batches of 128
    SAMPLES        50000 for training, a fifth of them for the test
    ALGOS          a line for each: "allreduce --workers 1;asgd --workers 4"
    ROUNDS         2
    WRAP           a command in front of every program, such as "taskset -c 1"

Both begin with starting Python and making the data, train with SGD on one thread, and evaluate all
test samples after each epoch. convoy's way of that also estimates the statistics of batch norm
from 16 training batches; the loop has running averages. Seconds are those of the clock, and the
processor's of all processes. The loop's malloc is as PyTorch's users have it.
"""
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 128
STEPS, SAMPLES = (int(os.environ.get(*given)) for given in (("STEPS", "391"), ("SAMPLES", "50000")))


def data():
    import torch

    draw = torch.Generator().manual_seed(1)
    return [(torch.randn(n, 3, 32, 32, generator=draw), torch.randint(10, (n,), generator=draw))
            for n in (SAMPLES, SAMPLES // 5)]


def make_problem():
    import convoy
    from torch.nn.functional import cross_entropy
    from torch_nets import resnet20

    train, test = data()
    return convoy.torch_problem(resnet20(), cross_entropy, train=train, test=test)


def loop():
    import torch
    from torch.nn.functional import cross_entropy
    from torch_nets import resnet20

    torch.set_num_threads(1)
    (x, y), (test_x, test_y) = data()
    model = resnet20()
    optim = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True,
                            weight_decay=1e-4)
    step = 0
    while step < STEPS:
        model.train()
        for at in torch.randperm(SAMPLES).split(BATCH)[:STEPS - step]:
            optim.zero_grad()
            loss = cross_entropy(model(x[at]), y[at])
            loss.backward()
            optim.step()
            loss.item()
            step += 1
        model.eval()
        with torch.no_grad():
            for part, labels in zip(test_x.split(BATCH), test_y.split(BATCH)):
                cross_entropy(model(part), labels).item()


def measure(command):
    """Seconds of the clock and of the processor that the command and its children take."""
    before, start = os.times(), time.perf_counter()
    subprocess.run(os.environ.get("WRAP", "").split() + command, check=True, cwd=HERE,
                   stdout=subprocess.DEVNULL,
                   env={**os.environ, "CONVOY_PYTHON": sys.executable, "OMP_NUM_THREADS": "1"})
    after = os.times()
    return (time.perf_counter() - start,
            sum(after[k] - before[k] for k in (2, 3)))      # user and system time of children


def main():
    algos = os.environ.get("ALGOS", "allreduce --workers 1;asgd --workers 4").split(";")
    print("%d gradients of ResNet-20, batch %d, one thread; seconds: clock, processor\n"
          "ratio: PyTorch's loop / convoy\n" % (STEPS, BATCH))
    for _ in range(int(os.environ.get("ROUNDS", "2"))):
        own = measure([sys.executable, __file__, "loop"])
        print("%-24s %8.1f %8.1f" % (("PyTorch's loop",) + own), flush=True)
        for algo in algos:
            with tempfile.TemporaryDirectory() as out:
                ours = measure([os.environ["CONVOY"], "sim", "--net", "python:own_model.py",
                                "--batch", str(BATCH), "--gradients", str(STEPS), "--threads", "1",
                                "--compute-s", "1", "--out", out, "--quiet", "--algo",
                                *algo.split()])
            print("%-24s %8.1f %8.1f   ratio %.3f %.3f" % (
                (algo,) + ours + tuple(a / b for a, b in zip(own, ours))), flush=True)


if __name__ == "__main__":
    loop() if sys.argv[1:] == ["loop"] else main()
