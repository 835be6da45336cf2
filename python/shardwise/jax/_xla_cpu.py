# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What XLA for CPUs compiles faster: an all_to_all whose blocks are cut out by one kernel.

XLA makes an all_to_all among n devices of n slices. Each is a kernel with its own numbers, and takes 14 ms to compile; a kernel that
is like another one takes nothing. So the slices are calls of one function, to which the offset is passed:

    %at = stablehlo.optimization_barrier %c64
    %block = call @shardwise_block(%whole, %at) {mhlo.frontend_attributes = {inlineable = "false"}}

1. The call is not inlined, or the offset, which is a constant, would become part of the kernel again.
2. The offset is behind a barrier, or XLA would put it into the function: for each call a function of its own. The barrier is gone when
   the program runs.
3. The op is that of the dialect mhlo, whose operands are the blocks for each device, as in HLO. Those of stablehlo.all_to_all are
   tensors that are cut each.

If a later XLA looks through 1 or 2, it is slow again, and not wrong.
"""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func
from jaxlib.mlir.dialects import stablehlo as hlo


def cut_blocks_by_calls(module: ir.Module) -> None:
    """Replaces every all_to_all of a module by one of blocks that are there already; to be called in its context."""
    found: list[Any] = []

    def note(op: Any) -> ir.WalkResult:
        if op.name == "stablehlo.all_to_all" and len(op.operands) == 1:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    functions: dict[tuple, str] = {}
    symbols = ir.SymbolTable(module.operation)
    for op in found:
        _replace(op, module, symbols, functions)


def _replace(op: Any, module: ir.Module, symbols: ir.SymbolTable, functions: dict[tuple, str]) -> None:
    split, concat, count = (ir.IntegerAttr(op.attributes[key]).value
                            for key in ("split_dimension", "concat_dimension", "split_count"))
    whole = ir.RankedTensorType(op.operands[0].type)
    sizes = list(whole.shape)
    sizes[split] //= count
    with op.location, ir.InsertionPoint(op):
        block = ir.RankedTensorType.get(sizes, whole.element_type)
        key = (str(whole), split, count)
        if key not in functions:
            functions[key] = _block_function(module, symbols, whole, block, split)
        blocks = [_block(functions[key], op.operands[0], block, i * sizes[split]) for i in range(count)]
        kept = {key: op.attributes[key] for key in ("replica_groups",)}
        if "channel_handle" in op.attributes:
            text = str(op.attributes["channel_handle"])
            kept["channel_handle"] = ir.Attribute.parse(text.replace("#stablehlo.", "#mhlo."))
        moved = ir.Operation.create("mhlo.all_to_all", [block] * count, blocks, kept)
        result = hlo.concatenate(moved.results, concat)
    op.results[0].replace_all_uses_with(result)
    op.erase()


def _block_function(module: ir.Module, symbols: ir.SymbolTable, whole: Any, block: Any, split: int) -> str:
    """Adds the function that cuts a block out at an offset along dimension `split`, and returns its name."""
    scalar = ir.RankedTensorType.get([], ir.IntegerType.get_signless(32))
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("shardwise_block", ir.FunctionType.get([whole, scalar], [block]), visibility="private")
    with ir.InsertionPoint(function.add_entry_block()):
        value, at = function.arguments
        zero = _number(0)
        starts = [at if dim == split else zero for dim in range(len(whole.shape))]
        func.ReturnOp([hlo.dynamic_slice(value, starts, list(block.shape))])
    return ir.StringAttr(symbols.insert(function)).value


def _block(function: str, whole: Any, block: Any, offset: int) -> Any:
    at = hlo.optimization_barrier([_number(offset)])
    call = func.CallOp([block], ir.FlatSymbolRefAttr.get(function), [whole, at])
    call.attributes["mhlo.frontend_attributes"] = ir.DictAttr.get({"inlineable": ir.StringAttr.get("false")})
    return call.result


def _number(value: int) -> Any:
    kind = ir.IntegerType.get_signless(32)
    return hlo.constant(ir.DenseElementsAttr.get_splat(ir.RankedTensorType.get([], kind), ir.IntegerAttr.get(kind, value)))
