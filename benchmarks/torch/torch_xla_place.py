# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Eight CPU devices of torch_xla, in a process of its own: its Python has another version of PyTorch.

    PYTHON torch_xla_place.py NAME

runs the program NAME: for each line that comes in, a seed, one step, and writes what it took as a line of JSON: `wall`
and `processor` in seconds, `loss`. What it cannot do ends it; the text of the error is on stderr.
"""

import json
import os
import sys
import time

os.environ.update(PJRT_DEVICE="CPU", CPU_NUM_DEVICES="8")

import numpy
import torch
import torch_xla
import torch_xla.distributed.spmd as xs
import torch_xla.runtime as xr

xr.use_spmd()
MESH = xs.Mesh(numpy.arange(8), (4, 2), ("data", "model"))


class Devices:
    """A mesh of four by two, with the annotations of `shardwise_place`."""

    device = torch_xla.device()

    def model(self, model, spec_of=None):
        model.to(self.device)
        for parameter in model.parameters():
            spec = spec_of(parameter) if spec_of is not None else None
            if spec is not None and not torch_xla._XLAC._get_xla_sharding_spec(parameter):
                xs.mark_sharding(parameter, MESH, spec)
        return model

    def batch(self, tensor, sharded=True):
        tensor = tensor.to(self.device)
        if sharded:
            xs.mark_sharding(tensor, MESH, ("data",) + (None,) * (tensor.dim() - 1))
        return tensor

    def mark(self, tensor, spec):
        xs.mark_sharding(tensor, MESH, spec)
        return tensor

    def loader(self, batches):
        for x, y in batches:
            yield self.batch(x), self.batch(y)

    def read(self, tensor):
        # As its guide says: without it only what the number needs would run, and the rest wait for the next step.
        torch_xla.sync()
        return tensor.item()


def main():
    import programs
    known = list(programs.PROGRAMS)
    try:
        import transformer_programs
        known += transformer_programs.PROGRAMS
    except ImportError:
        pass
    program = next((one for one in known if one.__name__ == sys.argv[1]), None)
    if program is None:
        sys.exit(f"{sys.argv[1]} needs transformers, which {sys.executable} does not have")
    torch.manual_seed(0)
    step = program(Devices())
    for line in sys.stdin:
        torch.manual_seed(int(line))
        wall, processor = time.perf_counter(), time.process_time()
        loss = step()
        print(json.dumps({"wall": time.perf_counter() - wall, "processor": time.process_time() - processor, "loss": loss}), flush=True)


if __name__ == "__main__":
    main()
