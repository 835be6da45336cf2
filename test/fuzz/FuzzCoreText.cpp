// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fuzz target: the core's own readers of meshes, axes, shardings and rules. Whatever they accept
// must print and read back as the same value.

#include "shardwise/core/Text.h"

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace {

template <class Parse> void checkRoundTrip(std::string_view text, Parse parse) {
  auto value = parse(text);
  if (!value)
    return;
  std::string printed = shardwise::core::toString(*value);
  auto again = parse(printed);
  if (again && *again == *value)
    return;
  std::cerr << "printed text does not read back as the same value: " << printed << "\n";
  std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace shardwise::core;
  std::string_view text(reinterpret_cast<const char *>(data), size);
  checkRoundTrip(text, [](std::string_view t) { return parseAxisRef(t); });
  checkRoundTrip(text, [](std::string_view t) { return parseSharding(t); });
  checkRoundTrip(text, [](std::string_view t) { return parseMesh(t); });
  checkRoundTrip(text, [](std::string_view t) { return parseShardingRule(t); });
  return 0;
}
