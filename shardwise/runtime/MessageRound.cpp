// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Receives are waited for before sends. A peer that is late keeps this rank's send open, but what
// has come in can be folded by then; and `finish` of all ranks in this order cannot block in a
// circle, as a send ends with a receive that its peer has started before it waits for anything.

#include "shardwise/runtime/MessageRound.h"

#include "shardwise/runtime/StridedCopy.h"

namespace shardwise::runtime {

MessageBox denseRun(int64_t count, int64_t elementBytes) {
  return {{count}, {elementBytes}, elementBytes};
}

BufferPart partOf(std::span<const int64_t> shape, std::span<const int64_t> start,
                  std::span<const int64_t> size, int64_t elementBytes) {
  BufferPart part;
  part.box = {{size.begin(), size.end()}, rowMajorStrides(shape, elementBytes), elementBytes};
  for (size_t dim = 0; dim < start.size(); ++dim)
    part.offset += start[dim] * part.box.strides[dim];
  return part;
}

MessageName MessageRound::nameWith(int64_t peer) const {
  return {group.ranks[peer], toString(group.kind), step, parameters, group.numbers[peer]};
}

Result<void> MessageRound::remember(const Result<PendingMessage> &message,
                                    std::vector<PendingMessage> &messages) {
  if (!message)
    return message.error();
  messages.push_back(*message);
  return {};
}

Result<void> MessageRound::send(int64_t peer, const std::byte *data, MessageBox box) {
  return remember(group.communicator.startSend(nameWith(peer), data, std::move(box)), sends);
}

Result<void> MessageRound::receive(int64_t peer, std::byte *data, MessageBox box,
                                   const Reducer *combine) {
  return remember(group.communicator.startReceive(nameWith(peer), data, std::move(box), combine),
                  receives);
}

Result<void> MessageRound::waitForNext() {
  return group.communicator.wait(receives[numReceived++]);
}

Result<void> MessageRound::finish() {
  while (numReceived < receives.size())
    if (Result<void> received = waitForNext(); !received)
      return received;
  for (PendingMessage send : sends)
    if (Result<void> sent = group.communicator.wait(send); !sent)
      return sent;
  return {};
}

} // namespace shardwise::runtime
