// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the relay remembers of requests, and what it adds to replies. A request that asks about a
// position is noted by its id; the reply with that id gets what the shardings say of the position.
// Texts of files are kept besides, since only requests for changes have them.
//
// Two threads: one reads from the editor, one from the server. Each has the one descriptor that it
// reads to itself. What both touch is what `mutex` guards (open requests, refused texts), and the
// stream to the editor, to which the first thread writes as well when it answers by itself
// (`editorMutex`). A request is noted before it is passed on: its reply cannot come first.
//
// Two kinds of messages would end the server: completion at some places, which is answered here,
// and texts that its parser could not bear, in whose place it sees empty ones; what is wrong with
// these is then told in the diagnostics that it sends.

#include "shardwise/tools/shardwise-lsp-server/LspRelay.h"

#include "llvm/Support/raw_ostream.h"

namespace json = llvm::json;

namespace shardwise::tools {

static std::string toText(const json::Value &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static int intOf(const json::Object &object, llvm::StringRef key) {
  return static_cast<int>(object.getInteger(key).value_or(0));
}

//===----------------------------------------------------------------------===//
// From the editor
//===----------------------------------------------------------------------===//

void LspRelay::relayRequests(int fromEditor, int toServer, int toEditor) {
  FrameReader reader(fromEditor);
  while (std::optional<std::string> body = reader.read()) {
    bool isLast = false;
    if (llvm::Expected<json::Value> message = json::parse(*body)) {
      isLast = !noteRequest(*message);
      if (hideRefusedText(*message))
        body = toText(*message);
      // The server never sees the request, so its reply gets our part here.
      if (std::optional<json::Value> reply = answerItself(*message)) {
        completeReply(*reply);
        if (!writeToEditor(toEditor, toText(*reply)))
          return;
        continue;
      }
    } else {
      llvm::consumeError(message.takeError()); // the server answers it
    }
    if (!writeFrame(toServer, *body) || isLast)
      return;
  }
}

bool LspRelay::writeToEditor(int toEditor, llvm::StringRef body) {
  std::lock_guard lock(editorMutex);
  return writeFrame(toEditor, body);
}

std::optional<json::Value> LspRelay::answerItself(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  const json::Value *id = object ? object->get("id") : nullptr;
  PositionRequest request;
  {
    std::lock_guard lock(mutex);
    auto found = id ? requests.find(toText(*id)) : requests.end();
    if (found == requests.end() || found->second.method != "textDocument/completion")
      return std::nullopt;
    request = found->second;
  }
  if (documents.isSafeToComplete(request.uri, request.position))
    return std::nullopt;
  return json::Object{{"jsonrpc", "2.0"},
                      {"id", *id},
                      {"result", json::Object{{"isIncomplete", false}, {"items", json::Array()}}}};
}

bool LspRelay::noteRequest(const json::Value &message) {
  const json::Object *object = message.getAsObject();
  std::optional<llvm::StringRef> method = object ? object->getString("method") : std::nullopt;
  if (!method)
    return true;
  if (*method == "exit")
    return false;
  const json::Object *params = object->getObject("params");
  if (params && method->starts_with("textDocument/did"))
    noteText(*params, *method);
  const json::Value *id = object->get("id");
  if (!id)
    return true;
  std::lock_guard lock(mutex);
  if (*method == "initialize")
    initializes.insert(toText(*id));
  if (params && (*method == "textDocument/hover" || *method == "textDocument/completion")) {
    const json::Object *file = params->getObject("textDocument");
    const json::Object *position = params->getObject("position");
    if (file && position)
      requests[toText(*id)] = {method->str(),
                               file->getString("uri").value_or("").str(),
                               {intOf(*position, "line"), intOf(*position, "character")}};
  }
  return true;
}

void LspRelay::noteText(const json::Object &params, llvm::StringRef method) {
  const json::Object *file = params.getObject("textDocument");
  std::optional<llvm::StringRef> uri = file ? file->getString("uri") : std::nullopt;
  if (!uri)
    return;
  if (method == "textDocument/didClose")
    return documents.close(*uri);
  std::optional<llvm::StringRef> text = file->getString("text");
  // The whole text comes with every change: addCapabilities tells the editor to send it.
  if (const json::Array *changes = params.getArray("contentChanges"))
    for (const json::Value &change : *changes)
      if (const json::Object *object = change.getAsObject())
        text = object->getString("text");
  if (!text)
    return;
  documents.set(*uri, *text);
  std::optional<driver::TextError> error = driver::findTextError(*text);
  std::lock_guard lock(mutex);
  if (error)
    refused[*uri] = std::move(*error);
  else
    refused.erase(*uri);
}

bool LspRelay::hideRefusedText(json::Value &message) {
  json::Object *object = message.getAsObject();
  json::Object *params = object ? object->getObject("params") : nullptr;
  json::Object *file = params ? params->getObject("textDocument") : nullptr;
  if (!file || !object->getString("method").value_or("").starts_with("textDocument/did"))
    return false;
  {
    std::lock_guard lock(mutex);
    if (!refused.contains(file->getString("uri").value_or("")))
      return false;
  }
  if (file->getString("text"))
    (*file)["text"] = "";
  if (json::Array *changes = params->getArray("contentChanges"))
    *changes = json::Array{json::Object{{"text", ""}}};
  return true;
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
    if (!writeToEditor(toEditor, *body))
      return;
  }
}

/// Says what the relay needs, and at which characters it has something to offer.
static void addCapabilities(json::Object &result) {
  json::Object *capabilities = result.getObject("capabilities");
  if (!capabilities)
    return;
  if (json::Object *sync = capabilities->getObject("textDocumentSync"))
    (*sync)["change"] = 1; // whole texts, so that edits need not be replayed here
  if (json::Object *completion = capabilities->getObject("completionProvider"))
    if (json::Array *triggers = completion->getArray("triggerCharacters"))
      triggers->push_back("@");
}

/// Puts `added`, Markdown, in front of what the stock server says.
static void addHover(json::Object &message, const std::string &added) {
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

/// Adds names of meshes and axes to what the stock server offers.
static void addCompletions(json::Object &message, const std::vector<std::string> &names) {
  if (names.empty())
    return;
  json::Object *result = message.getObject("result");
  if (!result || !result->getArray("items")) {
    message["result"] = json::Object{{"isIncomplete", false}, {"items", json::Array()}};
    result = message.getObject("result");
  }
  constexpr int kEnumMember = 20, kPlainText = 1;
  for (const std::string &name : names)
    result->getArray("items")->push_back(json::Object{{"label", name},
                                                      {"insertText", name},
                                                      {"insertTextFormat", kPlainText},
                                                      {"kind", kEnumMember},
                                                      {"detail", "of the sharding's mesh"}});
}

bool LspRelay::completeDiagnostics(json::Object &params) {
  // The server has parsed an empty text in place of the refused one, and found nothing: what it
  // says of the file is replaced by the one error that it could not say.
  std::lock_guard lock(mutex);
  auto found = refused.find(params.getString("uri").value_or(""));
  if (found == refused.end())
    return false;
  const driver::TextError &error = found->second;
  auto positionAt = [&](int64_t column) {
    return json::Object{{"line", error.line - 1}, {"character", column}};
  };
  constexpr int kError = 1;
  params["diagnostics"] =
      json::Array{json::Object{{"range", json::Object{{"start", positionAt(error.column - 1)},
                                                      {"end", positionAt(error.column)}}},
                               {"severity", kError},
                               {"source", "shardwise"},
                               {"message", error.message}}};
  return true;
}

bool LspRelay::completeReply(json::Value &message) {
  json::Object *object = message.getAsObject();
  if (object && object->getString("method") == "textDocument/publishDiagnostics")
    if (json::Object *params = object->getObject("params"))
      return completeDiagnostics(*params);
  const json::Value *id = object ? object->get("id") : nullptr;
  // Requests of the server's own have a method.
  if (!id || object->get("method") || object->get("error"))
    return false;
  PositionRequest request;
  {
    std::lock_guard lock(mutex);
    if (initializes.erase(toText(*id))) {
      if (json::Object *result = object->getObject("result"))
        addCapabilities(*result);
      return true;
    }
    auto found = requests.find(toText(*id));
    if (found == requests.end())
      return false;
    request = std::move(found->second);
    requests.erase(found);
  }
  if (request.method == "textDocument/hover")
    addHover(*object, documents.hover(request.uri, request.position));
  else
    addCompletions(*object, documents.complete(request.uri, request.position));
  return true;
}

} // namespace shardwise::tools
