// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of tensors, and ops that move elements.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/ShapeOps.h.inc"
