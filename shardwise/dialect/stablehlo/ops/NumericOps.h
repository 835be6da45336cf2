// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers, linear algebra, Fourier transforms, batch normalisation.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/NumericOps.h.inc"
