"""Samples a second that PyTorch differentiates, for the nets of the papers.

    torch_nets.py NET BATCH PRECISION FORMAT SECONDS [THREADS]

NET: resnet20 vgg wrn-16-4 resnet18 resnet50 caffenet. PRECISION: f32, autocast (bfloat16 with
f32 parameters) or bf16 (parameters and all in bfloat16). FORMAT: channels_last or contiguous.

One gradient is forward and backward; those of before are dropped first, and there is no
optimizer step. Nets are checked by their numbers of parameters. Prints one line of JSON: the rate
(batch / median time), and the peak resident memory of the process, with and without what
importing PyTorch takes.
"""
import contextlib
import json
import resource
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


def conv(inputs, outputs, kernel, stride=1, pad=0, groups=1, bias=False):
    return nn.Conv2d(inputs, outputs, kernel, stride, pad, groups=groups, bias=bias)


class Unit(nn.Module):
    """Convolution, normalisation and, unless the last of a block, ReLU."""

    def __init__(self, inputs, outputs, kernel, stride=1, pad=0, relu=True):
        super().__init__()
        self.conv, self.bn = conv(inputs, outputs, kernel, stride, pad), nn.BatchNorm2d(outputs)
        self.relu = relu

    def forward(self, x):
        x = self.bn(self.conv(x))
        return F.relu(x, inplace=True) if self.relu else x


class Pad(nn.Module):
    """Shortcut of option A: every stride-th pixel, zero channels appended."""

    def __init__(self, more, stride):
        super().__init__()
        self.more, self.stride = more, stride

    def forward(self, x):
        return F.pad(x[:, :, ::self.stride, ::self.stride], (0, 0, 0, 0, 0, self.more))


class Residual(nn.Module):
    def __init__(self, body, skip):
        super().__init__()
        self.body, self.skip = body, skip

    def forward(self, x):
        y = self.body(x)
        y += self.skip(x) if self.skip else x
        return F.relu(y, inplace=True)


class PreActivation(nn.Module):
    """A block of a wide residual net: BN-ReLU-conv twice."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, outputs, 3, stride, 1)
        self.bn2, self.conv2 = nn.BatchNorm2d(outputs), conv(outputs, outputs, 3, 1, 1)
        self.skip = conv(inputs, outputs, 1, stride) if inputs != outputs else None

    def forward(self, x):
        y = F.relu(self.bn1(x), inplace=True)
        skip = self.skip(y) if self.skip else x
        y = self.conv2(F.relu(self.bn2(self.conv1(y)), inplace=True))
        y += skip
        return y


def head(inputs, classes):
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes)]


def resnet20():
    layers, inputs = [Unit(3, 16, 3, 1, 1)], 16
    for outputs in (16, 32, 64):
        for k in range(3):
            stride = 2 if k == 0 and outputs > 16 else 1
            layers.append(Residual(
                nn.Sequential(Unit(inputs, outputs, 3, stride, 1),
                              Unit(outputs, outputs, 3, 1, 1, relu=False)),
                Pad(outputs - inputs, stride) if stride > 1 else None))
            inputs = outputs
    return nn.Sequential(*layers, *head(64, 10))


def wrn():
    layers, inputs = [conv(3, 16, 3, 1, 1)], 16
    for outputs in (64, 128, 256):
        for k in range(2):
            layers.append(PreActivation(inputs, outputs, 2 if k == 0 and outputs > 64 else 1))
            inputs = outputs
    return nn.Sequential(*layers, nn.BatchNorm2d(256), nn.ReLU(inplace=True), *head(256, 10))


def vgg():
    layers, inputs = [], 3
    for outputs, count in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for k in range(count):
            layers += [conv(inputs, outputs, 3, 1, 1, bias=True),
                       nn.BatchNorm2d(outputs, eps=1e-3), nn.ReLU(inplace=True)]
            if k < count - 1:
                layers.append(nn.Dropout(0.3 if outputs == 64 else 0.4))
            inputs = outputs
        layers.append(nn.MaxPool2d(2, 2))
    return nn.Sequential(*layers, nn.Flatten(), nn.Dropout(0.5), nn.Linear(512, 512),
                         nn.BatchNorm1d(512, eps=1e-3), nn.ReLU(inplace=True),
                         nn.Dropout(0.5), nn.Linear(512, 10))


def imagenet(block, counts, expansion):
    layers, inputs = [Unit(3, 64, 7, 2, 3), nn.MaxPool2d(3, 2, 1)], 64
    for stage, count in enumerate(counts):
        width = 64 << stage
        for k in range(count):
            stride = 2 if k == 0 and stage else 1
            skip = None
            if stride > 1 or inputs != width * expansion:
                skip = Unit(inputs, width * expansion, 1, stride, relu=False)
            layers.append(Residual(block(inputs, width, stride), skip))
            inputs = width * expansion
    return nn.Sequential(*layers, *head(inputs, 1000))


def resnet18():
    return imagenet(lambda inputs, width, stride: nn.Sequential(
        Unit(inputs, width, 3, stride, 1), Unit(width, width, 3, 1, 1, relu=False)),
        (2, 2, 2, 2), 1)


def resnet50():
    return imagenet(lambda inputs, width, stride: nn.Sequential(
        Unit(inputs, width, 1), Unit(width, width, 3, stride, 1),
        Unit(width, 4 * width, 1, relu=False)), (3, 4, 6, 3), 4)


def caffenet():
    def relu():
        return nn.ReLU(inplace=True)

    def norm():
        return nn.LocalResponseNorm(5, alpha=1e-4, beta=0.75)

    return nn.Sequential(
        conv(3, 96, 11, 4, bias=True), relu(), nn.MaxPool2d(3, 2), norm(),
        conv(96, 256, 5, 1, 2, 2, True), relu(), nn.MaxPool2d(3, 2), norm(),
        conv(256, 384, 3, 1, 1, 1, True), relu(), conv(384, 384, 3, 1, 1, 2, True), relu(),
        conv(384, 256, 3, 1, 1, 2, True), relu(), nn.MaxPool2d(3, 2), nn.Flatten(),
        nn.Linear(9216, 4096), relu(), nn.Dropout(0.5),
        nn.Linear(4096, 4096), relu(), nn.Dropout(0.5), nn.Linear(4096, 1000))


# What builds it, side of the image, classes, parameters.
NETS = {
    "resnet20": (resnet20, 32, 10, 269722),
    "vgg": (vgg, 32, 10, 14991946),
    "wrn-16-4": (wrn, 32, 10, 2748890),
    "resnet18": (resnet18, 224, 1000, 11689512),
    "resnet50": (resnet50, 224, 1000, 25557032),
    "caffenet": (caffenet, 227, 1000, 60965224),
}


def resident():
    """Peak resident bytes of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(grad, batch, seconds):
    start = time.perf_counter()
    grad()
    first = time.perf_counter() - start
    for _ in range(2 if first < seconds / 4 else 0):
        grad()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        grad()
        times.append(time.perf_counter() - start)
    return batch / statistics.median(times), len(times)


def main():
    name, batch, precision, layout = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
    seconds = float(sys.argv[5])
    build, side, classes, parameters = NETS[name]
    torch.set_num_threads(int(sys.argv[6]) if len(sys.argv) > 6 else 1)
    torch.manual_seed(1)
    before = resident()
    form = torch.channels_last if layout == "channels_last" else torch.contiguous_format
    net = build().train()
    assert sum(p.numel() for p in net.parameters()) == parameters, name
    x = torch.randn(batch, 3, side, side)
    if precision == "bf16":
        net, x = net.bfloat16(), x.bfloat16()
    net, x = net.to(memory_format=form), x.to(memory_format=form)
    y = torch.randint(0, classes, (batch,))
    mixed = contextlib.nullcontext
    if precision == "autocast":
        def mixed():
            return torch.autocast("cpu", dtype=torch.bfloat16)

    def grad():
        net.zero_grad(set_to_none=True)
        with mixed():
            loss = F.cross_entropy(net(x), y)
        loss.backward()

    rate, n = measure(grad, batch, seconds)
    print(json.dumps({"net": name, "batch": batch, "precision": precision, "format": layout,
                      "samples_per_s": round(rate, 3), "gradients": n, "memory": resident(),
                      "memory_net": resident() - before, "torch": torch.__version__}))


if __name__ == "__main__":
    main()
