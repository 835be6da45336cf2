// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of tensors, and ops that move elements.

#pragma once

#include "shardwise/dialect/stablehlo/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ShapeOps.h.inc"
