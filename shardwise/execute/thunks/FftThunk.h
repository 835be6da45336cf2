// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fft: the trailing dimensions one after the other, real ones last or first.

#pragma once

#include "shardwise/execute/thunks/LineTransform.h"
#include "shardwise/execute/thunks/Thunk.h"

#include <memory>
#include <mutex>

namespace shardwise::execute {

/// The Fourier transform along the trailing dimensions of a dense row-major tensor with elements.
///
///     real   isInverse   StableHLO   operand to result
///     none   no          FFT         complex to complex
///     none   yes         IFFT        complex to complex
///     set    no          RFFT        real to half spectra
///     set    yes         IRFFT       half spectra to real
class FftThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override;
  std::string name() const override { return "fft"; }

  /// Bytes of the tables that the first run makes.
  int64_t tableBytes() const;

  bool isInverse = false;
  /// Of complex lines, in the order they are done in. Their tables, which all ranks share, are made
  /// by the first one that runs; so are those of `real`.
  mutable std::vector<LineTransform> dimensions;
  std::unique_ptr<RealTransform> real; ///< Of the last dimension.
  BufferId operand = -1, result = -1;
  BufferId copy = -1;    ///< IRFFT with several dimensions: of the size of the operand.
  BufferId scratch = -1; ///< The most that a transform needs.

private:
  void makeTables() const;

  mutable std::once_flag hasTables;
};

} // namespace shardwise::execute
