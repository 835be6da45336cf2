// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the relay remembers of requests, and what it adds to replies.

#include "shardwise/tools/shardwise-lsp-server/LspRelay.h"

#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace shardwise::tools {

static std::string toText(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

//===----------------------------------------------------------------------===//
// From the editor
//===----------------------------------------------------------------------===//

void LspRelay::relayRequests(int fromEditor, int toServer) {
  FrameReader reader(fromEditor);
  while (std::optional<std::string> body = reader.read()) {
    bool isLast = false;
    if (llvm::Expected<json::Value> message = json::parse(*body))
      isLast = !noteRequest(*message);
    else
      llvm::consumeError(message.takeError()); // the server answers it
    if (!writeFrame(toServer, *body) || isLast)
      return;
  }
}

bool LspRelay::noteRequest(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  std::optional<llvm::StringRef> method = object ? object->getString("method") : std::nullopt;
  if (!method)
    return true;
  if (*method == "exit")
    return false;
  const json::Object *params = object->getObject("params");
  const json::Value *id = object->get("id");
  std::lock_guard lock(mutex);
  if (id && *method == "initialize")
    initializes.insert(toText(*id));
  if (params && method->starts_with("textDocument/did"))
    noteText(*params, *method);
  if (id && params && *method == "textDocument/hover") {
    const json::Object *file = params->getObject("textDocument");
    const json::Object *position = params->getObject("position");
    if (file && position)
      hovers[toText(*id)] = {file->getString("uri").value_or("").str(),
                             static_cast<int>(position->getInteger("line").value_or(0)),
                             static_cast<int>(position->getInteger("character").value_or(0))};
  }
  return true;
}

void LspRelay::noteText(const json::Object &params, llvm::StringRef method) {
  const json::Object *file = params.getObject("textDocument");
  std::optional<llvm::StringRef> uri = file ? file->getString("uri") : std::nullopt;
  if (!uri)
    return;
  if (method == "textDocument/didClose") {
    files.erase(*uri);
    return;
  }
  std::optional<llvm::StringRef> text = file->getString("text");
  // The whole text comes with every change: completeReply tells the editor to send it.
  if (const json::Array *changes = params.getArray("contentChanges"))
    for (const json::Value &change : *changes)
      if (const json::Object *object = change.getAsObject())
        text = object->getString("text");
  if (!text)
    return;
  OpenFile &open = files[*uri];
  open.text = text->str();
  open.document.reset();
}

//===----------------------------------------------------------------------===//
// From the server
//===----------------------------------------------------------------------===//

void LspRelay::relayReplies(int fromServer, int toEditor) {
  FrameReader reader(fromServer);
  while (std::optional<std::string> body = reader.read()) {
    llvm::Expected<json::Value> message = json::parse(*body);
    if (!message)
      llvm::consumeError(message.takeError());
    else if (completeReply(*message))
      body = toText(*message);
    if (!writeFrame(toEditor, *body))
      return;
  }
}

bool LspRelay::completeReply(json::Value &message) {
  json::Object *object = message.getAsObject();
  const json::Value *id = object ? object->get("id") : nullptr;
  // Requests of the server's own have a method.
  if (!id || object->get("method"))
    return false;
  std::lock_guard lock(mutex);
  if (initializes.erase(toText(*id))) {
    json::Object *result = object->getObject("result");
    json::Object *capabilities = result ? result->getObject("capabilities") : nullptr;
    json::Object *sync = capabilities ? capabilities->getObject("textDocumentSync") : nullptr;
    if (sync)
      (*sync)["change"] = 1; // whole texts, so that edits need not be replayed here
    return sync != nullptr;
  }
  auto request = hovers.find(toText(*id));
  if (request == hovers.end())
    return false;
  addHover(*object, request->second);
  hovers.erase(request);
  return true;
}

void LspRelay::addHover(json::Object &message, const HoverRequest &request) {
  auto file = files.find(request.uri);
  if (file == files.end() || message.get("error"))
    return;
  OpenFile &open = file->second;
  if (!open.document)
    open.document = std::make_unique<ShardingDocument>(registry, open.text);
  std::string added = open.document->hover(request.line, request.column);
  if (added.empty())
    return;
  json::Object *result = message.getObject("result");
  json::Object *contents = result ? result->getObject("contents") : nullptr;
  if (!contents) {
    message["result"] =
        json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", added}}}};
    return;
  }
  std::string text = contents->getString("value").value_or("").str();
  (*contents)["value"] = added + "\n---\n\n" + text;
}

} // namespace shardwise::tools
