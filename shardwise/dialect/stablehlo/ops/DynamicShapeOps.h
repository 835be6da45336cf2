// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops on dynamic shapes.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/DynamicShapeOps.h.inc"
