// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general, dot, convolution.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/ContractionOps.h.inc"
