// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that an editor has open, parsed in the background, so that hovering need not wait for
// the parser.

#pragma once

#include "shardwise/tools/shardwise-lsp-server/ShardingDocument.h"
#include "shardwise/tools/shardwise-lsp-server/TextPosition.h"

#include "llvm/ADT/StringMap.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace shardwise::tools {

/// All members may be called from any thread.
class OpenDocuments {
public:
  explicit OpenDocuments(const mlir::DialectRegistry &registry);
  ~OpenDocuments();

  /// Opens a file, or gives it a new text.
  void set(llvm::StringRef uri, llvm::StringRef text);
  void close(llvm::StringRef uri);

  /// Returns Markdown about the value at a position, see `ShardingDocument::hover`; waits for the
  /// parser. Where the text does not parse, about the value of the same name in the last text of
  /// this file that did. Empty if there is nothing to say.
  std::string hover(llvm::StringRef uri, TextPosition position);

  /// Returns names of meshes and axes that may be written at a position. Does not wait.
  std::vector<std::string> complete(llvm::StringRef uri, TextPosition position);

  /// Whether the stock server survives a request for completion at a position, see
  /// `usesLaterResultAt`.
  bool isSafeToComplete(llvm::StringRef uri, TextPosition position);

private:
  struct File {
    std::string text;
    /// Counts texts, over all files; what is parsed is compared with what is wanted.
    int64_t version = 0;
    int64_t parsedVersion = 0;
    /// Of `parsedVersion`, and of the last text without syntax errors.
    std::shared_ptr<const ShardingDocument> newest, lastWhole;
  };

  void parseInBackground();
  /// A file whose newest text is not parsed; null if there is none.
  llvm::StringMapEntry<File> *findStale();

  const mlir::DialectRegistry &registry;
  std::mutex mutex;
  std::condition_variable changed;
  llvm::StringMap<File> files;
  int64_t lastVersion = 0;
  bool isEnding = false;
  std::thread parser;
};

} // namespace shardwise::tools
