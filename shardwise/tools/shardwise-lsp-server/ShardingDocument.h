// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One open file: which value is at a position, how it is sharded and how large one shard is.

#pragma once

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>
#include <vector>

namespace shardwise::tools {

/// The program in an editor. Parts separated by `// -----` are programs of their own; parts that
/// do not parse or verify have nothing to say.
class ShardingDocument {
public:
  ShardingDocument(const mlir::DialectRegistry &registry, llvm::StringRef text);
  ~ShardingDocument();

  /// Returns Markdown about the values defined or used at `line` and `column` (both from 0;
  /// columns count UTF-16 units, as the protocol does); empty if there is none. Example:
  ///
  ///     #### Sharding
  ///     `%arg0`: `<@mesh, [{"x"}, {}]>` on `<["x"=2, "y"=4]>`
  ///     one shard: `tensor<4x16xf32>` of `tensor<8x16xf32>`
  std::string hover(int line, int column) const;

private:
  struct Part;

  mlir::MLIRContext context;
  std::vector<std::unique_ptr<Part>> parts;
};

/// Markdown about one value, `name` as it is written in the file. Requires: its module verifies.
std::string describeSharding(mlir::Value value, llvm::StringRef name);

} // namespace shardwise::tools
