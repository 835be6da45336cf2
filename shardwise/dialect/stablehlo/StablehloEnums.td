// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Enumerations and their attributes. The integer codes are those of the StableHLO
// specification. Most are spelled `#stablehlo<name VALUE>`.

#ifndef SHARDWISE_DIALECT_STABLEHLO_STABLEHLOENUMS
#define SHARDWISE_DIALECT_STABLEHLO_STABLEHLOENUMS

include "shardwise/dialect/stablehlo/StablehloBase.td"

class Stablehlo_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::shardwise::stablehlo";
  let genSpecializedAttr = 0;
}

def Stablehlo_ComparisonDirection : Stablehlo_Enum<"ComparisonDirection",
    "which comparison", [
      I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
      I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def Stablehlo_ComparisonType : Stablehlo_Enum<"ComparisonType",
    "how values are compared", [
      I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>,
      I32EnumAttrCase<"TOTALORDER", 2>, I32EnumAttrCase<"SIGNED", 3>,
      I32EnumAttrCase<"UNSIGNED", 4>]>;
def Stablehlo_Precision : Stablehlo_Enum<"Precision", "precision of an operand", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>,
      I32EnumAttrCase<"HIGHEST", 2>]>;
def Stablehlo_FftType : Stablehlo_Enum<"FftType", "kind of Fourier transform", [
      I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>,
      I32EnumAttrCase<"IRFFT", 3>]>;
def Stablehlo_RngDistribution : Stablehlo_Enum<"RngDistribution",
    "distribution of random numbers", [
      I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def Stablehlo_RngAlgorithm : Stablehlo_Enum<"RngAlgorithm",
    "generator of random bits", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>,
      I32EnumAttrCase<"PHILOX", 2>]>;
def Stablehlo_Transpose : Stablehlo_Enum<"Transpose",
    "how the matrix of a triangular solve is read", [
      I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
      I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;
def Stablehlo_ResultAccuracyMode : Stablehlo_Enum<"ResultAccuracyMode",
    "how the accuracy of a result is asked for", [
      I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>,
      I32EnumAttrCase<"TOLERANCE", 2>]>;

/// `#stablehlo<comparison_direction LT>`.
def Stablehlo_ComparisonDirectionAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_ComparisonDirection, "comparison_direction">;
def Stablehlo_ComparisonTypeAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_ComparisonType, "comparison_type">;
def Stablehlo_PrecisionAttr : EnumAttr<Stablehlo_Dialect, Stablehlo_Precision, "precision">;
def Stablehlo_FftTypeAttr : EnumAttr<Stablehlo_Dialect, Stablehlo_FftType, "fft_type">;
def Stablehlo_RngDistributionAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_RngDistribution, "rng_distribution">;
def Stablehlo_RngAlgorithmAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_RngAlgorithm, "rng_algorithm">;
def Stablehlo_TransposeAttr : EnumAttr<Stablehlo_Dialect, Stablehlo_Transpose, "transpose">;
/// `#stablehlo.result_accuracy_mode<HIGHEST>`.
def Stablehlo_ResultAccuracyModeAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

/// Stored as a plain `i32`.
def Stablehlo_CustomCallApiVersionAttr : I32EnumAttr<"CustomCallApiVersion",
    "calling convention of a custom call", [
      I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>,
      I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
      I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
      I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
      I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]> {
  let cppNamespace = "::shardwise::stablehlo";
}

#endif
