// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/host/HostRound.h"

namespace shardwise::host {

HostTerm::HostTerm(int64_t process, const std::vector<HostBox> &boxes, int64_t elementBytes)
    : of(process) {
  for (const HostBox &box : boxes)
    pieces.push_back(
        {box.source, box.target, {box.size, box.sourceStrides, box.targetStrides, elementBytes}});
}

void HostTerm::copy(const std::byte *source, std::byte *result) const {
  for (const Piece &piece : pieces)
    if (source + piece.source != result + piece.target)
      piece.copy.run(source + piece.source, result + piece.target);
}

void HostTerm::fold(const std::byte *source, std::byte *result,
                    const runtime::Reducer &combine) const {
  for (const Piece &piece : pieces) {
    int64_t count = piece.copy.runBytes() / combine.elementBytes;
    piece.copy.forEachRun([&](int64_t from, int64_t to) {
      combine.fold(result + piece.target + to, source + piece.source + from, count);
    });
  }
}

} // namespace shardwise::host
