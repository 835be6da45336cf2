// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread that parses, and answers from what was parsed last. A file is stale while its version
// is not the one that was parsed. The parser works without the lock on a copy of the text, so
// typing never waits for it; texts that were replaced before their turn are never parsed.
// A hover waits until the newest text is parsed. If that has errors, the last text without any is
// asked for the name under the cursor: half a line typed somewhere should not make all hovers
// empty.

#include "shardwise/tools/shardwise-lsp-server/OpenDocuments.h"

namespace shardwise::tools {

OpenDocuments::OpenDocuments(const mlir::DialectRegistry &registry)
    : registry(registry), parser([this] { parseInBackground(); }) {}

OpenDocuments::~OpenDocuments() {
  {
    std::lock_guard lock(mutex);
    isEnding = true;
  }
  changed.notify_all();
  parser.join();
}

void OpenDocuments::set(llvm::StringRef uri, llvm::StringRef text) {
  {
    std::lock_guard lock(mutex);
    File &file = files[uri];
    file.text = text.str();
    file.version = ++lastVersion;
  }
  changed.notify_all();
}

void OpenDocuments::close(llvm::StringRef uri) {
  {
    std::lock_guard lock(mutex);
    files.erase(uri);
  }
  changed.notify_all();
}

llvm::StringMapEntry<OpenDocuments::File> *OpenDocuments::findStale() {
  for (auto &entry : files)
    if (entry.second.version != entry.second.parsedVersion)
      return &entry;
  return nullptr;
}

void OpenDocuments::parseInBackground() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return isEnding || findStale(); });
    if (isEnding)
      return;
    // Copies: without the lock the entry may go away. Versions are counted over all files, so that
    // a file which is closed and opened again does not look like the one that is being parsed.
    auto *stale = findStale();
    std::string uri = stale->first().str();
    std::string text = stale->second.text;
    int64_t version = stale->second.version;
    lock.unlock();
    auto document = std::make_shared<const ShardingDocument>(registry, text);
    lock.lock();
    // The file may have been closed, or opened again, meanwhile; a newer text is the next turn's.
    auto file = files.find(uri);
    if (file == files.end() || file->second.version < version)
      continue;
    file->second.parsedVersion = version;
    file->second.newest = document;
    if (document->isWhole())
      file->second.lastWhole = document;
    // Wakes hovers that wait for this file.
    changed.notify_all();
  }
}

std::string OpenDocuments::hover(llvm::StringRef uri, TextPosition position) {
  std::unique_lock lock(mutex);
  auto isReady = [&] {
    auto file = files.find(uri);
    return isEnding || file == files.end() || file->second.version == file->second.parsedVersion;
  };
  changed.wait(lock, isReady);
  auto file = files.find(uri);
  // The file may have been closed meanwhile.
  if (isEnding || file == files.end())
    return {};
  if (std::string said = file->second.newest->hover(position); !said.empty())
    return said;
  if (file->second.newest->isWhole() || !file->second.lastWhole)
    return {};
  llvm::StringRef text = file->second.text;
  std::string said = file->second.lastWhole->hover(valueNameAt(text, find(text, position)));
  return said.empty() ? said : said + "\n*(before the text had errors)*\n";
}

std::vector<std::string> OpenDocuments::complete(llvm::StringRef uri, TextPosition position) {
  std::lock_guard lock(mutex);
  auto file = files.find(uri);
  if (file == files.end())
    return {};
  llvm::StringRef text = file->second.text;
  return namesInShardingAt(text, find(text, position));
}

bool OpenDocuments::isSafeToComplete(llvm::StringRef uri, TextPosition position) {
  std::lock_guard lock(mutex);
  auto file = files.find(uri);
  if (file == files.end())
    return true;
  llvm::StringRef text = file->second.text;
  return !usesLaterResultAt(text, find(text, position));
}

} // namespace shardwise::tools
