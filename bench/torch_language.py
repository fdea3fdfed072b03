"""Tokens a second that PyTorch differentiates, for the nets of tokens.

    torch_language.py NET BATCH WINDOW ATTENTION PRECISION SECONDS [THREADS]

NET: gpt-shakespeare-cpu gpt-shakespeare gpt2-124m transformer-xl-small (which has a memory as long as
WINDOW). ATTENTION: written (the probabilities in full) or fused (scaled_dot_product_attention, PyTorch 2;
Transformer-XL passes it the scores of positions as a mask), followed by +compile for torch.compile.
PRECISION: f32 or autocast (bfloat16). One gradient is forward and backward, without an optimizer's step
and without dropout. Nets are checked by their numbers of parameters. Prints one line of JSON.
"""
import contextlib
import json
import math
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


class RelativeBlock(nn.Module):
    def __init__(self, heads, width, inner, fused):
        super().__init__()
        self.heads, self.fused = heads, fused
        self.qkv, self.proj = nn.Linear(width, 3 * width, False), nn.Linear(width, width, False)
        self.places = nn.Linear(width, width, False)
        self.ln1, self.ln2 = Norm(width, True), Norm(width, True)
        self.fc, self.fcproj = nn.Linear(width, inner), nn.Linear(inner, width)

    def heads_of(self, x):
        return x.view(*x.shape[:-1], self.heads, -1).transpose(-3, -2)

    def forward(self, x, memory, codes, u, w, later):
        window, width = x.shape[1:]
        q, k, v = self.qkv(torch.cat([memory, x], 1)).split(width, 2)
        q, k, v = self.heads_of(q[:, -window:]), self.heads_of(k), self.heads_of(v)
        r = self.heads_of(self.places(codes))
        moved = F.pad((q + w) @ r.transpose(1, 2), (1, 0))
        moved = moved.view(*moved.shape[:2], -1, window)[:, :, 1:].reshape(*q.shape[:3], -1)
        if self.fused:
            mask = (moved / q.shape[3] ** 0.5).masked_fill(later, float("-inf"))
            y = F.scaled_dot_product_attention(q + u, k, v, mask)
        else:
            scores = ((q + u) @ k.transpose(2, 3) + moved) / q.shape[3] ** 0.5
            y = scores.masked_fill(later, float("-inf")).softmax(3) @ v
        x = self.ln1(x + self.proj(y.transpose(1, 2).reshape(x.shape)))
        return self.ln2(x + self.fcproj(F.relu(self.fc(x))))


class TransformerXl(nn.Module):
    def __init__(self, layers, heads, width, inner, vocabulary, window, fused):
        super().__init__()
        self.tokens, self.bias = nn.Embedding(vocabulary, width), nn.Parameter(torch.zeros(vocabulary))
        self.u, self.w = (nn.Parameter(torch.zeros(heads, 1, width // heads)) for _ in "uw")
        self.h = nn.ModuleList(RelativeBlock(heads, width, inner, fused) for _ in range(layers))
        far = torch.arange(2 * window - 1, -1, -1)[:, None]
        angle = far / 10000 ** (torch.arange(0, width, 2) / width)
        self.codes = torch.cat([angle.sin(), angle.cos()], 1)
        self.later = torch.ones(window, 2 * window, dtype=torch.bool).triu(window + 1)
        self.last = None  # the memory of each block, from the segment before

    def loss_after(self, memory, tokens, following):
        """The loss, and the memory for the next segment; no memory: zeros."""
        x = self.tokens(tokens) * self.tokens.weight.shape[1] ** 0.5
        kept = []
        for k, block in enumerate(self.h):
            before = memory[k] if memory else torch.zeros_like(x)
            kept.append(x.detach())
            x = block(x, before, self.codes, self.u, self.w, self.later)
        logits = F.linear(x, self.tokens.weight, self.bias)
        return F.cross_entropy(logits.flatten(0, 1), following.flatten()), kept

    def forward(self, tokens, following):
        loss, self.last = self.loss_after(self.last, tokens, following)
        return loss


def begin(net):
    """The weights that the papers' code begins with: PyTorch's own embeddings, N(0, 1), give scores of
    hundreds, whose denormal probabilities make products four times slower."""
    for name, p in net.named_parameters():
        if name in ("u", "w") or p.dim() == 2:
            deep = isinstance(net, Gpt) and "proj" in name
            nn.init.normal_(p, std=0.02 / math.sqrt(2 * len(net.h)) if deep else 0.02)


def net_of(name, window, fused):
    if name == "transformer-xl-small":
        net, vocabulary, parameters = TransformerXl(4, 4, 128, 512, 65, window, fused), 65, 865217
    else:
        *sizes, parameters = NETS[name]
        net, vocabulary = Gpt(*sizes, fused), sizes[4]
    assert sum(p.numel() for p in net.parameters()) == parameters
    begin(net)
    return net, vocabulary


def compile_net(net):
    """torch.compile for what a step computes; what holds the memory stays outside."""
    if isinstance(net, TransformerXl):
        net.loss_after = torch.compile(net.loss_after)
    else:
        net.compile()


def main():
    name, batch, window = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    attention, _, compiled = sys.argv[4].partition("+")
    half, seconds = sys.argv[5] == "autocast", float(sys.argv[6])
    torch.set_num_threads(int(sys.argv[7]) if len(sys.argv) > 7 else 1)
    net, vocabulary = net_of(name, window, attention == "fused")
    if compiled:
        compile_net(net)
    tokens = torch.randint(vocabulary, (batch, window + 1))
    times, end = [], None
    while end is None or time.perf_counter() < end or len(times) < 4:
        for p in net.parameters():
            p.grad = None
        began = time.perf_counter()
        with torch.autocast("cpu", torch.bfloat16) if half else contextlib.nullcontext():
            loss = net(tokens[:, :-1], tokens[:, 1:])
        loss.backward()
        times.append(time.perf_counter() - began)
        if end is None and len(times) == (6 if compiled else 2):
            times, end = [], time.perf_counter() + seconds
    print(json.dumps({"net": name, "torch": torch.__version__, "attention": sys.argv[4],
                      "precision": sys.argv[5], "threads": torch.get_num_threads(),
                      "tokens_per_s": round(batch * window / statistics.median(times), 1)}))


if __name__ == "__main__":
    main()
