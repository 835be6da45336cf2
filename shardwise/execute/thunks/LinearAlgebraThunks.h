// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Thunks of factorisations and triangular solves over batches of matrices.

#pragma once

#include "shardwise/execute/thunks/Factorization.h"
#include "shardwise/execute/thunks/StridedCopy.h"
#include "shardwise/execute/thunks/Thunk.h"
#include "shardwise/runtime/TensorType.h"

namespace shardwise::execute {

/// What is solved with: the matrix, its transpose, or the conjugate of that.
enum class Transpose { None, Plain, Adjoint };

/// A batch of matrices in the last two dimensions of a tensor.
struct MatrixBatch {
  DataType type = DataType::F32;
  int64_t count = 1, rows = 1, columns = 1;

  MatrixBatch() = default;
  explicit MatrixBatch(const runtime::TensorType &tensor) : type(tensor.type) {
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

/// a = L L^H or a = U^H U, one matrix after the other.
class CholeskyThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "cholesky"; }

  MatrixBatch batch;
  bool isLower = false;
  BufferId input = -1, result = -1, scratch = -1;
  BufferId info = -1; ///< Where LAPACK's status goes, if that is wanted.

private:
  /// What is not the factor: LAPACK leaves the other triangle as it was; else it is zero, and all
  /// is NaN without a factor.
  void finish(Frame &frame, int64_t index, DenseMatrix source, DenseMatrix target) const;
};

/// op(a) x = b or x op(a) = b. Everything becomes a solve from the left with a as it lies or with
/// its transpose: x op(a) = b says the same as op(a)^T x^T = b^T.
class TriangularSolveThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "triangular_solve"; }

  int64_t size() const { return left.rows; }
  int64_t scratchBytes() const { return left.matrixBytes() + (isLeft ? 0 : right.matrixBytes()); }

  MatrixBatch left, right;
  Triangle triangle;
  bool isLeft = true;
  Transpose transpose = Transpose::None;
  BufferId matrix = -1, values = -1, result = -1, scratch = -1;
};

/// LAPACK's getrf: factors, pivot rows counted from 1, status.
class LUThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "lu"; }

  MatrixBatch batch;
  BufferId input = -1, result = -1, pivots = -1, info = -1;
};

} // namespace shardwise::execute
