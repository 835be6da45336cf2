// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First fit. Members have few messages of all there are, so each keeps the rounds in which it is
// busy; a table of rounds would have a place for each member.

#include "shardwise/core/Rounds.h"

#include <algorithm>
#include <bit>

namespace shardwise::core {

std::vector<uint64_t> &Rounds::wordsOf(Busy &member) {
  if (member.run != run) {
    member.run = run;
    member.words.clear();
  }
  return member.words;
}

size_t Rounds::add(int64_t source, int64_t target) {
  constexpr size_t kBits = 64;
  std::vector<uint64_t> &sent = wordsOf(sends[source]), &received = wordsOf(receives[target]);
  auto wordAt = [](const std::vector<uint64_t> &words, size_t number) {
    return number < words.size() ? words[number] : 0;
  };
  size_t number = 0;
  while ((wordAt(sent, number) | wordAt(received, number)) == ~uint64_t{0})
    ++number;
  auto bit = static_cast<size_t>(std::countr_one(wordAt(sent, number) | wordAt(received, number)));
  for (std::vector<uint64_t> *words : {&sent, &received}) {
    if (words->size() <= number)
      words->resize(number + 1, 0);
    (*words)[number] |= uint64_t{1} << bit;
  }
  numRounds = std::max(numRounds, number * kBits + bit + 1);
  return number * kBits + bit;
}

} // namespace shardwise::core
