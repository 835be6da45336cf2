// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to the text of a program: tokens, bracketed groups, lines. What comes out is near to a
// program, and mostly not one.

#pragma once

#include "test/support/core/RandomValues.h"

#include <string>
#include <string_view>

namespace shardwise::fuzz {

/// Returns `text` with one to four random changes; `donor` is another program, perhaps the same,
/// that pieces are taken from.
std::string mutateText(std::string_view text, std::string_view donor,
                       core::testing::Random &random);

} // namespace shardwise::fuzz
