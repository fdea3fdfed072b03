"""Trains nanoGPT's recipe for a CPU with PyTorch: a line of JSON with the time and the losses.

    torch_recipe.py FILE STEPS SEED [THREADS] [ATTENTION]

The net, the data, AdamW, its schedule and clipping are those of karpathy/nanogpt-shakespeare; the
first nine tenths of the FILE are trained on, in random windows, and the loss is of all windows of
the rest, once at the end, which the time includes. ATTENTION: written or fused.
"""
import json
import math
import sys
import time

import torch

from torch_language import net_of

BATCH, WINDOW, RATE, WARMUP = 12, 64, 1e-3, 100


def batches(tokens, starts):
    windows = torch.stack([tokens[i:i + WINDOW + 1] for i in starts])
    return windows[:, :-1], windows[:, 1:]


def rate_at(step, steps):
    if step < WARMUP:
        return RATE * (step + 1) / (WARMUP + 1)
    share = (step - WARMUP) / max(steps - WARMUP, 1)
    return RATE * (0.1 + 0.45 * (1 + math.cos(math.pi * share)))


def adamw(net):
    decayed = [p for p in net.parameters() if p.dim() == 2]
    others = [p for p in net.parameters() if p.dim() < 2]
    return torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1},
                              {"params": others, "weight_decay": 0}], betas=(0.9, 0.99))


def train(net, optimizer, tokens, steps):
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate_at(step, steps)
        loss = net(*batches(tokens, torch.randint(len(tokens) - WINDOW, (BATCH,))))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()


def evaluate(net, tokens):
    starts = range(0, len(tokens) - WINDOW, WINDOW)
    with torch.no_grad():
        losses = [net(*batches(tokens, starts[i:i + 64])) * len(starts[i:i + 64])
                  for i in range(0, len(starts), 64)]
    return float(sum(losses)) / len(starts)


def main():
    path, steps, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    threads = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    attention = sys.argv[5] if len(sys.argv) > 5 else "fused"
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    letters = {c: i for i, c in enumerate(sorted(set(text)))}
    tokens = torch.tensor([letters[c] for c in text])
    cut = len(tokens) * 9 // 10
    net, vocabulary = net_of("gpt-shakespeare-cpu", WINDOW, attention == "fused")
    assert vocabulary == len(letters)
    optimizer = adamw(net)
    began = time.perf_counter()
    train(net, optimizer, tokens[:cut], steps)
    loss = evaluate(net, tokens[cut:])
    print(json.dumps({"torch": torch.__version__, "steps": steps, "seed": seed, "threads": threads,
                      "attention": attention, "wall_s": round(time.perf_counter() - began, 2),
                      "validation_loss": round(loss, 4)}))


main()
