// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cholesky and triangular_solve over batches of matrices, and the LAPACK calls that JAX emits for
// the same jobs. f16 and bf16 are computed in f32.

#include "shardwise/execute/Conversion.h"
#include "shardwise/execute/Factorization.h"
#include "shardwise/execute/Lowering.h"
#include "shardwise/execute/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace shardwise::execute {
namespace {

using stablehlo::Transpose;

/// A batch of matrices in the last two dimensions of a tensor.
struct MatrixBatch {
  DataType type = DataType::F32;
  int64_t count = 1, rows = 1, columns = 1;

  MatrixBatch() = default;
  explicit MatrixBatch(const TensorType &tensor) : type(tensor.type) {
    size_t rank = tensor.shape.size();
    rows = tensor.shape[rank - 2];
    columns = tensor.shape[rank - 1];
    count = elementCount(std::span(tensor.shape).first(rank - 2));
  }

  int64_t matrixBytes() const { return rows * columns * runtime::byteSize(type); }
  /// The matrix with number `index` of the tensor at `data`.
  DenseMatrix at(std::byte *data, int64_t index) const {
    return {type, data + index * matrixBytes(), columns};
  }
};

/// Writes zeros below (or above) the diagonal.
void clearTriangle(DenseMatrix a, int64_t n, bool isBelow) {
  int64_t bytes = runtime::byteSize(a.type);
  for (int64_t i = 0; i < n; ++i) {
    int64_t begin = isBelow ? 0 : i + 1;
    int64_t end = isBelow ? i : n;
    if (begin < end)
      std::memset(a.from(i, begin).data, 0, static_cast<size_t>((end - begin) * bytes));
  }
}

/// Copies what is below (or above) the diagonal.
void copyTriangle(DenseMatrix source, DenseMatrix target, int64_t n, bool isBelow) {
  int64_t bytes = runtime::byteSize(source.type);
  for (int64_t i = 0; i < n; ++i) {
    int64_t begin = isBelow ? 0 : i + 1;
    int64_t end = isBelow ? i : n;
    copyBytes(target.from(i, begin).data, source.from(i, begin).data, (end - begin) * bytes);
  }
}

void fillNaN(DenseMatrix a, int64_t n) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::byte element[16];
  Conversion(DataType::F64, a.type).run(reinterpret_cast<const std::byte *>(&kNaN), element, 1);
  fillElements(a.data, element, runtime::byteSize(a.type), n * n);
}

/// Whether the diagonal element is a positive number; complex ones have no imaginary part.
bool isPositive(DenseMatrix element) {
  bool isDouble = runtime::realPartType(element.type) == DataType::F64;
  double value = 0;
  if (isDouble) {
    std::memcpy(&value, element.data, sizeof(double));
  } else {
    float narrow = 0;
    std::memcpy(&narrow, element.data, sizeof(float));
    value = static_cast<double>(narrow);
  }
  return value > 0;
}

class CholeskyThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    int64_t n = batch.rows;
    std::byte *work = frame.at(scratch);
    DenseMatrix upper = {batch.type,
                         work + choleskyScratchElements(n) * runtime::byteSize(batch.type), n};
    for (int64_t index = 0; index < batch.count; ++index) {
      DenseMatrix source = batch.at(frame.at(input), index);
      DenseMatrix target = batch.at(frame.at(result), index);
      if (isLower) {
        // a = L L^H is U^H U for U = L^H, read from the triangle that is given.
        transposeMatrix(source, n, n, upper, /*isConjugated=*/true);
        factorCholesky(upper, n, work);
        transposeMatrix(upper, n, n, target, /*isConjugated=*/true);
      } else {
        copyBytes(target.data, source.data, batch.matrixBytes());
        factorCholesky(target, n, work);
      }
      finish(frame, index, source, target);
    }
    return {};
  }
  std::string name() const override { return "cholesky"; }

  MatrixBatch batch;
  bool isLower = false;
  BufferId input = -1, result = -1, scratch = -1;
  BufferId info = -1; ///< Where LAPACK's status goes, if that is wanted.

private:
  /// What is not the factor: LAPACK leaves the other triangle as it was; else it is zero, and all
  /// is NaN without a factor.
  void finish(Frame &frame, int64_t index, DenseMatrix source, DenseMatrix target) const {
    int64_t n = batch.rows;
    int32_t failure = failureOf(target, n);
    if (info >= 0) {
      frame.as<int32_t>(info)[index] = failure;
      copyTriangle(source, target, n, /*isBelow=*/!isLower);
      return;
    }
    if (failure != 0)
      fillNaN(target, n);
    clearTriangle(target, n, /*isBelow=*/!isLower);
  }

  /// LAPACK's status: the order of the first leading minor that is not positive, or 0.
  static int32_t failureOf(DenseMatrix factor, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      if (!isPositive(factor.from(i, i)))
        return static_cast<int32_t>(i + 1);
    return 0;
  }
};

/// op(a) x = b or x op(a) = b. Everything becomes a solve from the left with a as it lies or with
/// its transpose: x op(a) = b says the same as op(a)^T x^T = b^T.
class TriangularSolveThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    int64_t n = right.rows * right.columns / std::max<int64_t>(size(), 1);
    std::byte *factor = frame.at(scratch);
    std::byte *turned = factor + left.matrixBytes();
    for (int64_t index = 0; index < left.count; ++index) {
      DenseMatrix a = left.at(frame.at(matrix), index);
      DenseMatrix b = right.at(frame.at(values), index);
      DenseMatrix x = right.at(frame.at(result), index);
      Triangle used = triangle;
      if (isLeft ? transpose != Transpose::NO_TRANSPOSE : transpose == Transpose::NO_TRANSPOSE) {
        DenseMatrix other = {left.type, factor, size()};
        transposeMatrix(a, size(), size(), other, transpose == Transpose::ADJOINT);
        used.isLower = !used.isLower;
        a = other;
      }
      if (isLeft) {
        if (x.data != b.data)
          copyBytes(x.data, b.data, right.matrixBytes());
        solveTriangular(a, used, size(), x, n);
      } else {
        // For x a^H = b the adjoint of the equation has `a` itself.
        bool isConjugated = transpose == Transpose::ADJOINT;
        DenseMatrix columns = {right.type, turned, n};
        transposeMatrix(b, n, size(), columns, isConjugated);
        solveTriangular(a, used, size(), columns, n);
        transposeMatrix(columns, size(), n, x, isConjugated);
      }
    }
    return {};
  }
  std::string name() const override { return "triangular_solve"; }

  int64_t size() const { return left.rows; }
  int64_t scratchBytes() const { return left.matrixBytes() + (isLeft ? 0 : right.matrixBytes()); }

  MatrixBatch left, right;
  Triangle triangle;
  bool isLeft = true;
  Transpose transpose = Transpose::NO_TRANSPOSE;
  BufferId matrix = -1, values = -1, result = -1, scratch = -1;
};

/// LAPACK's getrf: factors, pivot rows counted from 1, status.
class LUThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    int64_t numPivots = std::min(batch.rows, batch.columns);
    for (int64_t index = 0; index < batch.count; ++index) {
      DenseMatrix source = batch.at(frame.at(input), index);
      DenseMatrix target = batch.at(frame.at(result), index);
      if (source.data != target.data)
        copyBytes(target.data, source.data, batch.matrixBytes());
      int32_t *rows = frame.as<int32_t>(pivots) + index * numPivots;
      factorLU(target, batch.rows, batch.columns, rows);
      int32_t status = 0;
      for (int64_t j = numPivots; j-- > 0;) {
        ++rows[j];
        if (isZero(target.from(j, j)))
          status = static_cast<int32_t>(j + 1);
      }
      frame.as<int32_t>(info)[index] = status;
    }
    return {};
  }
  std::string name() const override { return "lu"; }

  MatrixBatch batch;
  BufferId input = -1, result = -1, pivots = -1, info = -1;

private:
  static bool isZero(DenseMatrix element) {
    // Both zeros: no bit but the sign is set.
    auto bytes = static_cast<size_t>(runtime::byteSize(element.type));
    bool isDouble = runtime::realPartType(element.type) == DataType::F64;
    size_t width = isDouble ? sizeof(double) : sizeof(float);
    for (size_t part = 0; part < bytes; part += width)
      for (size_t i = 0; i < width; ++i) {
        auto bits = std::to_integer<unsigned>(element.data[part + i]);
        if ((i + 1 == width ? bits & 0x7fU : bits) != 0)
          return false;
      }
    return true;
  }
};

/// The type to factor matrices of `type` in.
DataType factorType(DataType type) {
  return type == DataType::F16 || type == DataType::BF16 ? DataType::F32 : type;
}

TensorType typeOf(mlir::Value value) {
  return *tensorTypeOf(value.getType());
}

/// Emits the factorisation of `operand`; the status goes to `info` if there is one.
LogicalResult emitCholesky(FunctionLowering &lowering, mlir::Value operand, mlir::Value result,
                           mlir::Value info, bool isLower) {
  TensorType type = typeOf(operand);
  DataType work = factorType(type.type);
  auto thunk = std::make_unique<CholeskyThunk>();
  thunk->batch = MatrixBatch({work, type.shape});
  thunk->isLower = isLower;
  thunk->input = lowering.bufferAs(operand, work);
  int64_t n = thunk->batch.rows;
  thunk->scratch = lowering.scratch((choleskyScratchElements(n) + (isLower ? n * n : 0)) *
                                    runtime::byteSize(work));
  BufferId read = thunk->input;
  BufferId target = thunk->result = lowering.defineAs(result, work);
  std::vector<BufferId> writes = {thunk->scratch, target};
  if (info)
    writes.push_back(thunk->info = lowering.define(info));
  lowering.emit(std::move(thunk), read, writes);
  lowering.finishAs(result, target, work);
  return mlir::success();
}

struct SolveOptions {
  Triangle triangle;
  bool isLeft = true;
  Transpose transpose = Transpose::NO_TRANSPOSE;
};

LogicalResult emitSolve(FunctionLowering &lowering, mlir::Value a, mlir::Value b,
                        mlir::Value result, const SolveOptions &options) {
  DataType work = factorType(typeOf(a).type);
  auto thunk = std::make_unique<TriangularSolveThunk>();
  thunk->left = MatrixBatch({work, typeOf(a).shape});
  thunk->right = MatrixBatch({work, typeOf(b).shape});
  thunk->triangle = options.triangle;
  thunk->isLeft = options.isLeft;
  thunk->transpose = options.transpose;
  thunk->matrix = lowering.bufferAs(a, work);
  thunk->values = lowering.bufferAs(b, work);
  thunk->scratch = lowering.scratch(thunk->scratchBytes());
  BufferId reads[] = {thunk->matrix, thunk->values};
  BufferId target = thunk->result = lowering.defineAs(result, work);
  BufferId writes[] = {thunk->scratch, target};
  int64_t at = lowering.emit(std::move(thunk), reads, writes);
  if (reads[0] != reads[1] && options.isLeft)
    lowering.bufferPlan().mayReplace(target, reads[1], at);
  lowering.finishAs(result, target, work);
  return mlir::success();
}

/// The character that a LAPACK call has as attribute `name`; a diagnostic if it is none of
/// `allowed`.
mlir::FailureOr<char> characterOf(stablehlo::CustomCallOp op, llvm::StringRef name,
                                  llvm::StringRef allowed) {
  auto options = op->getAttrOfType<mlir::DictionaryAttr>("mhlo.backend_config");
  if (!options)
    options = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(
        op->getInherentAttr("backend_config").value_or(mlir::Attribute()));
  auto code = options ? options.getAs<mlir::IntegerAttr>(name) : mlir::IntegerAttr();
  char character = code ? static_cast<char>(code.getValue().getZExtValue()) : '\0';
  if (!code || !allowed.contains(character))
    return op.emitOpError() << "'" << op.getCallTargetName() << "' has no '" << name
                            << "' that is supported; expected the code of one of the characters '"
                            << allowed << "' in its backend_config";
  return character;
}

/// The element type of the LAPACK routine called `lapack_?..._ffi`.
DataType lapackType(llvm::StringRef target) {
  return target.consume_front("lapack_s") ? DataType::F32 : DataType::F64;
}

/// Checks types, counts, ranks and the status results of a LAPACK call.
LogicalResult checkSignature(stablehlo::CustomCallOp op, unsigned numOperands, unsigned numResults,
                             bool isSquare) {
  auto refuse = [&]() {
    return op.emitOpError() << "'" << op.getCallTargetName()
                            << "' has operands and results that do not fit it; expected "
                            << numOperands << " batches of matrices of "
                            << runtime::toString(lapackType(op.getCallTargetName())).data()
                            << ", and " << numResults << " results";
  };
  if (op->getNumOperands() != numOperands || op->getNumResults() != numResults)
    return refuse();
  TensorType matrix = typeOf(op->getOperand(0));
  size_t rank = matrix.shape.size();
  if (rank < 2 || matrix.type != lapackType(op.getCallTargetName()) ||
      (isSquare && matrix.shape[rank - 1] != matrix.shape[rank - 2]))
    return refuse();
  mlir::Value last = op->getOperands().back();
  if (typeOf(last).type != matrix.type || typeOf(last).shape.size() != rank ||
      typeOf(op->getResult(0)) != typeOf(last))
    return refuse();
  std::vector<int64_t> batch(matrix.shape.begin(), matrix.shape.end() - 2);
  if (typeOf(last).shape.size() != rank ||
      !std::equal(batch.begin(), batch.end(), typeOf(last).shape.begin()))
    return refuse();
  if (numResults > 1 && typeOf(op->getResults().back()) != TensorType{DataType::I32, batch})
    return refuse();
  if (numResults > 2) {
    batch.push_back(std::min(matrix.shape[rank - 1], matrix.shape[rank - 2]));
    if (typeOf(op->getResult(1)) != TensorType{DataType::I32, batch})
      return refuse();
  }
  return mlir::success();
}

LogicalResult lowerPotrf(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  if (mlir::failed(checkSignature(op, 1, 2, /*isSquare=*/true)))
    return mlir::failure();
  mlir::FailureOr<char> triangle = characterOf(op, "uplo", "LU");
  if (mlir::failed(triangle))
    return mlir::failure();
  return emitCholesky(lowering, op->getOperand(0), op->getResult(0), op->getResult(1),
                      *triangle == 'L');
}

LogicalResult lowerTrsm(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  if (mlir::failed(checkSignature(op, 2, 1, /*isSquare=*/true)))
    return mlir::failure();
  mlir::FailureOr<char> side = characterOf(op, "side", "LR");
  mlir::FailureOr<char> triangle = characterOf(op, "uplo", "LU");
  mlir::FailureOr<char> transpose = characterOf(op, "trans_x", "NTC");
  mlir::FailureOr<char> diagonal = characterOf(op, "diag", "NU");
  if (mlir::failed(side) || mlir::failed(triangle) || mlir::failed(transpose) ||
      mlir::failed(diagonal))
    return mlir::failure();
  SolveOptions options;
  options.isLeft = *side == 'L';
  options.triangle = {*triangle == 'L', *diagonal == 'U'};
  options.transpose = *transpose == 'N'   ? Transpose::NO_TRANSPOSE
                      : *transpose == 'T' ? Transpose::TRANSPOSE
                                          : Transpose::ADJOINT;
  const std::vector<int64_t> shape = typeOf(op->getOperand(1)).shape;
  int64_t shared = shape[shape.size() - (options.isLeft ? 2 : 1)];
  if (shared != typeOf(op->getOperand(0)).shape.back())
    return op.emitOpError() << "solves with " << op->getOperand(0).getType() << " for "
                            << op->getOperand(1).getType()
                            << "; expected the size of the matrix in the dimension that is solved";
  return emitSolve(lowering, op->getOperand(0), op->getOperand(1), op->getResult(0), options);
}

LogicalResult lowerGetrf(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  if (mlir::failed(checkSignature(op, 1, 3, /*isSquare=*/false)))
    return mlir::failure();
  auto thunk = std::make_unique<LUThunk>();
  thunk->batch = MatrixBatch(typeOf(op->getOperand(0)));
  BufferId input = thunk->input = lowering.bufferOf(op->getOperand(0));
  BufferId result = thunk->result = lowering.define(op->getResult(0));
  thunk->pivots = lowering.define(op->getResult(1));
  thunk->info = lowering.define(op->getResult(2));
  BufferId writes[] = {thunk->result, thunk->pivots, thunk->info};
  int64_t at = lowering.emit(std::move(thunk), input, writes);
  lowering.bufferPlan().mayReplace(result, input, at);
  return mlir::success();
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::CholeskyOp op) {
  return emitCholesky(lowering, op.getA(), op.getResult(), {}, op.getLower());
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::TriangularSolveOp op) {
  SolveOptions options;
  options.triangle = {op.getLower(), op.getUnitDiagonal()};
  options.isLeft = op.getLeftSide();
  options.transpose = op.getTransposeA();
  return emitSolve(lowering, op.getA(), op.getB(), op.getResult(), options);
}

std::optional<LogicalResult> lowerLapack(FunctionLowering &lowering, stablehlo::CustomCallOp op) {
  llvm::StringRef target = op.getCallTargetName();
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") || target.size() < 2 ||
      !llvm::StringRef("sd").contains(target.front()))
    return std::nullopt;
  llvm::StringRef routine = target.drop_front();
  if (routine == "potrf")
    return lowerPotrf(lowering, op);
  if (routine == "trsm")
    return lowerTrsm(lowering, op);
  if (routine == "getrf")
    return lowerGetrf(lowering, op);
  return std::nullopt;
}

} // namespace shardwise::execute
