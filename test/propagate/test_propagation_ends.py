# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Propagation ends on small programs made at random: manual axes in parts, groups, two names of a mesh."""

import random
import subprocess

import pytest

from conftest import BUILD

TYPE = "tensor<24x24xf32>"
PARTS = {"data": ['"data"'],
         "model": ['"model"', '"model":(1)2', '"model":(2)3', '"model":(1)3', '"model":(3)2']}
PASSES = {
    "pipeline": ["-sdy-import-pipeline", "-sdy-user-priority-propagate"],
    "basic": ["-sdy-add-data-flow-edges", "-sdy-basic-propagate"],
    "op priority": ["-sdy-add-data-flow-edges", "-sdy-op-priority-propagate"],
    "no edges": ["-sdy-aggressive-propagate"],
}


class Generator:
    """Programs of a manual computation in a named one, between element-wise ops."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def maybe(self, text, chance=0.5):
        return text if self.random.random() < chance else ""

    def sharding(self, manual=(), mesh=None):
        """A sharding; `manual` axes come first where they are."""
        mesh = mesh or self.random.choice(["@mesh", "@mesh", "@other"])
        names = self.random.sample(["data", "model"], self.random.randint(0, 2))
        parts = [self.random.choice(PARTS[name]) for name in names]
        if '"model":(1)2' in parts and self.random.random() < 0.5:
            parts.append('"model":(2)3')
        unreduced = parts.pop() if parts and self.random.random() < 0.3 else None
        dims = [[], []]
        for part in parts:
            dims[self.random.randint(0, 1)].append(part)
        for dim in dims:
            dim.sort(key=lambda part: part.split('"')[1] not in manual)
        text = ", ".join("{" + ", ".join(dim + ["?"] * (self.random.random() < 0.7)) + "}"
                         for dim in dims)
        return f"<{mesh}, [{text}]" + (f", unreduced={{{unreduced}}}" if unreduced else "") + ">"

    def attribute(self):
        return self.maybe(" {sdy.sharding = #sdy.sharding" + self.sharding() + "}")

    def program(self):
        arguments = ", ".join(f"%a{i}: {TYPE}{self.attribute()}" for i in range(3))
        results = ", ".join(TYPE + self.attribute() for _ in range(2))
        manual = self.random.choice(["data", "model", "model"])
        inside = f"""
      %m = sdy.manual_computation(%b) in_shardings=[{self.sharding([manual], "@mesh")}] out_shardings=[{self.sharding([manual], "@mesh")}] manual_axes={{"{manual}"}} (%c: {TYPE}) {{
        %d = stablehlo.{self.random.choice(["negate", "transpose"])} %c{{}} : TRANSPOSED
        sdy.return %d : {TYPE}
      }} : ({TYPE}) -> {TYPE}
      {self.maybe(f"sdy.sharding_group %m group_id=0 : {TYPE}")}"""
        isTransposed = "stablehlo.transpose" in inside
        inside = inside.replace("%c{}", "%c, dims = [1, 0]" if isTransposed else "%c")
        inside = inside.replace("TRANSPOSED", f"({TYPE}) -> {TYPE}" if isTransposed else TYPE)
        shardings = self.maybe(f" in_shardings=[{self.sharding()}]") + self.maybe(
            f" out_shardings=[{self.sharding()}]")
        return f"""
  sdy.mesh @mesh = <["data"=2, "model"=6]>
  sdy.mesh @other = <["data"=2, "model"=6]>
  func.func @main({arguments}) -> ({results}) {{
    %0 = stablehlo.add %a0, %a1 : {TYPE}
    %1 = sdy.named_computation<"layer">(%0){shardings} (%b: {TYPE}) {{{inside}
      sdy.return %m : {TYPE}
    }} : ({TYPE}) -> {TYPE}
    {self.maybe(f"sdy.sharding_group %a2 group_id=0 : {TYPE}")}
    %2 = stablehlo.multiply %1, {self.random.choice(["%a2", "%1"])} : {TYPE}
    {self.maybe(f"sdy.sharding_group %2 group_id=0 : {TYPE}")}
    return %2, %1 : {TYPE}, {TYPE}
  }}
"""


@pytest.mark.parametrize("passes", PASSES)
@pytest.mark.parametrize("seed", range(3))
def test_it_ends(tmp_path, seed, passes):
    generator = Generator(seed)
    program = tmp_path / "programs.mlir"
    program.write_text("\n// -----\n".join(generator.program() for _ in range(200)))
    process = subprocess.run([BUILD / "bin/shardwise-opt", program, "-split-input-file",
                              *PASSES[passes]], text=True, capture_output=True, timeout=60)
    # Some programs do not verify, before or after the pass.
    assert process.returncode in (0, 1), process.stderr[-2000:]
    assert process.stdout.count("func.func @main") > 50, process.stderr[-2000:]
