// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One open file: which value is at a position, how it is sharded and how large one shard is.

#pragma once

#include "shardwise/tools/shardwise-lsp-server/TextPosition.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>
#include <vector>

namespace shardwise::tools {

/// The program in an editor. Parts separated by `// -----` are programs of their own. A part that
/// does not parse has nothing to say, nor has an op that does not verify.
class ShardingDocument {
public:
  ShardingDocument(const mlir::DialectRegistry &registry, llvm::StringRef text);
  ~ShardingDocument();

  /// Whether all parts parse.
  bool isWhole() const;

  /// Returns Markdown about the values defined or used at a position; empty if there is none.
  /// Example:
  ///
  ///     #### Sharding
  ///     `%arg0`: `<@mesh, [{"x"}, {}]>` on `<["x"=2, "y"=4]>`
  ///     one shard: `tensor<4x16xf32>` of `tensor<8x16xf32>`
  std::string hover(TextPosition position) const;

  /// The same about the first value of this name.
  std::string hover(const ValueName &name) const;

private:
  struct Part;

  /// Says `describe(part)` of the first part that has something to say.
  template <class Describe> std::string sayFirst(Describe describe) const;

  mutable mlir::MLIRContext context;
  std::vector<std::unique_ptr<Part>> parts;
};

/// Markdown about one value, `name` as it is written in the file. Requires: the op that defines it,
/// or that it is an argument of, verifies on its own.
std::string describeSharding(mlir::Value value, llvm::StringRef name);

} // namespace shardwise::tools
