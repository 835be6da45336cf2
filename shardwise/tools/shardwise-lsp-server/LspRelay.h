// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sits between an editor and MLIR's stock language server, and adds shardings to what it says on
// hovering, and names of meshes and axes to what it offers. The stock server has no place for
// either, so its replies are completed on the way.
//
//     editor --requests--> relay --requests--> stock server
//     editor <--replies--- relay <--replies--- stock server
//
// Two threads, one per direction; each returns when its input ends.

#pragma once

#include "shardwise/driver/TextLimits.h"
#include "shardwise/tools/shardwise-lsp-server/LspFrames.h"
#include "shardwise/tools/shardwise-lsp-server/OpenDocuments.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace shardwise::tools {

/// The relay, and what it remembers of both directions. `mutex` guards that, `editorMutex` lets one
/// message at a time go to the editor.
class LspRelay {
public:
  explicit LspRelay(const mlir::DialectRegistry &registry) : documents(registry) {}

  /// Passes the editor's messages on until the input ends or the editor says `exit`. Answers those
  /// itself that the server would not survive.
  void relayRequests(int fromEditor, int toServer, int toEditor);
  /// Passes the server's messages on, completed, until it closes its end.
  void relayReplies(int fromServer, int toEditor);

private:
  /// A request that asks about a position.
  struct PositionRequest {
    std::string method;
    std::string uri;
    TextPosition position;
  };

  /// Returns false if `message` is the last one.
  bool noteRequest(const llvm::json::Value &message);
  void noteText(const llvm::json::Object &params, llvm::StringRef method);
  /// The reply to a request that must not reach the server; none for all others.
  std::optional<llvm::json::Value> answerItself(const llvm::json::Value &message);
  bool writeToEditor(int toEditor, llvm::StringRef body);
  /// Empties the text in `message` if the server must not see it, and returns whether it
  /// does.
  bool hideRefusedText(llvm::json::Value &message);
  /// Returns whether `message` was changed.
  bool completeReply(llvm::json::Value &message);
  /// Says why the server saw no text, if it saw none. Returns whether it did.
  bool completeDiagnostics(llvm::json::Object &params);

  OpenDocuments documents;
  std::mutex mutex, editorMutex;
  /// By the text of the request's id, a number or a string.
  llvm::StringMap<PositionRequest> requests;
  std::set<std::string> initializes;
  /// Files that the server must not see, by URI.
  llvm::StringMap<driver::TextError> refused;
};

} // namespace shardwise::tools
