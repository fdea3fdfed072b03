"""Tokens a second that PyTorch differentiates, for the nets of tokens.

    torch_language.py NET BATCH WINDOW ATTENTION PRECISION SECONDS [THREADS]

NET: gpt-shakespeare-cpu gpt-shakespeare gpt2-124m. ATTENTION: written (the probabilities in full)
or fused (scaled_dot_product_attention, PyTorch 2). PRECISION: f32 or autocast (bfloat16). One
gradient is forward and backward, without an optimizer's step and without dropout. Nets are checked
by their numbers of parameters. Prints one line of JSON.
"""
import contextlib
import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

NETS = {  # layers, heads, width, positions, vocabulary, bias, form of gelu, parameters
    "gpt-shakespeare-cpu": (4, 4, 128, 64, 65, False, "none", 804096),
    "gpt-shakespeare": (6, 6, 384, 256, 65, False, "none", 10745088),
    "gpt2-124m": (12, 12, 768, 1024, 50257, True, "tanh", 124439808),
}


class Norm(nn.Module):
    def __init__(self, width, bias):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width)) if bias else None

    def forward(self, x):
        return F.layer_norm(x, self.gamma.shape, self.gamma, self.beta, 1e-5)


class Block(nn.Module):
    def __init__(self, heads, width, bias, form, fused):
        super().__init__()
        self.heads, self.form, self.fused = heads, form, fused
        self.ln1, self.ln2 = Norm(width, bias), Norm(width, bias)
        self.qkv, self.proj = nn.Linear(width, 3 * width, bias), nn.Linear(width, width, bias)
        self.fc, self.fcproj = nn.Linear(width, 4 * width, bias), nn.Linear(4 * width, width, bias)

    def attend(self, x):
        batch, window, width = x.shape
        q, k, v = (t.view(batch, window, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(x).split(width, 2))
        if self.fused:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
            later = torch.ones(window, window, dtype=torch.bool).triu(1)
            y = scores.masked_fill(later, float("-inf")).softmax(3) @ v
        return self.proj(y.transpose(1, 2).reshape(batch, window, width))

    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.fcproj(F.gelu(self.fc(self.ln2(x)), approximate=self.form))


class Gpt(nn.Module):
    def __init__(self, layers, heads, width, positions, vocabulary, bias, form, fused):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.h = nn.Sequential(*(Block(heads, width, bias, form, fused) for _ in range(layers)))
        self.ln = Norm(width, bias)

    def forward(self, tokens, following):
        x = self.wte(tokens) + self.wpe.weight[:tokens.shape[1]]
        logits = F.linear(self.ln(self.h(x)), self.wte.weight)
        return F.cross_entropy(logits.flatten(0, 1), following.flatten())


def main():
    name, batch, window = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    fused, half, seconds = sys.argv[4] == "fused", sys.argv[5] == "autocast", float(sys.argv[6])
    torch.set_num_threads(int(sys.argv[7]) if len(sys.argv) > 7 else 1)
    *sizes, parameters = NETS[name]
    net = Gpt(*sizes, fused)
    assert sum(p.numel() for p in net.parameters()) == parameters
    tokens = torch.randint(sizes[4], (batch, window + 1))
    times, end = [], None
    while end is None or time.perf_counter() < end or len(times) < 4:
        for p in net.parameters():
            p.grad = None
        began = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16) if half else contextlib.nullcontext():
            loss = net(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        times.append(time.perf_counter() - began)
        if end is None and len(times) == 2:
            times, end = [], time.perf_counter() + seconds
    print(json.dumps({"net": name, "torch": torch.__version__, "attention": sys.argv[4],
                      "precision": sys.argv[5], "threads": torch.get_num_threads(),
                      "tokens_per_s": round(batch * window / statistics.median(times), 1)}))


main()
