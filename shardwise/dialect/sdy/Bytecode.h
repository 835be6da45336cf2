// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Encoding of attributes in MLIR's bytecode, as Shardy has it.

#pragma once

#include "shardwise/dialect/sdy/SdyDialect.h"

namespace shardwise::sdy {

/// Lets `dialect` read and write its attributes in bytecode.
///
/// An attribute is a code, which says its kind, and its fields in order. Integers are MLIR's
/// variable-length ones, signed (zigzag) except for codes, counts and priorities; lists are a
/// count and the items; attributes inside attributes are references to the file's table. No
/// version is written: files are as those of Shardy from before it had one, which newer ones read.
/// What has no code (debug edges, values that are partial maxima or minima) is stored as text, as
/// MLIR does for dialects without an encoding; text is read for any attribute.
void addBytecodeInterface(SdyDialect &dialect);

} // namespace shardwise::sdy
