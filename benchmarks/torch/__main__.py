# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training steps on eight virtual devices, as multiples of eager PyTorch in the same run.

    PYTHONPATH=build/python .venv/bin/python benchmarks/torch [--steps N] [NAME ...]

A step reads its loss. Shown are the first step, the median of those behind the fourth, that of eager PyTorch, their ratio,
and how many programs were compiled in all and behind the second step.
"""

import argparse
import math
import statistics
import time

import numpy
import torch

import shardwise.torch as xs

nn, F = torch.nn, torch.nn.functional
xs.use_spmd()
MESH = xs.Mesh(numpy.arange(8), (4, 2), ("data", "model"))


def mlp():
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))


def mlp_dropout():
    return nn.Sequential(nn.Linear(64, 256), nn.Dropout(0.1), nn.ReLU(), nn.Linear(256, 10))


def convolutions():
    return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1),
                         nn.BatchNorm2d(32), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.LSTM(32, 64, 2, batch_first=True), nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.layer(x)[0][:, -1])


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
        self.layers, self.head = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.layers(x).mean(1))


def rows_of(parameter):
    return ("model",) + (None,) * (parameter.dim() - 1) if parameter.dim() == 2 and parameter.shape[0] % 2 == 0 else None


def largest_of(parameter):
    largest = max(range(parameter.dim()), key=lambda i: parameter.shape[i])
    return tuple(("data", "model") if i == largest else None for i in range(parameter.dim()))


def nothing_of(parameter):
    return None


#: Model, shape of the inputs, how parameters are sharded.
PROGRAMS = {
    "mlp_data_parallel": (mlp, (64, 64), nothing_of), "mlp_tensor_parallel": (mlp, (64, 64), rows_of),
    "mlp_fully_sharded": (mlp, (64, 64), largest_of), "mlp_dropout": (mlp_dropout, (64, 64), nothing_of),
    "convolutions": (convolutions, (16, 3, 24, 24), nothing_of), "lstm": (Recurrent, (32, 16, 32), nothing_of),
    "encoder_data_parallel": (Encoder, (16, 32, 128), nothing_of), "encoder_2d": (Encoder, (16, 32, 128), rows_of),
}


def seconds_of(make, shape, steps, spec_of=None):
    """Seconds of each step, and compilations behind each."""
    torch.manual_seed(0)
    model = make()
    if spec_of is not None:
        model.to(xs.device())
        for parameter in model.parameters():
            if (spec := spec_of(parameter)) is not None:
                xs.mark_sharding(parameter, MESH, spec)
    optimizer, seconds, counts = torch.optim.AdamW(model.parameters(), 1e-3), [], [xs.compile_count()]
    for _ in range(steps):
        x, y = torch.randn(shape), torch.randint(0, 10, shape[:1])
        start = time.perf_counter()
        if spec_of is not None:
            x, y = x.to(xs.device()), y.to(xs.device())
            xs.mark_sharding(x, MESH, ("data",) + (None,) * (x.dim() - 1))
            xs.mark_sharding(y, MESH, ("data",))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        loss.item()
        seconds.append(time.perf_counter() - start)
        counts.append(xs.compile_count())
    return seconds, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"programs; all by default: {', '.join(PROGRAMS)}")
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    unknown = set(options.names) - set(PROGRAMS)
    if unknown:
        parser.error(f"there is no program {sorted(unknown)[0]!r}; the programs are {', '.join(PROGRAMS)}")
    if options.steps < 5:
        parser.error("--steps must be 5 or more: those behind the fourth are measured")
    print(f"{'program':24}{'first s':>9}{'ms/step':>9}{'eager':>9}{'ratio':>7}  compilations (late)")
    ratios = []
    for name in options.names or PROGRAMS:
        make, shape, spec_of = PROGRAMS[name]
        eager = statistics.median(seconds_of(make, shape, options.steps)[0][4:])
        seconds, counts = seconds_of(make, shape, options.steps, spec_of)
        step = statistics.median(seconds[4:])
        ratios.append(step / eager)
        print(f"{name:24}{seconds[0]:9.2f}{step * 1e3:9.1f}{eager * 1e3:9.1f}{step / eager:7.1f}  "
              f"{counts[-1] - counts[0]} ({counts[-1] - counts[2]})", flush=True)
    print(f"geometric mean of the ratios: {math.exp(statistics.fmean(map(math.log, ratios))):.2f}")


if __name__ == "__main__":
    main()
