"""A small convolutional net, as its users write it: a problem for convoy, and a loop of its own.

    problem_torch.py STEPS LR       prints the loss of each step
"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import convoy


class Net(nn.Module):
    def __init__(self, drop=0.0):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(8)
        self.drop = nn.Dropout(drop)
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        return self.fc(self.drop(F.relu(self.bn(self.conv(x)))).mean((2, 3)))


def samples():
    draw = torch.Generator().manual_seed(0)
    y = torch.randint(0, 4, (288,), generator=draw)
    x = torch.randn(288, 3, 6, 6, generator=draw) + torch.randn(4, 3, 1, 1, generator=draw)[y]
    return (x[:256], y[:256]), (x[256:], y[256:])


class Set(torch.utils.data.Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i], int(self.y[i])


class Ragged(Set):
    """Images of 6 to 8 rows, which cut() makes alike."""

    def __getitem__(self, i):
        x, y = super().__getitem__(i)
        return torch.cat([x, x[:, :i % 3]], 1), y


def cut(samples):
    return torch.stack([x[:, :6] for x, _ in samples]), torch.tensor([y for _, y in samples])


def sure(output, target):
    return output.softmax(1).max(1).values.mean()


def closure(model, batch):
    output = model(batch[0])
    return F.cross_entropy(output, batch[1]), {"sure": sure(output, batch[1])}


def make_problem(drop=0.0, form="tensors"):
    train, test = samples()
    if form == "set":
        train, test = Set(*train), Set(*test)
    if form == "closure":
        return convoy.torch_problem(Net(drop), closure=closure, train=train, test=test,
                                    metrics=["sure"])
    if form in ("trained", "kept"):
        model = Net(drop)
        model.conv.weight.data *= 10
        model.bn.weight.data[0] = 2
        return convoy.torch_problem(model, F.cross_entropy, train=train, test=test,
                                    keep=form == "kept")
    if form == "ragged":
        return convoy.torch_problem(Net(drop), F.cross_entropy, train=Ragged(*train),
                                    test=Ragged(*test), metrics={"sure": sure}, collate=cut)
    if form == "function":
        return convoy.torch_problem(lambda: Net(drop), F.cross_entropy, train=train, test=test)
    if form == "set":
        return convoy.torch_problem(Net(drop), F.cross_entropy, train=train, test=test,
                                    metrics={"sure": sure})
    return convoy.torch_problem(Net(drop), F.cross_entropy, train=train, test=test)


def main(steps, rate):
    model = Net()
    torch.manual_seed(1)        # as for convoy's seed 1
    for module in model.modules():
        if hasattr(module, "reset_parameters"):
            module.reset_parameters()
    (x, y), _ = samples()
    optim = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9, weight_decay=1e-3)
    for _ in range(steps):      # batches of all samples: their order changes nothing but rounding
        optim.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optim.step()
        print(loss.item())


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(int(sys.argv[1]), float(sys.argv[2]))
