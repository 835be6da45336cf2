// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers, linear algebra, Fourier transforms and batch normalisation.

#ifndef SHARDWISE_DIALECT_STABLEHLO_NUMERICOPS
#define SHARDWISE_DIALECT_STABLEHLO_NUMERICOPS

include "shardwise/dialect/stablehlo/StablehloAttrs.td"

def Stablehlo_RngOp : Stablehlo_Op<"rng"> {
  let summary = "random numbers from hidden state; parsed, not supported";
  let arguments = (ins Stablehlo_AnyScalar:$a, Stablehlo_AnyScalar:$b,
                       Stablehlo_DimensionTensor:$shape,
                       Stablehlo_RngDistributionAttr:$rng_distribution);
  let results = (outs Stablehlo_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:`
    functional-type(operands, results)
  }];
}

def Stablehlo_RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator", [Pure]> {
  let summary = "random bits, a pure function of the state";
  let description = [{
    **Constraints**
    - the new state has the type of the state
  }];
  let arguments = (ins Stablehlo_RngAlgorithmAttr:$rng_algorithm, Stablehlo_Tensor:$initial_state);
  let results = (outs Stablehlo_Tensor:$output_state, Stablehlo_Tensor:$output);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:`
    functional-type(operands, results)
  }];
}

def Stablehlo_CholeskyOp : Stablehlo_Op<"cholesky", [Pure] # Stablehlo_SameTypes> {
  let summary = "triangular factor of positive definite matrices";
  let description = [{
    **Constraints**
    - the rank is at least 2; the last two dimensions have one size
  }];
  let arguments = (ins Stablehlo_PlainFloatOrComplexTensor:$a, Stablehlo_FalseByDefault:$lower);
  let results = (outs Stablehlo_PlainFloatOrComplexTensor:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:`
    custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def Stablehlo_TriangularSolveOp
    : Stablehlo_Op<"triangular_solve", [Pure, Stablehlo_InfersTypes]> {
  let summary = "solves op(a) x = b or x op(a) = b";
  let description = [{
    **Constraints**
    - a and b have one element type and one rank, at least 2, and equal batch sizes
    - the last two dimensions of a have one size, which is that of the shared dimension of b
    - transpose_a is not TRANSPOSE_INVALID
  }];
  let arguments = (ins Stablehlo_PlainFloatOrComplexTensor:$a,
                       Stablehlo_PlainFloatOrComplexTensor:$b, BoolAttr:$left_side,
                       BoolAttr:$lower, BoolAttr:$unit_diagonal,
                       Stablehlo_TransposeAttr:$transpose_a);
  let results = (outs Stablehlo_PlainFloatOrComplexTensor:$result);
}

def Stablehlo_FftOp : Stablehlo_Op<"fft", [Pure, Stablehlo_InfersTypes]> {
  let summary = "Fourier transform of the trailing dimensions";
  let description = [{
    **Constraints**
    - fft_length has 1 to 3 entries, at most the rank
    - FFT and IFFT are complex; RFFT takes f32 or f64, IRFFT complex
    - trailing sizes are fft_length (IRFFT: the last one is fft_length / 2 + 1)
  }];
  let arguments = (ins Stablehlo_PlainFloatOrComplexTensor:$operand,
                       Stablehlo_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs Stablehlo_PlainFloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:`
    functional-type(operands, results)
  }];
}

class Stablehlo_BatchNormOp<string mnemonic>
    : Stablehlo_Op<mnemonic, [Pure, Stablehlo_InfersTypes]>;
def Stablehlo_BatchNormInferenceOp : Stablehlo_BatchNormOp<"batch_norm_inference"> {
  let summary = "scale * (x - mean) / sqrt(variance + epsilon) + offset, per feature";
  let description = [{
    **Constraints** (all batch_norm ops)
    - feature_index is a dimension of the operand
    - per-feature operands are vectors of the feature size and one element type
    - epsilon is not negative
  }];
  let arguments = (ins Stablehlo_FloatTensor:$operand, Stablehlo_FloatTensor:$scale,
                       Stablehlo_FloatTensor:$offset, Stablehlo_FloatTensor:$mean,
                       Stablehlo_FloatTensor:$variance, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Stablehlo_FloatTensor:$result);
}
def Stablehlo_BatchNormTrainingOp : Stablehlo_BatchNormOp<"batch_norm_training"> {
  let summary = "normalisation by the mean and variance of the batch, which it returns too";
  let arguments = (ins Stablehlo_FloatTensor:$operand, Stablehlo_FloatTensor:$scale,
                       Stablehlo_FloatTensor:$offset, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs Stablehlo_FloatTensor:$output, Stablehlo_FloatTensor:$batch_mean,
                      Stablehlo_FloatTensor:$batch_var);
}
def Stablehlo_BatchNormGradOp : Stablehlo_BatchNormOp<"batch_norm_grad"> {
  let summary = "gradients of batch_norm_training";
  let arguments = (ins Stablehlo_FloatTensor:$operand, Stablehlo_FloatTensor:$scale,
                       Stablehlo_FloatTensor:$mean, Stablehlo_FloatTensor:$variance,
                       Stablehlo_FloatTensor:$grad_output, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs Stablehlo_FloatTensor:$grad_operand, Stablehlo_FloatTensor:$grad_scale,
                      Stablehlo_FloatTensor:$grad_offset);
}

#endif
