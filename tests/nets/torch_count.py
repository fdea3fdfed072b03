"""Counts the parameters of Transformer-XL's modules, and compares them with a net's.

    torch_count.py JSON

JSON is what `convoy show net NAME --json` prints. The modules have the parameters that the authors'
AdaptiveEmbedding and ProjectedAdaptiveLogSoftmax have, for the net's sizes; they are on PyTorch's
device "meta", which takes no memory. Compared are the embedding, the softmax without what it
shares, and the whole. The exit code is 1 when a count differs.
"""
import json
import sys

import torch
from torch import nn

META = {"device": "meta"}


def empty(*shape):
    return nn.Parameter(torch.empty(*shape, **META))


class Embedding(nn.Module):
    def __init__(self, tokens, width, cutoffs, div):
        super().__init__()
        self.tables, self.projections = nn.ModuleList(), nn.ParameterList()
        if div == 1:
            self.tables.append(nn.Embedding(tokens, width, **META))
            return
        for k, (first, end) in enumerate(zip([0] + cutoffs, cutoffs + [tokens])):
            self.tables.append(nn.Embedding(end - first, width // div ** k, **META))
            self.projections.append(empty(width, width // div ** k))


class Softmax(nn.Module):
    """Tied with an embedding: all tables, and the projections of the tails."""

    def __init__(self, embedding, tokens, width, cutoffs, div):
        super().__init__()
        self.outputs, self.projections = nn.ModuleList(), nn.ParameterList()
        if cutoffs:
            self.cluster_weight = empty(len(cutoffs), width)
            self.cluster_bias = empty(len(cutoffs))
        for table in embedding.tables:
            self.outputs.append(nn.Linear(table.embedding_dim, table.num_embeddings, **META))
            self.outputs[-1].weight = table.weight
        if div > 1:
            self.projections.append(empty(width, width))
            self.projections.extend(embedding.projections[1:])


class Block(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * heads, bias=False, **META)
        self.r = nn.Linear(width, heads, bias=False, **META)
        self.o = nn.Linear(heads, width, bias=False, **META)
        self.ff = nn.Sequential(nn.Linear(width, inner, **META), nn.ReLU(),
                                nn.Linear(inner, width, **META))
        self.norms = nn.ModuleList((nn.LayerNorm(width, **META), nn.LayerNorm(width, **META)))


class Model(nn.Module):
    def __init__(self, net):
        super().__init__()
        layers = {layer["name"]: layer for layer in net["layers"]}
        kind = [layer["kind"] for layer in net["layers"]]
        softmax, width = layers["logits"], layers["tokens"]["shape"][2]
        heads = layers["h1.relative1"]["shape"][2]
        sizes = net["classes"], width, softmax["cutoffs"], softmax["div"]
        self.embedding = Embedding(*sizes)
        self.softmax = Softmax(self.embedding, *sizes)
        self.blocks = nn.ModuleList(Block(width, heads, layers["h1.fc"]["shape"][2])
                                    for _ in range(kind.count("relative")))
        self.u, self.w = empty(heads), empty(heads)


def count(module, shared=()):
    """PyTorch counts a parameter that modules share once."""
    known = {id(p) for p in shared}
    return sum(p.numel() for p in module.parameters() if id(p) not in known)


def main():
    with open(sys.argv[1]) as text:
        net = json.load(text)
    model = Model(net)
    ours = {layer["name"]: layer["parameters"] for layer in net["layers"]}
    counts = {"tokens": (count(model.embedding), ours["tokens"]),
              "logits": (count(model.softmax, model.embedding.parameters()), ours["logits"]),
              "all": (count(model), net["parameters"])}
    for name, (theirs, own) in counts.items():
        print("%s: PyTorch %d, convoy %d" % (name, theirs, own))
    sys.exit(any(theirs != own for theirs, own in counts.values()))


main()
