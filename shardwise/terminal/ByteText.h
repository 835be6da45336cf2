// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of bytes and seconds for people.

#pragma once

#include <cstdint>
#include <string>

namespace shardwise::terminal {

/// Returns `9.3 KiB`: in the largest unit of which there is one, whole numbers of bytes as they
/// are.
std::string bytesText(int64_t bytes);

/// Returns `1.35 ms`: three digits, in the largest unit from nanoseconds to seconds of which there
/// is one.
std::string secondsText(double seconds);

} // namespace shardwise::terminal
