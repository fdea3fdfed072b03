"""Mistakes in models, losses, data and metrics for torch_problem(): what is said of each.

    torch_faults.py FILE        FILE: a problem that is right
"""
import functools
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import convoy
from convoy import serve
from convoy.problem import Batch

X = torch.randn(24, 4, generator=torch.Generator().manual_seed(0))
Y = X[:, :3].argmax(1)
LABELS = Y.clone()
LABELS[5] = 3
SETTINGS = {"loss": F.cross_entropy, "train": (X[:16], Y[:16]), "test": (X[16:], Y[16:])}


class Broken(nn.Module):
    """A net whose output is changed by a function."""

    def __init__(self, change):
        super().__init__()
        self.net, self.change = nn.Linear(4, 3), change

    def forward(self, x):
        return self.change(self.net(x))


class Force(nn.Module):
    """The derivative of an energy with respect to the input."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)

    def forward(self, x):
        x = x.clone().requires_grad_(True)
        return torch.autograd.grad(self.net(x).tanh().sum(), x, create_graph=True)[0]


class Rows:
    """A data set of that many samples, by a function."""

    def __init__(self, row):
        self.row = row

    def __len__(self):
        return 16

    def __getitem__(self, i):
        return self.row(i)


def used(model=None, **settings):
    """A gradient and a score of a problem."""
    return run(convoy.torch_problem(model or nn.Linear(4, 3), **{**SETTINGS, **settings}))


def run(problem, n=8):
    """A gradient of the first samples, and the score of the first n test samples."""
    x, g = np.zeros(problem.dim, "f4"), np.zeros(problem.dim, "f4")
    problem.bind(x, g, np.zeros(max(problem.stats_dim, 1), "f4"))
    problem.names()
    problem.init(2)
    loss = problem.grad(x, Batch(np.arange(max(n, 16)), 1))
    return loss, problem.score(x, "test", 0, n)


def sizes():
    hidden = iter((4, 8, 16))

    def make():
        n = next(hidden)
        return nn.Sequential(nn.Linear(4, n), nn.Linear(n, 3))
    return make


def frozen():
    model = nn.Linear(4, 3)
    for p in model.parameters():
        p.requires_grad_(False)
    return model


def failing(output):
    raise RuntimeError("a layer fails")


def slope(model, batch):
    """A loss with a penalty on its gradient with respect to the input; its metric has a graph."""
    x = batch[0].clone().requires_grad_(True)
    loss = F.cross_entropy(model(x), batch[1])
    steep = torch.autograd.grad(loss, x, create_graph=True)[0].square().sum()
    return loss + steep, {"steep": steep}


class Kept(nn.Module):
    """A net that moves a buffer in training, and reads it in evaluations, or only counts there."""

    def __init__(self, reads):
        super().__init__()
        self.net, self.reads = nn.Linear(4, 3), reads
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("steps", torch.tensor(0))

    def forward(self, x):
        if self.training:
            self.steps += 1
            self.mean = 0.9 * self.mean + 0.1 * x.mean(0)
        return self.net(x - self.mean * (self.training or self.reads))


class Fixed(nn.Module):
    """A batch norm that stays in evaluation mode, with statistics of its own."""

    def __init__(self, mode=None):
        super().__init__()
        self.norm, self.net, self.mode = nn.BatchNorm1d(4), nn.Linear(4, 3), mode
        self.norm.running_mean.fill_(0.5)

    def train(self, mode=True):
        super().train(mode)
        self.norm.train(mode and self.mode is not None)

    def forward(self, x):
        if self.mode == "late":
            self.norm.eval()
        return self.net(self.norm(x))


class Whole(nn.Module):
    """A module that draws a part of its own otherwise than the part does, and leaves others alone."""

    def __init__(self):
        super().__init__()
        self.part, self.frozen = nn.Linear(4, 8), nn.Linear(8, 3).requires_grad_(False)
        self.scale, self.empty = nn.Parameter(torch.randn(3)), nn.Parameter(torch.empty(0))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.zeros_(self.part.bias)

    def forward(self, x):
        return self.frozen(self.part(x)) * self.scale


class Numbered(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(zip(X, Y))

    def __len__(self):
        return 16


def closure(model, batch):
    return F.cross_entropy(model(batch[0]), batch[1])


def turns(model, batch, step=True):
    """Two losses that are minimised in turns."""
    closure(model, batch).backward()
    if step:
        torch.optim.SGD(model.parameters(), 0.1).step()
        model.zero_grad()
    return closure(model, batch)


def scaled(model, batch):
    batch[0].mul_(0.5)
    return closure(model, batch)


WRONG = [
    ("the loss has shape (16,) (expected a scalar", dict(loss=lambda o, t: F.cross_entropy(o, t, reduction="none"))),
    ("the loss is float", dict(loss=lambda o, t: F.cross_entropy(o, t).item())),
    ("the loss is NoneType", dict(loss=lambda o, t: None)),
    ("does not depend on the model's parameters", dict(loss=lambda o, t: F.cross_entropy(o, t).detach())),
    ("has dtype torch.int64", dict(loss=lambda o, t: (o.argmax(1) == t).sum())),
    ("has dtype torch.complex64", dict(loss=lambda o, t: F.cross_entropy(o, t) * torch.tensor(1j))),
    ("the loss is 'mse' (expected a function)", dict(loss="mse")),
    ("the class CrossEntropyLoss (expected an object", dict(loss=nn.CrossEntropyLoss)),
    ("either a loss or a closure", dict(closure=closure)),
    ("the closure's loss is tuple", dict(loss=None, closure=lambda m, b: (closure(m, b), {"a": 1}))),
    ("returned no (loss, {name: mean})", dict(loss=None, closure=closure, metrics=["a"])),
    ("a target is 3 (expected a class from 0 to 2, as", dict(train=(X[:16], LABELS[:16]))),
    ("lengths [16, 15]", dict(train=(X[:16], Y[:15]))),
    ("train cannot be made tensors: can't convert np.ndarray", dict(train=(np.array([[1, 2], "x"], dtype=object), Y[:2]))),
    ("train cannot be made tensors: expected sequence", dict(train=([[1.0, 2.0], [1.0]], Y[:2]))),
    ("a sample has 1 part ", dict(train=X[:16])),
    ("a sample has 3 parts", dict(train=Rows(lambda i: (X[i], Y[i], 1)))),
    ("[0] is (4,) in sample 0, (3,) in sample 1 (expected one shape", dict(train=Rows(lambda i: (X[i][:4 - i % 2], Y[i])))),
    ("['y'][1] is not there in sample 0, int in sample 2", dict(train=Rows(lambda i: {"x": X[i], "y": [1] * (1 + i // 2)}))),
    ("[1] is int in sample 0, NoneType in sample 1", dict(train=Rows(lambda i: (X[i], None if i else 1)))),
    ("train is generator", dict(train=(row for row in X))),
    ("train is dict (expected a Dataset with a length and an index", dict(train={"x": X, "y": Y})),
    ("train is Numbered (expected a Dataset", dict(train=Numbered())),
    ("changes the parameters weight, bias, which convoy changes alone", dict(loss=None, closure=turns)),
    ("leaves a gradient in the parameters weight, bias", dict(loss=None, closure=functools.partial(turns, step=False))),
    ("changes the parameter weight, which", dict(model=nn.Embedding(3, 3, max_norm=0.5), train=(Y[:16], Y[:16]), test=(Y[16:], Y[16:]))),
    ("puts the batch norm norm in evaluation mode", dict(model=Fixed("late"))),
    ("needs training samples", dict(train=None)),
    ("a layer fails", dict(model=Broken(failing))),
    ("no parameters that require a gradient", dict(model=nn.Flatten())),
    ("no parameters that require a gradient", dict(model=frozen())),
    ("dtype torch.float64 (expected torch.float32)", dict(model=nn.Linear(4, 3).double())),
    ("on several devices: cpu, meta", dict(model=nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3, device="meta")))),
    ("mat1 and mat2 shapes", dict(model=nn.Linear(5, 3))),
    ("parameter weight has no shape yet (run one batch", dict(model=nn.LazyLinear(3))),
    ("keep=True is for a module", dict(model=lambda: nn.Linear(4, 3), keep=True)),
    ("the model is str", dict(model="resnet20")),
    ("the model is NoneType", dict(model=lambda: None)),
    ("makes models of different parameters", dict(model=sizes())),
    ("the metric a has shape (8,)", dict(metrics={"a": lambda o, t: o.argmax(1) == t})),
    ("the metric a is 'good' (expected a number)", dict(metrics={"a": lambda o, t: "good"})),
    ("the metric a is 3 (expected a function)", dict(metrics={"a": 3})),
    ("metrics with a loss are a dict", dict(metrics=["a"])),
    ("decay is 0.1 (expected a function)", dict(decay=0.1)),
    ("collate is 'pad' (expected a function)", dict(collate="pad")),
    ("collate= is for the samples of a Dataset (train is tensors)", dict(collate=lambda rows: rows)),
]

WRONG += [("gradients leave in the buffers 1.mean, 1.steps, which", dict(model=nn.Sequential(nn.Tanh(), Kept(True))))]

failed = []
for text, settings in WRONG:
    try:
        used(**settings)
        failed.append(f"no error: {text}")
    except Exception as error:
        if text not in str(error):
            failed.append(f"not '{text}': {type(error).__name__}: {error}")

loss, (total, right, count, sums) = used(metrics={"right": lambda o, t: (o.argmax(1) == t).float().mean()})
if (count, sums["right"]) != (8, right) or not np.isfinite([loss, total]).all():
    failed.append(f"a problem that is right: {loss}, {total}, {right}, {count}, {sums}")

# Targets that the loss ignores are not counted: the score is that of the other samples.
class Texts(nn.Module):
    """Scores of 5 classes for each of 3 tokens, as the last dimension or as the second one."""

    def __init__(self, last):
        super().__init__()
        self.net, self.last = nn.Linear(4, 15), last

    def forward(self, x):
        y = self.net(x).view(-1, 3, 5)
        return y if self.last else y.transpose(1, 2)


def flat(output, target):
    return F.cross_entropy(output.reshape(-1, 5), target.reshape(-1))


def same(name, got, expected):
    if got[1:3] != expected[1:3] or not np.allclose(got[0], expected[0], rtol=1e-5):
        failed.append(f"{name}: {got}, expected {expected}")


tokens = torch.randint(0, 5, (16, 3), generator=torch.Generator().manual_seed(1))
for ignored, loss, last in ((-100, F.cross_entropy, False), (-100, flat, True),
                            (0, nn.CrossEntropyLoss(ignore_index=0), False),
                            (0, functools.partial(F.cross_entropy, ignore_index=0), False)):
    padded = tokens.clone()
    padded[1::2] = ignored
    padded[0, 1] = ignored
    problem = convoy.torch_problem(Texts(last), loss, train=(X[:16], tokens), test=(X[:16], padded))
    _, score = run(problem)
    with torch.no_grad():
        output = problem.model(X[:8]).movedim(-1 if last else 1, -1)[padded[:8] != ignored]
    of = padded[:8][padded[:8] != ignored]
    same(f"ignored targets, {loss}", score, (F.cross_entropy(output, of, reduction="sum").item(),
                                             int((output.argmax(1) == of).sum()), len(of)))
    same("one sample without a target", problem.score(None, "test", 1, 1), (0.0, 0, 0))

# A function that hides what it ignores is refused; an attribute says it; a loss of another kind ignores nothing.
def own_loss(output, target):
    return F.cross_entropy(output, target, ignore_index=0)


def margin(output, target):
    return F.multi_margin_loss(output.movedim(1, -1).reshape(-1, 5), target.flatten())


for loss, text in ((own_loss, "the loss ignores targets of 0, which would be counted"), (margin, "")):
    problem = convoy.torch_problem(Texts(False), loss, train=(X[:16], tokens), test=(X[:16], tokens))
    try:
        run(problem)
        said = ""
    except ValueError as error:
        said = str(error)
    if said[:len(text)] != text or not text and said:
        failed.append(f"{loss.__name__}: {said!r}")
own_loss.ignore_index = 0
_, score = run(convoy.torch_problem(Texts(False), own_loss, train=(X[:16], tokens), test=(X[:16], tokens)))
if score[2] != (tokens[:8] != 0).sum():
    failed.append(f"ignore_index of a function: {score}")

# What a module was trained to is the first model where it is to be kept.
trained = nn.Linear(4, 3)
weight = trained.weight.detach().clone()
for keep in (True, False):
    problem = convoy.torch_problem(trained, keep=keep, **SETTINGS)
    run(problem)
    if torch.equal(problem.model.weight, weight) != keep:
        failed.append(f"keep={keep}: the first model is another one")

# A number is no class: one output says none, and its loss is a mean over samples.
regression = convoy.torch_problem(nn.Linear(4, 1), lambda o, t: F.mse_loss(o[:, 0], t.float()),
                                  train=(X[:16], Y[:16]), test=(X[:16], Y[:16] - 100))
_, score = run(regression, 16)
if score[1:] != (-1, 16):
    failed.append(f"a regression on integers: {score}")

# A buffer that evaluations do not read has its first value in each gradient.
kept = convoy.torch_problem(Kept(False), **SETTINGS)
losses = {run(kept) for _ in range(3)}
if len(losses) > 1:
    failed.append(f"a buffer that gradients change: {losses}")
kept = convoy.torch_problem(Kept(True), **SETTINGS)
kept.pure = False
if len({run(kept) for _ in range(3)}) < 3:
    failed.append("pure=false: a buffer is restored")

# A closure, or a model, may differentiate: evaluations compute what gradients do.
penalty = convoy.torch_problem(lambda: nn.Linear(4, 3), closure=slope, train=(X[:16], Y[:16]),
                               test=(X[:16], Y[:16]), metrics=["steep"])
loss, (total, *_, sums) = run(penalty, 16)
if abs(total - 16 * loss) > 1e-5 or not 0 < sums["steep"] < total:
    failed.append(f"a closure that differentiates: {loss}, {total}, {sums}")
loss, (total, *_) = run(convoy.torch_problem(lambda: Force(), F.mse_loss, train=(X, X), test=(X, X)), 24)
if abs(total - 24 * loss) > 1e-5:
    failed.append(f"a model that differentiates: {loss}, {total}")

# Frozen parameters keep their values, for each seed; a module draws what is its parts' last.
whole = Whole()
frozen_weight = whole.frozen.weight.clone()
problem = convoy.torch_problem(whole, **SETTINGS)
said = problem.remark()
if said[:47] != "parameter scale will be the same for each seed,":
    failed.append(f"drawn parameters: {said!r}")
run(problem)
if not torch.equal(whole.frozen.weight, frozen_weight) or whole.part.bias.any():
    failed.append("reset_parameters() of a part is the last, or draws frozen parameters")

# A first model that is not used is told, however small the difference; another draw is none.
for own, lost in ((lambda w: None, False), (lambda w: w.mul_(1.3), True), (lambda w: w.add_(0.02), True),
                  (nn.init.xavier_normal_, True), (nn.init.zeros_, True)):
    net = nn.Linear(40, 60)
    with torch.no_grad():
        own(net.weight)
    said = convoy.torch_problem(net, **SETTINGS).remark()
    if ("own parameter weight will not be used" in said) != lost or (said and not lost):
        failed.append(f"{own}: {said!r}")


# A batch norm that stays in evaluation mode has its first statistics, whatever was evaluated.
fixed = convoy.torch_problem(Fixed(), **SETTINGS)
loss, _ = run(fixed)
again = fixed.grad(None, Batch(np.arange(16), 1))
if fixed.stats_dim or loss != again or not (fixed.model.norm.running_mean == 0.5).all():
    failed.append(f"a batch norm in evaluation mode: {loss}, {again}")

# What a data set draws follows from the batch, or the first sample; what a loss writes is not kept.
drawing = Rows(lambda i: (X[i] + torch.rand(4), Y[i]))
drawn = convoy.torch_problem(nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 3)), F.cross_entropy,
                             train=drawing, test=drawing)
run(drawn)
stats, scores = [], []
for seed in range(2):
    torch.manual_seed(seed)
    drawn.statistics(Batch(np.arange(16), 1))
    stats.append(drawn.stats.clone())
    scores.append(drawn.score(None, "test", 0, 8))
if not torch.equal(*stats) or scores[0] != scores[1]:
    failed.append(f"a data set that draws: {scores}, {stats}")
writing = convoy.torch_problem(nn.Linear(4, 3), closure=scaled, train=(X, Y), test=(X.clone(), Y), keep=True)
if run(writing)[1] != writing.score(None, "test", 0, 8):
    failed.append("a loss that writes into its batch: another score")

# What is drawn without a seed while a problem is made is the same in each process.
serve.np = np
first = [serve.load(sys.argv[1], "make_problem", []).first for _ in range(2)]
if not all(torch.equal(a, b) for a, b in zip(*first)):
    failed.append("two first models differ")
print("\n".join(failed))
sys.exit(bool(failed))
