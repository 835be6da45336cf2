// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts in 64-bit integers and converts short pieces to the element type.

#include "shardwise/execute/thunks/Iota.h"

#include "shardwise/execute/thunks/Conversion.h"

#include <algorithm>

namespace shardwise::execute {

void Iota::fill(std::byte *target, int64_t begin, int64_t count) const {
  if (count == 0) // A size may be 0 then.
    return;
  constexpr int64_t kPiece = 256;
  int64_t piece[kPiece];
  Conversion convert(runtime::DataType::I64, type);
  int64_t value = begin / inner % size;
  int64_t left = inner - begin % inner;
  for (int64_t done = 0; done < count;) {
    int64_t length = std::min(kPiece, count - done);
    for (int64_t i = 0; i < length; ++i) {
      piece[i] = value;
      if (--left == 0) {
        left = inner;
        value = value + 1 == size ? 0 : value + 1;
      }
    }
    convert.run(reinterpret_cast<const std::byte *>(piece), target + done * runtime::byteSize(type),
                length);
    done += length;
  }
}

} // namespace shardwise::execute
