// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that rounds otherwise: the same ops, with the last place of every result in doubt.

#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace shardwise::driver {

/// Puts behind every op of `module` that rounds, for each of its float results, a call that moves
/// it by one unit in the last place of its type, up or down. Ops that give elements of their
/// operands back (slices, transposes, maxima, widening conversions) and constants round nothing. A
/// sum of n terms in f32 or f64 consists of roundings that follow each other, log2 n of them
/// however it is ordered, and moves by up to that many units; sums of narrower types are made in
/// wider ones and round once. A product is taken in a few parts, whose number depends on the seed,
/// and so over- or underflows where parts of it do. Sums and products within a batch norm are
/// disturbed as ops of its formula are. Equal results of element-wise ops move alike,
/// as the same rounding on the same machine is; results of different sums move independently.
/// Regions of reductions, scatters and sorts stay as they are.
///
/// In a manual computation the call works on the block of a device. The direction does not depend
/// on the device, so devices that hold copies still do; sums over devices are sums.
void disturbRoundings(mlir::ModuleOp module, uint64_t seed);

} // namespace shardwise::driver
