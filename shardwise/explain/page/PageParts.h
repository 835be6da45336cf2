// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The markup, style and script of the page, as they are in this folder. CMake puts them into the
// program.

#pragma once

#include <string_view>

namespace shardwise::explain {

/// The markup, with `{{title}}`, `{{style}}`, `{{text}}`, `{{data}}` and `{{script}}` in it.
extern const std::string_view kPageMarkup;
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

} // namespace shardwise::explain
