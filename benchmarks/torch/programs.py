# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written for PyTorch alone. Each is a function of a place that returns a function that does a step and
returns its loss."""

import torch

from places import channels, largest, rows, rows_uneven

nn, F = torch.nn, torch.nn.functional


def mlp(width=64, hidden=256, classes=10):
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, classes))


def adamw(model):
    return torch.optim.AdamW(model.parameters(), 1e-3)


def trained(place, model, draw, loss_of=None, spec_of=None, optimizer=adamw):
    """Steps of a model on batches that are drawn anew."""
    model = place.model(model, spec_of)
    own = optimizer(model)
    loss_of = loss_of or (lambda model, x, y: F.cross_entropy(model(x), y))

    def step():
        batch = [place.batch(one) for one in draw()]
        own.zero_grad()
        loss = loss_of(model, *batch)
        loss.backward()
        own.step()
        return place.read(loss)

    return step


def vectors(width=64, classes=10, count=64):
    return lambda: (torch.randn(count, width), torch.randint(0, classes, (count,)))


def pictures(size=24, count=16):
    return lambda: (torch.randn(count, 3, size, size), torch.randint(0, 10, (count,)))


def mlp_data_parallel(place):
    return trained(place, mlp(), vectors())


def mlp_loader(place):
    """The last batch of each epoch is smaller."""
    model = place.model(mlp())
    own = adamw(model)

    def epochs():
        while True:
            yield from place.loader((torch.randn(count, 64), torch.randint(0, 10, (count,))) for count in (64, 64, 64, 40))

    batches = epochs()

    def step():
        x, y = next(batches)
        own.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        own.step()
        return place.read(loss)

    return step


def mlp_tensor_parallel(place):
    return trained(place, mlp(), vectors(), spec_of=rows)


def mlp_2d(place):
    return trained(place, mlp(64, 512), vectors(count=128), spec_of=rows)


def mlp_fully_sharded(place):
    return trained(place, mlp(), vectors(), spec_of=largest)


def mlp_uneven(place):
    """Neither batch nor widths divide by the devices."""
    return trained(place, mlp(30, 127, 10), vectors(30, 10, 42), spec_of=rows_uneven)


def mlp_dropout(place):
    return trained(place, nn.Sequential(nn.Linear(64, 256), nn.Dropout(0.1), nn.ReLU(), nn.Linear(256, 10)), vectors())


def mlp_autocast(place):
    def loss_of(model, x, y):
        with torch.autocast(place.device.type, torch.bfloat16):
            return F.cross_entropy(model(x).float(), y)

    return trained(place, mlp(), vectors(), loss_of)


def checkpoint_roundtrip(place):
    """Goes on after state of model and optimizer went through `state_dict`."""
    first = place.model(mlp(), rows)
    step = trained(place, first, vectors())
    step(), step()
    second = place.model(mlp(), rows)
    second.load_state_dict(first.state_dict())
    return trained(place, second, vectors())


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.first, self.second = nn.Conv2d(16, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)
        self.inner, self.outer = nn.BatchNorm2d(16), nn.BatchNorm2d(16)
        self.down, self.head = nn.Conv2d(16, 32, 3, 2, 1), nn.Linear(32, 10)

    def forward(self, x):
        x = self.norm(self.stem(x)).relu()
        x = (self.outer(self.second(self.inner(self.first(x)).relu())) + x).relu()
        return self.head(F.adaptive_avg_pool2d(self.down(x).relu(), 1).flatten(1))


def resnet_data_parallel(place):
    return trained(place, Residual(), pictures())


def resnet_channels(place):
    return trained(place, Residual(), pictures(), spec_of=channels)


def conv_autoencoder(place):
    model = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(),
                          nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1))
    return trained(place, model, lambda: (torch.randn(16, 3, 24, 24),), lambda model, x: F.mse_loss(model(x), x))


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag, self.head = nn.EmbeddingBag(1000, 32), nn.Linear(32, 10)

    def forward(self, x):
        return self.head(self.bag(x))


def embedding_bag(place):
    return trained(place, Bags(), lambda: (torch.randint(0, 1000, (64, 12)), torch.randint(0, 10, (64,))), spec_of=rows)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layer, self.head = nn.Embedding(96, 32), nn.LSTM(32, 64, 2, batch_first=True), nn.Linear(64, 96)

    def forward(self, x):
        return self.head(self.layer(self.words(x))[0])


def sentences(count=16, length=16, words=96):
    return lambda: (torch.randint(0, words, (count, length)),)


def next_word(model, x):
    return F.cross_entropy(model(x)[:, :-1].flatten(0, 1), x[:, 1:].flatten())


def lstm_language(place):
    return trained(place, Recurrent(), sentences(16, 24), next_word)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
        self.layers, self.head = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), nn.Linear(128, 10)

    def forward(self, x):
        return self.head(self.layers(x).mean(1))


def transformer_encoder(place):
    return trained(place, Encoder(), lambda: (torch.randn(16, 32, 128), torch.randint(0, 10, (16,))), spec_of=rows)


def inplace_and_views(place):
    """Writes into slices, rows and diagonals of a table, then reads a number."""
    table = place.mark(torch.zeros(64, 32).to(place.device), ("data", None))
    count = [0]

    def step():
        i = count[0] = count[0] + 1
        table[i % 64].add_(1.0)
        table[:, ::2] *= 0.9
        table.view(32, 64).t()[3:9].sub_(0.5)
        table.diagonal().fill_(float(i))
        halves = table.chunk(2, 0)
        halves[0].copy_(halves[1])
        table.transpose(0, 1)[5].clamp_(max=2.0)
        table.masked_fill_(table > 3.0, 1.0)
        return place.read(table.sum())

    return step


class Experts(nn.Module):
    """Every expert sees every token; weights by a softmax."""

    def __init__(self):
        super().__init__()
        self.gate, self.up = nn.Linear(64, 8), nn.Parameter(torch.randn(8, 64, 128) / 8)
        self.down, self.head = nn.Parameter(torch.randn(8, 128, 64) / 11), nn.Linear(64, 10)

    def forward(self, x):
        weights = self.gate(x).softmax(-1)
        hidden = torch.einsum("td,edh->eth", x, self.up).relu()
        return self.head(torch.einsum("eth,ehd,te->td", hidden, self.down, weights))


def dense_experts(place):
    return trained(place, Experts(), vectors(), spec_of=lambda one: ("model", None, None) if one.dim() == 3 else None)


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.inner, self.head = nn.Embedding(96, 64), nn.Linear(64, 64), nn.Linear(64, 96, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x):
        return self.head(self.inner(self.words(x)).tanh())


def tied_embedding(place):
    return trained(place, Tied(), sentences(), next_word, spec_of=rows)


PROGRAMS = [mlp_data_parallel, mlp_loader, mlp_tensor_parallel, mlp_2d, mlp_fully_sharded, mlp_uneven, mlp_dropout, mlp_autocast,
            checkpoint_roundtrip, resnet_data_parallel, resnet_channels, conv_autoencoder, embedding_bag, lstm_language,
            transformer_encoder, inplace_and_views, dense_experts, tied_embedding]
