// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fft: the trailing dimensions one after the other, real ones last or first.

#pragma once

#include "shardwise/execute/thunks/LineTransform.h"
#include "shardwise/execute/thunks/Thunk.h"

#include <memory>

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

  bool isInverse = false;
  std::vector<LineTransform> dimensions; ///< Of complex lines, in the order they are done in.
  std::unique_ptr<RealTransform> real;   ///< Of the last dimension.
  BufferId operand = -1, result = -1;
  BufferId copy = -1;    ///< IRFFT with several dimensions: of the size of the operand.
  BufferId scratch = -1; ///< The most that a transform needs.
};

} // namespace shardwise::execute
