// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An offer is either in the mailbox or taken, decided under the mutex: so a sender that fails knows
// whether somebody reads its memory.
//
//     sender                            receiver
//     add          Open                 sleeps on its own mailbox's events, or comes later
//     sleeps on its own events          take         Taken
//                                       copyOffer    reads the sender's memory, without the mutex
//     wakes up     Done     <---------  state = Done, and the sender's events
//
// A sender that fails calls `withdraw`. If that gives the offer back, nobody will read; if not, it
// is Taken, and the sender waits for Done, which comes after a finite copy.
//
// Offers of one sender in one collective are taken in the order in which they were added, as
// messages between two ranks are received in the order in which they were sent; others in between
// do not matter.

#include "shardwise/runtime/LocalMailbox.h"

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/StridedCopy.h"

#include <algorithm>

namespace shardwise::runtime {

int64_t MessageBox::bytes() const {
  return product(size) * elementBytes;
}

void LocalMailbox::add(std::shared_ptr<Offer> offer) {
  {
    std::lock_guard lock(mutex);
    offers.push_back(std::move(offer));
  }
  events.advanceAndWake();
}

std::shared_ptr<Offer> LocalMailbox::take(Rank source, int64_t collective) {
  std::lock_guard lock(mutex);
  auto found = std::find_if(offers.begin(), offers.end(), [&](const std::shared_ptr<Offer> &offer) {
    return offer->source == source && offer->collective == collective;
  });
  if (found == offers.end())
    return nullptr;
  std::shared_ptr<Offer> offer = std::move(*found);
  offers.erase(found);
  offer->state = Offer::State::Taken;
  return offer;
}

bool LocalMailbox::withdraw(const Offer &offer) {
  std::lock_guard lock(mutex);
  return std::erase_if(offers, [&](const std::shared_ptr<Offer> &other) {
           return other.get() == &offer;
         }) > 0;
}

void copyOffer(const Offer &offer, std::byte *data, const MessageBox &box, const Reducer *combine) {
  StridedCopy copy(box.size, offer.box.strides, box.strides, box.elementBytes);
  if (!combine)
    return copy.run(offer.data, data);
  copy.forEachRun([&](int64_t sourceOffset, int64_t targetOffset) {
    combine->fold(data + targetOffset, offer.data + sourceOffset,
                  copy.runBytes() / box.elementBytes);
  });
}

} // namespace shardwise::runtime
