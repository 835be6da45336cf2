// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formatting of SVG elements.

#include "shardwise/planner/draw/SvgShapes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace shardwise::planner {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text)
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

} // namespace

std::string colourOf(core::DeviceId device, double lightness) {
  double hue = std::fmod(static_cast<double>(device) * 137.508 + 205, 360) / 60;
  double saturation = 0.62;
  double chroma = (1 - std::abs(2 * lightness - 1)) * saturation;
  double second = chroma * (1 - std::abs(std::fmod(hue, 2) - 1));
  double base = lightness - chroma / 2;
  std::array<double, 3> rgb = hue < 1   ? std::array{chroma, second, 0.0}
                              : hue < 2 ? std::array{second, chroma, 0.0}
                              : hue < 3 ? std::array{0.0, chroma, second}
                              : hue < 4 ? std::array{0.0, second, chroma}
                              : hue < 5 ? std::array{second, 0.0, chroma}
                                        : std::array{chroma, 0.0, second};
  auto part = [&](size_t i) { return static_cast<int>(std::lround(255 * (rgb[i] + base))); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(1), part(2));
}

std::string fillOf(core::DeviceId device) {
  return colourOf(device, 0.72);
}

std::string textAt(double x, double y, double size, std::string_view text, std::string_view style) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" {}>{}</text>\n", x, y,
                     size, style, escaped(text));
}

std::string rectangle(double x, double y, double width, double height, std::string_view style) {
  return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", x,
                     y, width, height, style);
}

} // namespace shardwise::planner
