// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places for diagnostics that have none, and source lines of a readable length. Programs that JAX
// prints have lines of thousands of columns; of these a window around the place is shown:
//   model.mlir:12:3041: error: ...
//   ...replicated={"y"}>} : tensor<8x4xf32>, %arg7: tensor<4xf32> ...

#include "shardwise/driver/ProgramDiagnostics.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>

using namespace mlir;

namespace shardwise::driver {
namespace {

/// Columns of a source line that are shown, and those before the place.
constexpr size_t kShownColumns = 120;
constexpr size_t kColumnsBefore = 50;

void printKind(llvm::SourceMgr::DiagKind kind, llvm::raw_ostream &os) {
  switch (kind) {
  case llvm::SourceMgr::DK_Error:
    llvm::WithColor(os, llvm::HighlightColor::Error) << "error: ";
    return;
  case llvm::SourceMgr::DK_Warning:
    llvm::WithColor(os, llvm::HighlightColor::Warning) << "warning: ";
    return;
  case llvm::SourceMgr::DK_Note:
    llvm::WithColor(os, llvm::HighlightColor::Note) << "note: ";
    return;
  case llvm::SourceMgr::DK_Remark:
    llvm::WithColor(os, llvm::HighlightColor::Remark) << "remark: ";
    return;
  }
}

/// The part of `line` around `column`, and a caret below it. Control characters and what is no
/// UTF-8 would garble a terminal.
void printSourceLine(llvm::StringRef line, size_t column, llvm::raw_ostream &os) {
  line = line.rtrim();
  if (line.empty() || !llvm::json::isUTF8(line))
    return;
  // Bytes count as columns, as they do in MLIR's locations. A window may cut a character of several
  // bytes at its ends, which a terminal shows as one unknown character.
  bool isLong = line.size() > kShownColumns;
  size_t begin = isLong ? column - std::min(column, kColumnsBefore) : 0;
  std::string shown = line.substr(begin, kShownColumns).str();
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  llvm::StringRef before = begin > 0 ? "..." : "";
  llvm::StringRef after = begin + kShownColumns < line.size() ? "..." : "";
  os << before << shown << after << "\n";
  os.indent(before.size() + column - begin);
  llvm::WithColor(os, llvm::raw_ostream::GREEN, /*Bold=*/true) << "^";
  os << "\n";
}

void printLocated(const llvm::SMDiagnostic &diagnostic, void *stream) {
  llvm::raw_ostream &os = *static_cast<llvm::raw_ostream *>(stream);
  if (diagnostic.getLineNo() > 0)
    os << diagnostic.getFilename() << ":" << diagnostic.getLineNo() << ":"
       << diagnostic.getColumnNo() + 1 << ": ";
  printKind(diagnostic.getKind(), os);
  os << diagnostic.getMessage() << "\n";
  if (diagnostic.getLineNo() > 0 && diagnostic.getColumnNo() >= 0)
    printSourceLine(diagnostic.getLineContents(), diagnostic.getColumnNo(), os);
}

} // namespace

ProgramDiagnostics::ProgramDiagnostics(llvm::SourceMgr &source, MLIRContext *context,
                                       llvm::raw_ostream &errors)
    : SourceMgrDiagnosticHandler(source, context, errors) {
  // The base class prints by way of the source manager, after our handler has placed the
  // diagnostic.
  source.setDiagHandler(printLocated, &errors);
  setHandler([this](Diagnostic &diagnostic) { emitAtPlace(diagnostic); });
}

Location ProgramDiagnostics::placeOf(Location location) const {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (place && place.getLine() > 0)
    return location;
  return FileLineColLoc::get(location.getContext(),
                             place ? place.getFilename().getValue() : llvm::StringRef(program), 1,
                             1);
}

void ProgramDiagnostics::emitAtPlace(const Diagnostic &diagnostic) {
  Diagnostic placed(placeOf(diagnostic.getLocation()), diagnostic.getSeverity());
  placed << diagnostic.str();
  for (const Diagnostic &note : diagnostic.getNotes())
    placed.attachNote(placeOf(note.getLocation())) << note.str();
  emitDiagnostic(placed);
}

} // namespace shardwise::driver
