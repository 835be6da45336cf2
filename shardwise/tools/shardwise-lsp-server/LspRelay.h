// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sits between an editor and MLIR's stock language server and adds shardings to what it says on
// hovering. The stock server has no place for such text, so its replies are completed on the way.
//
//     editor --requests--> relay --requests--> stock server
//     editor <--replies--- relay <--replies--- stock server
//
// Two threads, one per direction; each returns when its input ends.

#pragma once

#include "shardwise/tools/shardwise-lsp-server/LspFrames.h"
#include "shardwise/tools/shardwise-lsp-server/ShardingDocument.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace shardwise::tools {

class LspRelay {
public:
  explicit LspRelay(const mlir::DialectRegistry &registry) : registry(registry) {}

  /// Passes the editor's messages on until the input ends or the editor says `exit`.
  void relayRequests(int fromEditor, int toServer);
  /// Passes the server's messages on, completed, until it closes its end.
  void relayReplies(int fromServer, int toEditor);

private:
  struct HoverRequest {
    std::string uri;
    int line = 0;
    int column = 0;
  };
  struct OpenFile {
    std::string text;
    /// Made on the first hover after a change.
    std::unique_ptr<ShardingDocument> document;
  };

  /// Returns false if `message` is the last one.
  bool noteRequest(const llvm::json::Value &message);
  void noteText(const llvm::json::Object &params, llvm::StringRef method);
  /// Returns whether `message` was changed.
  bool completeReply(llvm::json::Value &message);
  void addHover(llvm::json::Object &message, const HoverRequest &request);

  const mlir::DialectRegistry &registry;
  std::mutex mutex;
  /// By the text of the request's id, a number or a string.
  llvm::StringMap<HoverRequest> hovers;
  std::set<std::string> initializes;
  llvm::StringMap<OpenFile> files;
};

} // namespace shardwise::tools
