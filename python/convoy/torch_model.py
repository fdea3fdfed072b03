"""A problem made of a model, a loss and data of PyTorch."""
import random

import numpy as np
import torch
from torch.utils import data as torch_data

_norms = torch.nn.modules.batchnorm._NormBase
_ignoring = (torch.nn.functional.cross_entropy, torch.nn.functional.nll_loss)


def torch_problem(model, loss=None, train=None, test=None, *, device="cpu", closure=None,
                  decay=None, metrics=None, keep=False, collate=None):
    """Make a problem of a PyTorch model, for ``convoy sim --net python:FILE``.

    Parameters
    ----------
    model : torch.nn.Module, or a function that returns one
        Its parameters that require a gradient are trained; they must be float32. The others stay
        as they are. Of a module, the first model for a seed is what ``reset_parameters()`` of its
        layers draws, unless `keep`; parameters of other layers stay as they were, for all seeds. A
        function is called again for each seed.
    loss : callable(output, target) -> scalar tensor
        Mean loss over the batch, such as ``torch.nn.functional.cross_entropy``.
    train, test : torch.utils.data.Dataset, or a tuple of tensors or arrays of equal length
        The samples; a tuple is (inputs, targets). Without `test`, no test loss is measured.
    device : str
        Where gradients are computed, such as "cuda".
    closure : callable(model, batch) -> scalar tensor
        Instead of `loss`: the mean loss of a batch, which is what `collate` makes of the samples.
        It calls no ``backward()`` and no optimiser, and changes no parameters.
    decay : callable(name, parameter) -> bool
        Whether weight decay applies to a parameter; by default it does to all.
    metrics : dict of str to callable(output, target) -> number, or a list of str
        Numbers that evaluations measure with the loss, as means over the batch: each is the
        measure ``metric:NAME`` of a run. With a closure, a list of names: the closure then returns
        (loss, {name: mean}).
    keep : bool
        Whether the module's own parameters are the first model, as in fine-tuning, for all seeds.
    collate : callable(list of samples) -> batch
        Makes a batch of a Dataset's samples, as ``collate_fn`` of a data loader does; by default
        PyTorch's own, which wants one shape of all samples.

    Random numbers of a gradient (dropout, augmentation by a Dataset) are drawn from generators of
    torch, numpy and random that are seeded for each batch. Statistics of batch norms are estimated
    again for each evaluation, from training batches, unless the model's ``train()`` keeps them in
    evaluation mode. All other buffers have their first values
    again before each gradient and evaluation; one that gradients change and evaluations read is
    refused.
    """
    return TorchProblem(model, loss, train, test, device, closure, decay, metrics, keep,
                        collate)


class _Tensors:
    """Samples that are rows of tensors."""

    def __init__(self, tensors, device, name):
        try:
            self.tensors = [torch.as_tensor(t).to(device) for t in tensors]
        except (KeyError, TypeError, ValueError) as error:
            raise TypeError(f"{name} cannot be made tensors: {error} (expected numbers, of the same "
                            "shape for each sample; a Dataset may give others)") from error
        if len({len(t) for t in self.tensors}) != 1:
            raise ValueError(f"tensors of samples have lengths {[len(t) for t in self.tensors]}")

    def __len__(self):
        return len(self.tensors[0])

    def batch(self, indices):
        if isinstance(indices, slice):      # copies, as below: a model may write into its input
            return tuple(t[indices].clone() for t in self.tensors)
        at = torch.from_numpy(indices).to(self.tensors[0].device)
        return tuple(t.index_select(0, at) for t in self.tensors)


def _shapes(value, place=""):
    """The shape, or else the type, of each part of a sample, by its place: {"['ids']": (14,)}."""
    parts = (value.items() if isinstance(value, dict)
             else enumerate(value) if isinstance(value, (tuple, list)) else None)
    if parts is None:
        return {place: tuple(value.shape) if hasattr(value, "shape") else type(value).__name__}
    return {at: shape for key, part in parts
            for at, shape in _shapes(part, f"{place}[{key!r}]").items()}


def _unequal(rows, indices):
    """Where two samples of a batch differ; None: nowhere."""
    first = _shapes(rows[0])
    for row, index in zip(rows, indices):
        other = _shapes(row)
        for place in {**first, **other}:
            pair = [shapes.get(place, "not there") for shapes in (first, other)]
            if pair[0] != pair[1]:
                return (f"samples differ: {place or 'the data'} is {pair[0]} in sample "
                        f"{indices[0]}, {pair[1]} in sample {index} (expected one shape: pad them in "
                        "collate=, or in the Dataset, a target by -100, which cross_entropy ignores)")
    return None


class _Dataset:
    """Samples of a torch.utils.data.Dataset."""

    def __init__(self, dataset, device, collate):
        self.dataset, self.device, self.collate = dataset, device, collate

    def __len__(self):
        return len(self.dataset)

    def batch(self, indices):
        if isinstance(indices, slice):
            indices = range(indices.start, indices.stop)
        rows = [self.dataset[int(i)] for i in indices]
        if self.collate:
            return _moved(self.collate(rows), self.device)
        try:
            return _moved(torch_data.default_collate(rows), self.device)
        except (KeyError, RuntimeError, TypeError):
            unequal = _unequal(rows, indices)
            if not unequal:
                raise
        raise ValueError(unequal)


def _function(value, what):
    """The value, if it can be called as it is; a class would make an object of a batch."""
    if isinstance(value, type):
        raise TypeError(f"{what} is the class {value.__name__} (expected an object: {value.__name__}())")
    if not callable(value):
        raise TypeError(f"{what} is {value!r:.60} (expected a function)")
    return value


def _moved(value, device):
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, dict):
        return {k: _moved(v, device) for k, v in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_moved(v, device) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(v, device) for v in value)
    return value


def _samples(given, device, name, collate):
    if given is None:
        return None
    if isinstance(given, torch_data.TensorDataset):
        given = given.tensors
    if isinstance(given, torch.Tensor) or isinstance(given, np.ndarray):
        given = (given,)
    if isinstance(given, (tuple, list)) and not isinstance(given, torch_data.Dataset):
        if collate:
            raise TypeError(f"collate= is for the samples of a Dataset ({name} is tensors)")
        return _Tensors(given, device, name)
    no_index = isinstance(given, (dict, torch_data.IterableDataset))
    if no_index or not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
        raise TypeError(
            f"{name} is {type(given).__name__} (expected a Dataset with a length and an index, or a "
            "tuple of tensors)"
        )
    return _Dataset(given, device, collate)


class TorchProblem:
    """What torch_problem() returns. Parameters are views of the vectors that convoy shares."""

    labels_per_sample = None       # a target may have any shape
    pure = True                    # false: nothing is done against what depends on earlier calls

    def __init__(self, model, loss, train, test, device, closure, decay, metrics, keep,
                 collate):
        if (loss is None) == (closure is None):
            raise TypeError("torch_problem() needs either a loss or a closure")
        if metrics and closure is None and not isinstance(metrics, dict):
            raise TypeError("metrics with a loss are a dict: {name: function(output, target)}")
        if closure is None:
            _function(loss, "the loss")
            for name in metrics or ():
                _function(metrics[name], f"the metric {name}")
        else:
            _function(closure, "the closure")
        self.metrics = metrics or ()
        self.device = torch.device(device)
        self.make = None if isinstance(model, torch.nn.Module) else model
        self.keep = keep
        if keep and self.make:
            raise TypeError("keep=True is for a module (a function's models keep what it gives them)")
        self.model = self.make() if callable(self.make) else model
        if not isinstance(self.model, torch.nn.Module):
            raise TypeError(f"the model is {type(self.model).__name__} (expected torch.nn.Module, or "
                            "a function that returns one)")
        lazy = [n for n, p in self.model.named_parameters() if torch.nn.parameter.is_lazy(p)]
        if lazy:
            raise TypeError(f"parameter {lazy[0]} has no shape yet (run one batch through the model "
                            "before torch_problem() is called)")
        devices = sorted({str(p.device) for p in self.model.parameters()})
        if len(devices) > 1:
            raise ValueError(
                f"the model's parameters are on several devices: {', '.join(devices)} (expected one)"
            )
        self.model.to(self.device)
        self.loss, self.closure = loss, closure
        of_partial = getattr(loss, "keywords", None) or {}
        self.ignored = getattr(loss, "ignore_index", of_partial.get("ignore_index", -100))
        self.hidden = not (hasattr(loss, "ignore_index") or getattr(loss, "func", loss) in _ignoring)
        if collate:
            _function(collate, "collate")
        self.train = _samples(train, self.device, "train", collate)
        self.test = _samples(test, self.device, "test", collate)
        if self.train is None:
            raise TypeError("torch_problem() needs training samples: train=")
        self.n_train = len(self.train)
        self.n_test = len(self.test) if self.test is not None else 0
        self.parameters = [(n, p) for n, p in self.model.named_parameters() if p.requires_grad]
        for name, p in self.parameters:
            if p.dtype != torch.float32:
                raise TypeError(f"parameter {name} has dtype {p.dtype} (expected torch.float32)")
        self.dim = sum(p.numel() for _, p in self.parameters)
        if self.dim == 0:
            raise ValueError("the model has no parameters that require a gradient")
        self.first = [p.detach().clone() for _, p in self.parameters]
        self.model.train()
        self.decay = _function(decay or (lambda name, parameter: True), "decay")
        self.norms = [                  # but those that stay in evaluation mode
            m for m in self.model.modules()
            if isinstance(m, _norms) and getattr(m, "running_mean", None) is not None and m.training
        ]
        self.stats_dim = sum(2 * m.running_mean.numel() for m in self.norms)
        self.buffers = [                # not those of the batch norms
            (f"{path}.{name}".lstrip("."), module, name, b, b if b is None else b.clone())
            for path, module in self.model.named_modules() if module not in self.norms
            for name, b in module._buffers.items()
        ]
        self.changed = None             # by the first gradient: buffers with their values
        self.cpu = self.device.type == "cpu"
        self.differentiates = False     # the model or the closure calls torch.autograd itself

    def names(self):
        return [(n, tuple(p.shape), self.decay(n, p)) for n, p in self.parameters]

    # ---- vectors ----

    def bind(self, x, g, stats):
        """Make the parameters and their gradients views of x and g; stats is float32 too."""
        self.host_x, self.host_g = torch.from_numpy(x), torch.from_numpy(g)
        self.stats = torch.from_numpy(stats) if self.stats_dim else None
        self.x = self.host_x if self.cpu else torch.empty(self.dim, device=self.device)
        self.g = self.host_g if self.cpu else torch.empty(self.dim, device=self.device)
        self.grads = []
        at = 0
        for _, p in self.parameters:
            end = at + p.numel()
            p.data = self.x[at:end].view(p.shape)
            self.grads.append(self.g[at:end].view(p.shape))
            p.grad = self.grads[-1]
            at = end

    def _load(self):
        if not self.cpu:
            self.x.copy_(self.host_x)

    def _reset(self):
        """Draw parameters again: of parts first, as in their constructors, and no frozen ones."""
        for module in _parts_first(self.model):
            if callable(getattr(module, "reset_parameters", None)):
                frozen = [(p, p.clone()) for p in module.parameters() if not p.requires_grad]
                module.reset_parameters()
                for p, value in frozen:
                    p.copy_(value)

    @torch.no_grad()
    def remark(self):
        """Say that the module's own parameters are not used, if they are visibly no fresh draw."""
        if self.make or self.keep:
            return ""
        self._seed(1)                   # not as make_problem() was: what is drawn is another draw
        self._reset()
        pairs = [(n, own, p) for (n, p), own in zip(self.parameters, self.first)]
        lost = [(n,) for n, own, p in pairs if _differs(own, p)]
        if lost:
            return (f"the module's own {_some(lost, 'parameter')} will not be used: reset_parameters() "
                    "draws the first model. keep=True of torch_problem() starts from the module's "
                    "own; a function that makes the module draws them for each seed")
        still = [(n,) for n, own, p in pairs
                 if own.numel() > 1 and own.min() != own.max() and torch.equal(own, p)]
        if still:
            return (f"{_some(still, 'parameter')} will be the same for each seed, as no "
                    "reset_parameters() draws them: give torch_problem() a function that makes the "
                    "module")
        return ""

    def init(self, seed):
        self._seed(seed)
        with torch.no_grad():
            if self.make:
                fresh = [(n, p) for n, p in self.make().named_parameters() if p.requires_grad]
                if [(n, p.shape) for n, p in fresh] != [(n, p.shape) for n, p in self.parameters]:
                    raise ValueError("the function makes models of different parameters")
                for (_, p), (_, value) in zip(self.parameters, fresh):
                    p.copy_(value)
            else:
                for (_, p), value in zip(self.parameters, self.first):
                    p.copy_(value)
                if not self.keep:
                    self._reset()
        self._restore()
        if not self.cpu:
            self.host_x.copy_(self.x)

    # ---- buffers ----

    @torch.no_grad()
    def _restore(self):
        """Give buffers their first values: what is computed must not depend on earlier gradients."""
        for _, module, name, buffer, first in self.buffers if self.pure else ():
            module._buffers[name] = buffer
            if buffer is not None:
                buffer.copy_(first)

    def _changed(self):
        """Buffers that have other values than at first: (path, module, name, value)."""
        now = [(*row, row[1]._buffers[row[2]]) for row in self.buffers if self.pure]
        return [(path, module, name, value.clone()) for path, module, name, buffer, first, value in now
                if value is not None and (value is not buffer or not torch.equal(value, first))]

    def _check_changed(self, batch, seed, loss):
        """Refuse buffers that gradients change and evaluations read."""
        for _, module, name, value in self.changed:
            module._buffers[name] = value
        other = self._evaluated(batch, seed)[0]
        self._restore()
        if other != loss:
            raise TypeError(
                f"evaluations read what gradients leave in the {_some(self.changed)}, which convoy cannot "
                "estimate again, as it does the statistics of torch.nn.BatchNorm: use that, or a layer "
                "without such a buffer. pure=false of the net allows results that depend on the order "
                "of gradients"
            )
        self.changed = ()

    # ---- gradients ----

    def _seed(self, seed):
        """Seed every generator that a model or a data set may use."""
        torch.manual_seed(seed & 0x7FFFFFFFFFFFFFFF)    # which every version of torch takes
        random.seed(seed)
        np.random.seed(seed & 0xFFFFFFFF)

    def _loss(self, batch):
        """Mean loss of a batch, and with a closure its metrics; else output and target."""
        if self.closure:
            result = self.closure(self.model, batch)
            if not self.metrics:
                return _scalar(result, "the closure's loss"), {}
            if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], dict):
                raise TypeError("the closure returned no (loss, {name: mean}), which it does where "
                                "metrics are named")
            return _scalar(result[0], "the closure's loss"), result[1]
        if not isinstance(batch, (tuple, list)) or len(batch) != 2:
            parts = len(batch) if isinstance(batch, (tuple, list)) else 1
            raise TypeError(f"a sample has {parts} part{'s' * (parts != 1)} (expected input and "
                            "target; closure= takes others)")
        output, target = self.model(batch[0]), batch[1]
        try:
            loss = self.loss(output, target)
        except (IndexError, RuntimeError) as error:
            wrong = _classes_wrong(output, target, self.ignored)
            if not wrong:
                raise
            raise ValueError(wrong) from error
        return _scalar(loss, "the loss"), (output, target)

    def _check_alone(self, versions):
        """Refuse a loss that does what convoy does: it would be done twice, or be lost."""
        written = [(n,) for (n, p), v in zip(self.parameters, versions) if p._version != v]
        if written and self.pure:
            raise TypeError(
                f"computing the loss changes the {_some(written, 'parameter')}, which convoy changes "
                "alone (is it a step of an optimiser, or an in-place operation?). Return one loss that "
                "all parameters descend; losses in turns, as of a GAN, cannot be trained"
            )
        added = [(n,) for n, p in self.parameters if p.grad is not None and p.grad.any()]
        if added:
            raise TypeError(
                f"computing the loss leaves a gradient in the {_some(added, 'parameter')}: convoy calls "
                "backward() itself. Return the loss alone, the sum if there are several"
            )
        waiting = [(n,) for n, m in self.model.named_modules() if m in self.norms and not m.training]
        if waiting and self.pure:
            raise TypeError(
                f"computing the loss puts the {_some(waiting, 'batch norm')} in evaluation mode, whose "
                "statistics would be those of the last evaluation: do it in train() of a module"
            )

    def grad(self, x, batch):
        self._load()
        self._restore()
        self.model.train()
        self._seed(batch.seed)
        self.g.zero_()
        first = self.changed is None
        versions = [p._version for _, p in self.parameters] if first else ()
        loss, _ = self._loss(self.train.batch(batch.indices))
        if first:
            self._check_alone(versions)
        if not loss.requires_grad:
            raise TypeError("the loss does not depend on the model's parameters (it has no "
                            "gradient: is it detached, or computed without one?)")
        loss.backward()
        for (_, p), view in zip(self.parameters, self.grads):
            if p.grad is not view:
                if p.grad is None or p.grad.data_ptr() != view.data_ptr():
                    view.zero_() if p.grad is None else view.copy_(p.grad)
                p.grad = view
        if not self.cpu:
            self.host_g.copy_(self.g)
        if first:
            self.changed = self._changed()
        return loss.item()

    # ---- evaluation ----

    def _norm_vectors(self):
        """Pairs (part of the statistics, running mean or variance)."""
        at = 0
        for m in self.norms:
            for vector in (m.running_mean, m.running_var):
                yield self.stats[at:at + vector.numel()], vector
                at += vector.numel()

    def statistics(self, batch):
        self._load()
        self._restore()
        self.model.eval()
        momenta = [m.momentum for m in self.norms]
        for m in self.norms:
            m.train()
            m.momentum = 1.0
        try:
            self._seed(batch.seed)          # for a data set that draws
            self._evaluated(self.train.batch(batch.indices), batch.seed)
            for part, vector in self._norm_vectors():
                part.copy_(vector)
        finally:
            for m, momentum in zip(self.norms, momenta):
                m.momentum = momentum

    def _evaluated(self, batch, seed):
        """What _loss() returns, without a graph unless the computation itself differentiates."""
        self._seed(seed)
        try:
            with torch.set_grad_enabled(self.differentiates):
                loss, more = self._loss(batch)
        except RuntimeError as error:
            if self.differentiates or "does not require grad" not in str(error):
                raise
            self.differentiates = True
            return self._evaluated(batch, seed)
        return loss.detach(), more if self.closure else tuple(map(_detached, more))

    def _check_ignored(self, output, target, at):
        """Refuse a loss of which the first score shows that it ignores another class than is known."""
        self.hidden = False
        ignored = _class_ignored(self.loss, output, target, at)
        if ignored not in (None, self.ignored):
            raise ValueError(
                f"the loss ignores targets of {ignored}, which would be counted: say it by an "
                f"attribute of the function, loss.ignore_index = {ignored}, or by functools.partial"
            )

    def score(self, x, split, first, n):
        self._load()
        self._restore()
        self.model.eval()
        self._seed(first)
        samples = (self.test if split == "test" else self.train).batch(slice(first, first + n))
        for part, vector in self._norm_vectors() if self.norms else ():
            vector.copy_(part)
        loss, more = self._evaluated(samples, first)
        if self.changed:
            self._check_changed(samples, first, loss)
        with torch.no_grad():
            if self.closure:
                return _score(loss.item(), -1, n, more)
            output, target = more
            metrics = {name: self.metrics[name](output, target) for name in self.metrics}
            at = _classes_at(output, target)
            if at is None:
                return _score(loss.item(), -1, n, metrics)
            if self.hidden:
                self._check_ignored(output, target, at)
            counted = target != self.ignored
            right = int(((output.argmax(at) == target) & counted).sum())
            return _score(loss.item(), right, int(counted.sum()), metrics)


def _parts_first(module, seen=None):
    """Each module once, after those that it is made of."""
    seen = set() if seen is None else seen
    for part in module.children():
        if part not in seen:
            yield from _parts_first(part, seen)
    seen.add(module)
    yield module


def _differs(own, fresh):
    """Whether values are visibly not drawn as others: their mean or standard deviation is not."""
    if own.numel() < 2 or torch.equal(own, fresh):
        return False
    if own.min() == own.max() or fresh.min() == fresh.max():
        return True
    few, most = 64, 1 << 20             # values: fewer differ by chance, and so many are enough
    far = 6                             # standard errors
    n = min(own.numel(), most)
    if n < few:
        return False
    both = torch.stack([own.flatten()[:n], fresh.flatten()[:n]]).double()
    deviation, mean = torch.std_mean(both, 1)
    kurtosis = ((both - mean[:, None]) / deviation[:, None]).pow(4).mean(1)
    error_of_log = ((kurtosis - 1).sum() / (4 * n)).sqrt()
    return bool((mean[0] - mean[1]).abs() > far * (deviation.square().sum() / n).sqrt() or
                (deviation[0] / deviation[1]).log().abs() > far * error_of_log)


def _some(rows, what="buffer"):
    """Names of the first rows, as in "buffers a, b and 2 more"."""
    names = ", ".join(row[0] for row in rows[:3])
    more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
    return f"{what}{'s' * (len(rows) > 1)} {names}{more}"


def _detached(value):
    return value.detach() if isinstance(value, torch.Tensor) else value


def _score(loss, right, count, metrics):
    """What score() returns, of means; those of nothing are NaN, and count as nothing."""
    sums = {name: _mean(name, mean) * count if count else 0.0 for name, mean in metrics.items()}
    loss = loss * count if count else 0.0
    return (loss, right, count, sums) if sums else (loss, right, count)


def _mean(name, value):
    if isinstance(value, torch.Tensor) and value.numel() != 1:
        raise TypeError(f"the metric {name} has shape {tuple(value.shape)} (expected a number, the "
                        "mean over the batch)")
    try:
        return float(_detached(value))
    except (TypeError, ValueError):
        raise TypeError(f"the metric {name} is {value!r:.60} (expected a number)") from None


def _scalar(loss, what):
    if not isinstance(loss, torch.Tensor):
        raise TypeError(f"{what} is {type(loss).__name__} (expected a tensor without dimensions)")
    if loss.ndim != 0:
        raise TypeError(f"{what} has shape {tuple(loss.shape)} (expected a scalar, the mean over the "
                        "batch)")
    if not loss.is_floating_point():
        raise TypeError(f"{what} has dtype {loss.dtype} (expected a real number)")
    return loss


def _class_ignored(loss, output, target, at):
    """The class whose targets alone do not change the loss, at equal outputs; None: there is none."""
    if not output.is_floating_point():
        return None
    equal = torch.zeros_like(output).requires_grad_(True)
    with torch.enable_grad():
        value = loss(equal, target)
        if not value.requires_grad:
            return None
        slope, = torch.autograd.grad(value, equal)
    still = slope.abs().sum(at) == 0
    classes = target[still].unique()
    if len(classes) != 1 or still.all() or not torch.equal(still, target == classes):
        return None
    return classes.item()


def _classes_wrong(output, target, ignored):
    """What is wrong with targets that number classes; "" if nothing is, or they number none."""
    at = _classes_at(output, target)
    if at is None:
        return ""
    classes = output.shape[at]
    wrong = target[((target < 0) | (target >= classes)) & (target != ignored)]
    if wrong.numel() == 0:
        return ""
    return (f"a target is {wrong[0].item()} (expected a class from 0 to {classes - 1}, as the model "
            f"has {classes} outputs)")


def _classes_at(output, target):
    """The dimension of the output that has a score for each class, if targets number one: 1, as
    PyTorch's losses have it, or the last one, which a loss may flatten. None: there are no classes."""
    if (isinstance(output, torch.Tensor) and isinstance(target, torch.Tensor)
            and not target.is_floating_point() and output.ndim == target.ndim + 1 and output.ndim > 1):
        for at in (1, -1):
            shape = list(output.shape)
            if shape.pop(at) > 1 and shape == list(target.shape):
                return at
    return None
