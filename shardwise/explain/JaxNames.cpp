// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading the names that JAX writes.
//
//   name      := scope '/' ... '/' primitive
//   scope     := TEXT | transform '(' scope ')'
//   transform := 'jit' | 'pjit' | 'jvp' | 'transpose' | 'vmap' | 'remat' | ...
//
// A scope in `jit` is a function, not what the user named; `transpose` is the backward pass.
// Control flow and rematerialisation add scopes of their own.

#include "shardwise/explain/JaxNames.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Whether a source file belongs to the framework rather than to the user.
bool isLibrary(StringRef path) {
  return path.contains("site-packages") || path.contains("jax/_src") ||
         path.starts_with("<frozen") || path.starts_with("<stdin>");
}

} // namespace

SourceScope SourceScope::parse(StringRef name) {
  static const llvm::StringSet<> kOfTheFramework = {
      "while", "body", "cond", "scan", "closed_call", "rematted_computation", "checkpoint"};
  SourceScope scope;
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '/');
  // The last part is the primitive.
  parts.pop_back();
  for (StringRef part : parts) {
    bool isFunction = false;
    for (size_t open = part.find('('); open != StringRef::npos && part.ends_with(")");
         open = part.find('(')) {
      StringRef transform = part.take_front(open);
      if (transform == "transpose")
        scope.direction = "backward";
      isFunction |= transform == "jit" || transform == "pjit";
      part = part.drop_front(open + 1).drop_back();
    }
    if (part == "rematted_computation" || part == "checkpoint")
      scope.direction = "recomputed";
    // An einsum says its pattern where a scope would be.
    if (isFunction || part.empty() || kOfTheFramework.contains(part) || part.contains("->"))
      continue;
    scope.path += (scope.path.empty() ? "" : "/") + part.str();
  }
  return scope;
}

StringRef jaxNameIn(Location location) {
  StringRef name;
  location->walk([&](Location part) {
    auto named = dyn_cast<NameLoc>(part);
    if (!named)
      return WalkResult::advance();
    name = named.getName().getValue();
    return WalkResult::interrupt();
  });
  return name;
}

std::string SourceFrame::place() const {
  return fmt::format("{}:{}", file, line);
}

std::vector<SourceFrame> framesIn(Location location, StringRef programFile) {
  std::vector<SourceFrame> frames;
  StringRef function;
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      function = named.getName().getValue();
      return WalkResult::advance();
    }
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    StringRef path = place.getFilename().getValue();
    // A name that holds a call chain is that of the op.
    StringRef name = function.contains('/') ? "" : function;
    function = "";
    if (path == programFile || isLibrary(path))
      return WalkResult::advance();
    // `outer.<locals>.inner` is called inner.
    size_t end = name.rfind('.');
    StringRef baseName = path.rsplit('/').second;
    frames.push_back({(baseName.empty() ? path : baseName).str(), place.getLine(),
                      name.drop_front(end == StringRef::npos ? 0 : end + 1).str()});
    return WalkResult::advance();
  });
  return frames;
}

std::string resultName(Operation *entry, unsigned index) {
  auto info = cast<func::FuncOp>(entry).getResultAttrOfType<StringAttr>(index, "jax.result_info");
  StringRef name = info ? info.getValue() : "";
  name.consume_front("result");
  return name.str();
}

} // namespace shardwise::explain
