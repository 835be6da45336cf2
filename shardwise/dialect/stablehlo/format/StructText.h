// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of struct attributes: `<key = value, ..>`. Keys come in any order, at most once; a
// trailing comma is accepted. Printing leaves out empty lists and zero integers.

#pragma once

#include "mlir/IR/OpImplementation.h"

namespace shardwise::stablehlo {

/// A key and how to parse its value.
struct StructField {
  llvm::StringRef key;
  llvm::function_ref<mlir::ParseResult()> parse;
};

/// Parses fields up to the closing `>`; the opening `<` has been read. Fails on an unknown or
/// repeated key.
mlir::ParseResult parseStructFields(mlir::AsmParser &parser, llvm::ArrayRef<StructField> fields);

/// Parses `[0, 1]`.
mlir::ParseResult parseDims(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &dims);
/// Prints `[0, 1]`.
void printDims(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dims);

/// Prints `key = value` fields with commas between them.
class StructPrinter {
public:
  explicit StructPrinter(mlir::AsmPrinter &printer) : printer(printer) { printer << '<'; }
  ~StructPrinter() { printer << '>'; }

  /// Starts a field and returns the printer for its value.
  mlir::AsmPrinter &field(llvm::StringRef key);
  /// Prints a list, unless it is empty.
  void dims(llvm::StringRef key, llvm::ArrayRef<int64_t> value);
  /// Prints an integer, unless it is 0.
  void integer(llvm::StringRef key, int64_t value);

private:
  mlir::AsmPrinter &printer;
  bool first = true;
};

} // namespace shardwise::stablehlo
