"""Samples a second that PyTorch differentiates: ResNet-20 for 32x32 images.

    torch_resnet20.py BATCH THREADS SECONDS

The same net as nets/zoo/resnet20.json (checked by its number of parameters), f32,
channels_last, forward and backward, gradients dropped before each; no optimizer step.
Prints batch / median time as one number. Needs Debian's python3-torch.
"""
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.stride, self.more = stride, outputs - inputs

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        if self.more:
            x = F.pad(x[:, :, ::self.stride, ::self.stride], (0, 0, 0, 0, 0, self.more))
        return F.relu(y + x, inplace=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, 1, 1, bias=False)
        self.bn = nn.BatchNorm2d(16)
        blocks, inputs = [], 16
        for outputs in (16, 32, 64):
            for k in range(3):
                blocks.append(Block(inputs, outputs, 2 if k == 0 and outputs > 16 else 1))
                inputs = outputs
        self.blocks = nn.Sequential(*blocks)
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = self.blocks(F.relu(self.bn(self.conv(x)), inplace=True))
        return self.fc(x.mean((2, 3)))


def main():
    batch, threads, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    net = Net().to(memory_format=torch.channels_last).train()
    assert sum(p.numel() for p in net.parameters()) == 269722
    x = torch.randn(batch, 3, 32, 32).to(memory_format=torch.channels_last)
    y = torch.randint(0, 10, (batch,))

    def grad():
        net.zero_grad(set_to_none=True)
        F.cross_entropy(net(x), y).backward()

    for _ in range(3):
        grad()
    times, end = [], time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        grad()
        times.append(time.perf_counter() - start)
    print("%.1f" % (batch / statistics.median(times)))


main()
