// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parser and printer of struct attributes.

#include "shardwise/dialect/stablehlo/format/StructText.h"

using namespace mlir;

namespace shardwise::stablehlo {

ParseResult parseStructFields(AsmParser &parser, ArrayRef<StructField> fields) {
  llvm::SmallBitVector seen(fields.size());
  while (failed(parser.parseOptionalGreater())) {
    SMLoc location = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key))
      return failure();
    const auto *field = llvm::find_if(fields, [&](const StructField &f) { return f.key == key; });
    if (field == fields.end()) {
      InFlightDiagnostic diagnostic = parser.emitError(location)
                                      << "unknown key '" << key << "', expected one of: ";
      llvm::interleaveComma(fields, diagnostic, [&](const StructField &f) { diagnostic << f.key; });
      return diagnostic;
    }
    size_t index = field - fields.begin();
    if (seen.test(index))
      return parser.emitError(location) << "duplicated '" << key << "' entry";
    seen.set(index);
    if (parser.parseEqual() || field->parse())
      return failure();
    if (succeeded(parser.parseOptionalComma()))
      continue;
    return parser.parseGreater();
  }
  return success();
}

ParseResult parseDims(AsmParser &parser, SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(dims.emplace_back()); });
}

void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer);
  printer << ']';
}

AsmPrinter &StructPrinter::field(StringRef key) {
  if (!first)
    printer << ", ";
  first = false;
  printer << key << " = ";
  return printer;
}

void StructPrinter::dims(StringRef key, ArrayRef<int64_t> value) {
  if (!value.empty())
    printDims(field(key), value);
}

void StructPrinter::integer(StringRef key, int64_t value) {
  if (value != 0)
    field(key) << value;
}

} // namespace shardwise::stablehlo
