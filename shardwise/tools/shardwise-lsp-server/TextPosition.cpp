// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading names and meshes off the text, without parsing it: while somebody types, the text has
// errors most of the time. So these functions look at lines, names and brackets only, and may be
// wrong in odd programs, for instance about names inside of strings; then a name too many or too
// few is offered.

#include "shardwise/tools/shardwise-lsp-server/TextPosition.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"

#include <algorithm>
#include <utility>

namespace shardwise::tools {

namespace {

bool isNameChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.' || c == '-';
}

llvm::StringRef takeName(llvm::StringRef text) {
  return text.take_while(isNameChar);
}

/// Name of the last function that begins before the end of `before`.
std::string lastFunction(llvm::StringRef before) {
  size_t start = before.rfind("func.func");
  if (start == llvm::StringRef::npos)
    return {};
  llvm::StringRef header = before.drop_front(start).split('(').first;
  return takeName(header.split('@').second).str();
}

/// Names of the axes in the body of a mesh, `"x"=2, "y"=4]`.
std::vector<std::string> axesOfMesh(llvm::StringRef body) {
  std::vector<std::string> axes;
  body = body.split(']').first;
  while (true) {
    auto [name, rest] = body.split('"').second.split('"');
    if (name.empty())
      return axes;
    axes.push_back(name.str());
    body = rest;
  }
}

llvm::StringMap<std::vector<std::string>> meshesOf(llvm::StringRef text) {
  llvm::StringMap<std::vector<std::string>> meshes;
  constexpr llvm::StringLiteral kStart = "sdy.mesh @";
  for (size_t start = text.find(kStart); start != llvm::StringRef::npos;
       start = text.find(kStart, start + 1)) {
    llvm::StringRef rest = text.drop_front(start + kStart.size());
    llvm::StringRef line = rest.split('\n').first;
    meshes[takeName(line)] = axesOfMesh(line.split('[').second);
  }
  return meshes;
}

/// The names of all meshes, sorted.
std::vector<std::string> meshNames(const llvm::StringMap<std::vector<std::string>> &meshes) {
  std::vector<std::string> names;
  for (const auto &mesh : meshes)
    names.push_back(mesh.first().str());
  llvm::sort(names);
  return names;
}

/// Axes of the mesh that `sharding`, the text of one up to the cursor, begins with.
std::vector<std::string> axesFor(llvm::StringRef sharding,
                                 const llvm::StringMap<std::vector<std::string>> &meshes) {
  if (sharding.consume_front("<mesh<"))
    return axesOfMesh(sharding.split('[').second);
  if (sharding.consume_front("<@"))
    if (auto mesh = meshes.find(takeName(sharding)); mesh != meshes.end())
      return mesh->second;
  std::vector<std::string> all;
  for (const std::string &name : meshNames(meshes))
    for (const std::string &axis : meshes.find(name)->second)
      if (!llvm::is_contained(all, axis))
        all.push_back(axis);
  return all;
}

/// The sharding that begins in `line` and does not end there; empty if there is none.
llvm::StringRef openSharding(llvm::StringRef line) {
  for (llvm::StringRef rest = line; !rest.empty();) {
    size_t start = rest.rfind('<');
    if (start == llvm::StringRef::npos)
      return {};
    llvm::StringRef sharding = line.drop_front(start);
    if ((sharding.starts_with("<@") || sharding.starts_with("<mesh<")) &&
        sharding.count('<') > sharding.count('>'))
      return sharding;
    rest = line.take_front(start);
  }
  return {};
}

/// Whether the axis `name` stands in `sharding` other than in part, as in `"x":(1)2`.
bool usesWhole(llvm::StringRef sharding, const std::string &name) {
  std::string quoted = '"' + name + '"';
  for (size_t start = sharding.find(quoted); start != llvm::StringRef::npos;
       start = sharding.find(quoted, start + 1))
    if (!sharding.drop_front(start + quoted.size()).starts_with(":"))
      return true;
  return false;
}

} // namespace

const char *find(llvm::StringRef text, TextPosition position) {
  llvm::StringRef rest = text;
  for (int i = 0; i < position.line; ++i) {
    size_t end = rest.find('\n');
    if (end == llvm::StringRef::npos)
      return rest.end();
    rest = rest.drop_front(end + 1);
  }
  llvm::StringRef line = rest.take_until([](char c) { return c == '\n'; });
  // What takes four bytes in UTF-8 is two units, all else one.
  const char *place = line.begin();
  for (int units = 0; units < position.column && place < line.end();) {
    unsigned numBytes = llvm::getNumBytesForUTF8(static_cast<llvm::UTF8>(*place));
    units += numBytes == 4 ? 2 : 1;
    place += std::min<size_t>(numBytes, line.end() - place);
  }
  return place;
}

ValueName valueNameAt(llvm::StringRef text, const char *place) {
  auto isPart = [](char c) { return isNameChar(c) || c == '%' || c == '#'; };
  const char *start = place, *end = place;
  while (start > text.begin() && isPart(start[-1]))
    --start;
  while (end < text.end() && isPart(*end))
    ++end;
  llvm::StringRef word(start, static_cast<size_t>(end - start));
  // `%pair:2` and `%0, %1` end where the name does; `#sdy.sharding` is no value.
  if (!word.starts_with("%") || word.count('%') != 1 || word.size() == 1)
    return {};
  llvm::StringRef before(text.begin(), static_cast<size_t>(start - text.begin()));
  return {lastFunction(before), word.str()};
}

std::vector<std::string> namesInShardingAt(llvm::StringRef text, const char *place) {
  llvm::StringRef before(text.begin(), static_cast<size_t>(place - text.begin()));
  before = before.drop_front(before.rfind('\n') + 1);
  auto meshes = meshesOf(text);
  llvm::StringRef lead = before;
  while (!lead.empty() && isNameChar(lead.back()))
    lead = lead.drop_back();
  if (lead.ends_with("<@"))
    return meshNames(meshes);
  // The cursor is in `... [{"x", "` and asks for an axis: an odd number of quotes before it, and a
  // brace that is open. Elsewhere a quote begins the name of something that shardings do not know.
  // Inside quotes, inside braces.
  if (!lead.ends_with("\"") || lead.count('"') % 2 == 0 || lead.count('{') <= lead.count('}'))
    return {};
  llvm::StringRef sharding = openSharding(lead.drop_back());
  std::vector<std::string> names = axesFor(sharding, meshes);
  llvm::StringRef written = sharding.starts_with("<mesh<") ? sharding.split(']').second : sharding;
  // A whole axis may stand in a sharding once. One of which parts are used may go on with another
  // part.
  llvm::erase_if(names, [&](const std::string &name) { return usesWhole(written, name); });
  return names;
}

bool usesLaterResultAt(llvm::StringRef text, const char *place) {
  llvm::StringRef before(text.begin(), static_cast<size_t>(place - text.begin()));
  size_t start = before.rfind("func.func");
  llvm::StringRef rest = start == llvm::StringRef::npos ? before : before.drop_front(start);
  llvm::StringSet<> known;
  // Definitions whose op may not have ended yet, with the depth of braces that it began at.
  std::vector<std::pair<llvm::StringRef, int>> begun;
  int depth = 0;
  while (!rest.empty()) {
    auto [line, next] = rest.split('\n');
    rest = next;
    llvm::erase_if(begun, [&](const auto &definition) {
      // An op has ended when braces are back where it began, unless the line closes its region.
      bool hasEnded = depth <= definition.second && !line.trim().starts_with("}");
      if (hasEnded)
        known.insert(definition.first);
      return hasEnded;
    });
    for (size_t at = line.find('%'); at != llvm::StringRef::npos; at = line.find('%', at + 1)) {
      llvm::StringRef name = takeName(line.drop_front(at + 1));
      llvm::StringRef after = line.drop_front(at + 1 + name.size());
      if (after.starts_with(":") && line.take_front(at).trim().empty())
        begun.emplace_back(name, depth);
      else if (!after.consume_front("#") || after.starts_with("0"))
        known.insert(name);
      else if (!known.contains(name))
        return true;
    }
    depth += static_cast<int>(line.count('{')) - static_cast<int>(line.count('}'));
  }
  return false;
}

} // namespace shardwise::tools
