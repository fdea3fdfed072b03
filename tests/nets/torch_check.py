"""Holds exports of `convoy check net` against PyTorch.

    torch_check.py [--losses] JSON EXPORT [JSON EXPORT]...

JSON is what `convoy show net NAME --json` prints, EXPORT the file of --export. The net is built
from the layers, in double precision (the steps in single) and without dropout, as the export is.
Compared are logits, loss, every blob's gradient, and the losses of the steps of SGD on the one
batch; a line is printed for each net, and the exit code is 1 when an error is over its tolerance.
--losses prints PyTorch's losses of the steps, in double, for tests/nets/test_pytorch_losses.c.

    logits, loss   1e-3 of their norm
    gradients      |a - b| / (|b| + 0.001 |all|) up to 6 sqrt(e), at least 1e-3, where e is the
                   error of the logits: such a part of the ReLUs stands on the other side, and
                   takes its share of the gradient along
    steps          1e-2 of the loss, plus 1e-3
"""
import json
import sys

import h5py
import torch
from torch.nn import functional as F

FORWARD, FLIPS, FLOOR, STEPS, STEPS_FLOOR = 1e-3, 6.0, 1e-3, 1e-2, 1e-3


def dense(x, p, layer):
    return F.linear(x.permute(0, 2, 3, 1).flatten(1), p["weight"], p.get("bias"))[..., None, None]


def shortcut(x, layer):
    x = x[:, :, ::layer["stride"], ::layer["stride"]]
    return F.pad(x, (0, 0, 0, 0, 0, layer["shape"][2] - x.shape[1]))


def window(layer):
    return {"kernel_size": layer["kernel"], "stride": layer["stride"], "padding": layer["pad"],
            "ceil_mode": layer["ceil"]}


def bins(layer, tokens):
    """(first token, end) of the head and of each cluster."""
    return zip([0] + layer["cutoffs"], layer["cutoffs"] + [tokens])


def embed(x, p, layer):
    x = x.long()
    if layer["div"] == 1:
        rows = F.embedding(x, p["tokens"])
    else:
        tokens = sum(len(v) for name, v in p.items() if name.startswith("tokens"))
        rows = p["tokens0"].new_zeros(*x.shape, layer["shape"][2])
        for k, (first, end) in enumerate(bins(layer, tokens)):
            own = (x >= first) & (x < end)
            rows[own] = F.linear(p["tokens%d" % k][x[own] - first], p["projection%d" % k])
    if layer["scaled"]:
        rows = rows * layer["shape"][2] ** 0.5
    return rows + p["positions"][:x.shape[1]] if "positions" in p else rows


def attention(x, p, layer):
    batch, window, width = x.shape
    q, k, v = x.view(batch, window, 3, layer["heads"], -1).permute(2, 0, 3, 1, 4)
    scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
    later = torch.ones(window, window, dtype=torch.bool).triu(1)
    y = scores.masked_fill(later, float("-inf")).softmax(3) @ v
    return y.transpose(1, 2).reshape(batch, window, width // 3)


def relative(made, x, p, layer, memory):
    """Transformer-XL's attention, its scores moved as its authors move them."""
    batch, window, width = x.shape
    heads, rows, channels = layer["heads"], memory.shape[1], made.shape[2] // 3
    past = F.linear(memory, p["projection.weight"][channels:])
    q, k, v = (part.reshape(batch, -1, heads, channels // heads) for part in (
        made[..., :channels], torch.cat((past, made[..., channels:]), 1)[..., :channels],
        torch.cat((past, made[..., channels:]), 1)[..., channels:]))
    u, w = p["biases.bias"].view(2, heads, -1)
    keys = rows + window
    far = torch.arange(keys - 1, -1, -1.0, dtype=x.dtype)[:, None]
    angle = far * 10000 ** (-torch.arange(0, width, 2.0, dtype=x.dtype) / width)
    r = F.linear(torch.cat((angle.sin(), angle.cos()), 1), p["weight"]).view(keys, heads, -1)
    by_distance = torch.einsum("bihe,jhe->bhij", q + w, r)
    padded = torch.cat((by_distance.new_zeros(batch, heads, window, 1), by_distance), 3)
    moved = padded.view(batch, heads, keys + 1, window)[:, :, 1:].reshape(by_distance.shape)
    scores = (torch.einsum("bihe,bjhe->bhij", q + u, k) + moved) / (channels // heads) ** 0.5
    later = torch.ones(window, keys, dtype=torch.bool).triu(1 + rows)
    y = scores.masked_fill(later, float("-inf")).softmax(3) @ v.transpose(1, 2)
    return y.transpose(1, 2).reshape(batch, window, channels)


def adaptive(x, p, layer):
    """Logarithms of probabilities; cluster k is the k-th last column of the head."""
    cutoffs, tokens = layer["cutoffs"], layer["shape"][2]
    if layer["div"] == 1:
        logits = F.linear(x, p["table.tokens"], p["bias"][:tokens])
    else:
        hid = x
        x = hid @ p["projection"]
        low = [x] + [hid @ p["table.projection%d" % k] for k in range(1, len(cutoffs) + 1)]
        logits = torch.cat([F.linear(low[k], p["table.tokens%d" % k], p["bias"][first:end])
                            for k, (first, end) in enumerate(bins(layer, tokens))], -1)
    if not cutoffs:
        return logits.log_softmax(-1)
    head = torch.cat((logits[..., :cutoffs[0]], F.linear(x, p["weight"], p["bias"][tokens:])), -1)
    head, ends = head.log_softmax(-1), cutoffs[1:] + [tokens]
    tails = [head[..., [-k]] + logits[..., first:end].log_softmax(-1)
             for k, (first, end) in enumerate(zip(cutoffs, ends), 1)]
    return torch.cat([head[..., :cutoffs[0]]] + tails, -1)


def lstm(x, p, layer):
    """torch.nn.LSTM over the rows; of images [n][c][h][w], a row's numbers in the order w, c."""
    images = x.dim() == 4
    steps = x.permute(0, 2, 3, 1).flatten(2) if images else x
    out = layer["shape"][2]
    zero = p["input"].new_zeros(4 * out)
    weights = [p["input"], p["hidden"], p.get("bias", zero), zero]
    start = x.new_zeros(1, len(x), out)
    y = torch._VF.lstm(steps, (start, start), weights, True, 1, 0.0, False, False, True)[0]
    if layer["last"]:
        y = y[:, -1:]
    return y.transpose(1, 2)[..., None] if images else y


# What a layer computes from its inputs and its own parameters.
LAYERS = {
    "conv": lambda x, p, l: F.conv2d(x, p["weight"].permute(0, 3, 1, 2), p.get("bias"),
                                     l["stride"], l["pad"], groups=l["groups"]),
    "dense": dense,
    "bn": lambda x, p, l: F.batch_norm(x, None, None, p["gamma"], p["beta"], True, 0, l["eps"]),
    "relu": lambda x, p, l: F.relu(x),
    "maxpool": lambda x, p, l: F.max_pool2d(x, **window(l)),
    "avgpool": lambda x, p, l: F.avg_pool2d(x, count_include_pad=False, **window(l)),
    "globalpool": lambda x, p, l: x.mean((2, 3), keepdim=True),
    "dropout": lambda x, p, l: x,
    "shortcut": lambda x, p, l: shortcut(x, l),
    "lrn": lambda x, p, l: F.local_response_norm(x, l["size"], l["alpha"], l["beta"], l["k"]),
    "add": lambda x, y, p, l: x + y,
    "concat": lambda x, y, p, l: torch.cat((x, y), 1),
    "embed": embed,
    "linear": lambda x, p, l: F.linear(x, p["weight"], p.get("bias")),
    "layernorm": lambda x, p, l: F.layer_norm(x, x.shape[2:], p["gamma"], p.get("beta"), l["eps"]),
    "gelu": lambda x, p, l: F.gelu(x, approximate="none" if l["form"] == "erf" else "tanh"),
    "tanh": lambda x, p, l: x.tanh(),
    "sigmoid": lambda x, p, l: x.sigmoid(),
    "silu": lambda x, p, l: F.silu(x),
    "groupnorm": lambda x, p, l: F.group_norm(x, l["groups"], p["gamma"], p.get("beta"), l["eps"]),
    "lstm": lstm,
    "attention": attention,
    "relative": relative,
    "adaptive": adaptive,
    "unembed": lambda x, p, l: F.linear(x, p["table.tokens"], p.get("bias")),
}


def reads_tokens(net):
    return net["layers"][1]["kind"] == "embed"


def blobs_of(params, name):
    return {blob[len(name) + 1:]: v for blob, v in params.items()
            if blob.startswith(name + ".") and "." not in blob[len(name) + 1:]}


def logits_of(net, params, images, memory):
    values, read = {"input": images}, 0
    for layer in net["layers"][1:]:
        own, more = blobs_of(params, layer["name"]), ()
        for key in ("table", "projection", "biases"):
            if key in layer:
                own.update((key + "." + blob, v) for blob, v in
                           blobs_of(params, layer[key]).items())
        if layer["kind"] == "relative":
            x = values[layer["in"][1]]
            size = layer["memory"] * x.shape[2]
            more = (memory[:, read:read + size].view(len(x), -1, x.shape[2]).to(x.dtype),)
            read += size
        values[layer["name"]] = LAYERS[layer["kind"]](
            *(values[i] for i in layer["in"]), own, layer, *more)
    logits = values[net["layers"][-1]["name"]]
    return logits.flatten(0, 1) if reads_tokens(net) else logits.flatten(1)


def group(file, name):
    return {key: torch.tensor(v[()]).double() for key, v in file[name].items()}


def away(a, b, floor=0.0):
    """The distance of a from b, relative; no number counts as infinite."""
    error = float((a - b).norm()) / (float(b.norm()) + floor)
    return error if error >= 0 else float("inf") if a.numel() else 0.0


def loss_of(file):
    """The loss of the export as a function of (logits, targets), and the targets."""
    kind = file.attrs["loss_is"]
    kind = kind.decode() if isinstance(kind, bytes) else kind
    if "cross-entropy" in kind and "binary" not in kind:
        return F.cross_entropy, torch.tensor(file["batch/labels"][()])
    loss = F.mse_loss if "squared" in kind else F.binary_cross_entropy_with_logits
    return (lambda z, t: loss(z, t.to(z.dtype))), torch.tensor(file["batch/targets"][()])


def train(net, params, images, memory, loss_fn, labels, lr, steps, precision):
    images, losses = images.to(precision), []
    params = {name: p.detach().to(precision).requires_grad_() for name, p in params.items()}
    for _ in range(steps):
        loss = loss_fn(logits_of(net, params, images, memory), labels)
        loss.backward()
        losses.append(float(loss.detach()))
        with torch.no_grad():
            for p in params.values():
                p -= lr * p.grad
                p.grad = None
    return losses


def errors_of(net, file, show):
    """Name -> (error, tolerance)."""
    params = {name: v.requires_grad_() for name, v in group(file, "params").items()}
    inputs = file["batch/tokens" if reads_tokens(net) else "batch/images"]
    assert sum(p.numel() for p in params.values()) == net["parameters"] or \
        inputs.shape[-2] != net["input"][0]
    images = torch.tensor(inputs[()]).double()
    loss_fn, labels = loss_of(file)
    memory = torch.tensor(file["batch/memory"][()]).double() if "batch/memory" in file else None
    logits = logits_of(net, params, images, memory)
    loss = loss_fn(logits, labels)
    loss.backward()
    theirs = torch.tensor(file["logits"][()]).double()
    error = away(theirs, logits.detach())
    allowed = max(FORWARD, FLIPS * min(error, FORWARD) ** 0.5)
    grads = group(file, "grads")
    floor = FLOOR * float(torch.cat([g.flatten() for g in grads.values()]).norm())
    result = {"logits": (error, FORWARD),
              "loss": (abs(float(file["loss"][0]) / float(loss.detach()) - 1), FORWARD)}
    result["gradient"] = max((away(grads[name], p.grad, floor), allowed)
                             for name, p in params.items())
    if "losses" in file:
        ours = file["losses"][()]
        losses = train(net, params, images, memory, loss_fn, labels, float(file.attrs["lr"]),
                       len(ours), torch.float64 if show else torch.float32)
        if show:
            print(*("%.10f" % loss for loss in losses), sep=", ")
        result["steps"] = max((abs(a - b) / (b + STEPS_FLOOR / STEPS), STEPS)
                              for a, b in zip(ours, losses))
    return result


def main():
    torch.set_num_threads(1)
    failed, show = False, "--losses" in sys.argv
    paths = [path for path in sys.argv[1:] if path != "--losses"]
    for path, export in zip(paths[::2], paths[1::2]):
        with open(path) as text, h5py.File(export, "r") as file:
            net = json.load(text)
            errors = errors_of(net, file, show)
        bad = [name for name, (error, limit) in errors.items() if not error <= limit]
        print(net["name"], *("%s %.1e of %.1e" % (name, *pair) for name, pair in errors.items()),
              "FAILS: " + ", ".join(bad) if bad else "holds", sep="  ")
        failed |= bool(bad)
    sys.exit(failed)


main()
