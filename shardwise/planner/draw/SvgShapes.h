// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of an SVG picture as text.

#pragma once

#include "shardwise/core/Mesh.h"

#include <string>
#include <string_view>

namespace shardwise::planner {

/// Returns the colour of `device`, "#rrggbb", with a lightness from 0 to 1. Neighbours differ:
/// their hues are a golden angle apart.
std::string colourOf(core::DeviceId device, double lightness);

/// Returns the colour of what `device` holds.
std::string fillOf(core::DeviceId device);

/// Returns `text` with its base line from (x, y); `style` are further attributes.
std::string textAt(double x, double y, double size, std::string_view text,
                   std::string_view style = "");

/// Returns a rectangle with its upper left corner at (x, y).
std::string rectangle(double x, double y, double width, double height, std::string_view style);

} // namespace shardwise::planner
