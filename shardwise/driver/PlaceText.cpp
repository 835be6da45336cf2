// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places from locations. The per-device program has those of the ops that its ops were made of.

#include "shardwise/driver/PlaceText.h"

#include "shardwise/explain/JaxNames.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace shardwise::driver {

std::string placeText(Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  llvm::StringRef file = place ? place.getFilename().getValue() : "";
  // A location of the program's own text is no source of the user's.
  bool isProgram = file.ends_with(".mlir");
  std::vector<explain::SourceFrame> frames = explain::framesIn(location, isProgram ? file : "");
  std::string text;
  if (!frames.empty())
    text = frames.front().place();
  else if (place)
    text = llvm::sys::path::filename(file).str() + ":" + std::to_string(place.getLine());
  auto scope = explain::SourceScope::parse(explain::jaxNameIn(location));
  if (!scope.direction.empty())
    text += " (" + scope.direction + ")";
  if (!scope.path.empty())
    text += " in " + scope.path;
  return text;
}

} // namespace shardwise::driver
