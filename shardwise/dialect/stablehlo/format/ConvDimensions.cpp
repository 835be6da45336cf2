// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of convolution dimension numbers: the short form [b, 0, f]x[0, i, o]->[b, 0, f] and
// the raw form with one key per field.
//
// A list has an entry for each dimension of the tensor: a letter, or the number of a spatial
// dimension. In [b, 1, 0, f], spatial dimension 0 is dimension 2 of the tensor. The attribute holds
// the inverse, dimension by role, so that any numbers can be in it; those that are no permutation
// have only the raw form.

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"
#include "shardwise/dialect/stablehlo/format/StructText.h"

using namespace mlir;

namespace shardwise::stablehlo {
namespace {

/// One bracketed list: the positions of two letters and of the spatial numbers.
struct DimensionRoles {
  int64_t first = -1;
  int64_t second = -1;
  SmallVector<int64_t> spatial;
};

/// Parses `[b, 0, 1, f]`. Each letter comes once, the numbers 0 .. n-1 once each.
ParseResult parseRoles(AsmParser &parser, char firstLetter, char secondLetter,
                       DimensionRoles &roles) {
  SmallVector<std::pair<int64_t, int64_t>> numbered;
  int64_t position = 0;
  SMLoc start = parser.getCurrentLocation();
  auto parseRole = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    int64_t number = 0;
    StringRef letter;
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      if (failed(*isNumber))
        return failure();
      numbered.emplace_back(number, position++);
      return success();
    }
    if (parser.parseKeyword(&letter))
      return failure();
    if (letter.size() != 1 || (letter[0] != firstLetter && letter[0] != secondLetter))
      return parser.emitError(location)
             << "unexpected dimension '" << letter << "', expected '" << firstLetter << "', '"
             << secondLetter << "' or a spatial number";
    int64_t &slot = letter[0] == firstLetter ? roles.first : roles.second;
    if (slot != -1)
      return parser.emitError(location) << "duplicate dimension '" << letter << "'";
    slot = position++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRole))
    return failure();
  if (roles.first == -1 || roles.second == -1)
    return parser.emitError(start)
           << "expected the dimensions '" << firstLetter << "' and '" << secondLetter << "'";
  roles.spatial.assign(numbered.size(), -1);
  // Only now it is known how many there are.
  for (auto [number, place] : numbered) {
    if (number < 0 || number >= static_cast<int64_t>(numbered.size()) ||
        roles.spatial[number] != -1)
      return parser.emitError(start) << "spatial dimensions must be 0.." << numbered.size() - 1
                                     << ", once each, got " << number;
    roles.spatial[number] = place;
  }
  return success();
}

/// Parses the `x` between the lists.
ParseResult parseCross(AsmParser &parser) {
  return parser.parseKeyword("x");
}

void printRoles(AsmPrinter &printer, char firstLetter, int64_t first, char secondLetter,
                int64_t second, ArrayRef<int64_t> spatial) {
  int64_t size = spatial.size() + 2;
  SmallVector<int64_t> numberAt(size, -1);
  for (auto [number, position] : llvm::enumerate(spatial))
    if (position >= 0 && position < size)
      numberAt[position] = number;
  printer << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, size), printer, [&](int64_t position) {
    if (position == first)
      printer << firstLetter;
    else if (position == second)
      printer << secondLetter;
    else
      printer << numberAt[position];
  });
  printer << ']';
}

/// True if the positions are 0 .. n+1, once each: only then they have a short form.
bool hasShortForm(int64_t first, int64_t second, ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> positions(spatial);
  positions.push_back(first);
  positions.push_back(second);
  llvm::sort(positions);
  return llvm::equal(positions, llvm::seq<int64_t>(0, positions.size()));
}

bool hasShortForm(ConvDimensionNumbersAttr numbers) {
  ArrayRef<int64_t> input = numbers.getInputSpatialDimensions(),
                    kernel = numbers.getKernelSpatialDimensions(),
                    output = numbers.getOutputSpatialDimensions();
  return input.size() == kernel.size() && input.size() == output.size() &&
         hasShortForm(numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
                      input) &&
         hasShortForm(numbers.getKernelInputFeatureDimension(),
                      numbers.getKernelOutputFeatureDimension(), kernel) &&
         hasShortForm(numbers.getOutputBatchDimension(), numbers.getOutputFeatureDimension(),
                      output);
}

/// Prints the fields after `<`, and the closing `>`.
void printRawConvDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr numbers) {
  auto printField = [&](StringRef key, int64_t value) {
    printer << (key.starts_with("input_b") ? "" : ", ") << key << " = " << value;
  };
  auto printList = [&](StringRef key, ArrayRef<int64_t> value) {
    printer << ", " << key << " = ";
    printDims(printer, value);
  };
  printer << "raw ";
  printField("input_batch_dimension", numbers.getInputBatchDimension());
  printField("input_feature_dimension", numbers.getInputFeatureDimension());
  printList("input_spatial_dimensions", numbers.getInputSpatialDimensions());
  printField("kernel_input_feature_dimension", numbers.getKernelInputFeatureDimension());
  printField("kernel_output_feature_dimension", numbers.getKernelOutputFeatureDimension());
  printList("kernel_spatial_dimensions", numbers.getKernelSpatialDimensions());
  printField("output_batch_dimension", numbers.getOutputBatchDimension());
  printField("output_feature_dimension", numbers.getOutputFeatureDimension());
  printList("output_spatial_dimensions", numbers.getOutputSpatialDimensions());
}

} // namespace

FailureOr<ConvDimensionNumbersAttr> parseConvDimensions(AsmParser &parser) {
  DimensionRoles input, kernel, output;
  SMLoc location = parser.getCurrentLocation();
  if (parseRoles(parser, 'b', 'f', input) || parseCross(parser) ||
      parseRoles(parser, 'i', 'o', kernel) || parser.parseArrow() ||
      parseRoles(parser, 'b', 'f', output))
    return failure();
  if (input.spatial.size() != kernel.spatial.size() ||
      input.spatial.size() != output.spatial.size())
    return parser.emitError(location)
           << "expected one number of spatial dimensions, got " << input.spatial.size() << ", "
           << kernel.spatial.size() << " and " << output.spatial.size();
  return ConvDimensionNumbersAttr::get(parser.getContext(), input.first, input.second,
                                       input.spatial, kernel.first, kernel.second, kernel.spatial,
                                       output.first, output.second, output.spatial);
}

void printConvDimensions(AsmPrinter &printer, ConvDimensionNumbersAttr numbers) {
  printRoles(printer, 'b', numbers.getInputBatchDimension(), 'f',
             numbers.getInputFeatureDimension(), numbers.getInputSpatialDimensions());
  printer << 'x';
  printRoles(printer, 'i', numbers.getKernelInputFeatureDimension(), 'o',
             numbers.getKernelOutputFeatureDimension(), numbers.getKernelSpatialDimensions());
  printer << "->";
  printRoles(printer, 'b', numbers.getOutputBatchDimension(), 'f',
             numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions());
}

/// Parses the fields after `raw`, up to `>`.
static Attribute parseRawConvDimensions(AsmParser &parser) {
  int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0, outputBatch = 0,
          outputFeature = 0;
  SmallVector<int64_t> inputSpatial, kernelSpatial, outputSpatial;
  auto integer = [&](int64_t &value) {
    return [&]() -> ParseResult { return parser.parseInteger(value); };
  };
  auto list = [&](SmallVector<int64_t> &value) { return [&] { return parseDims(parser, value); }; };
  auto parseInputBatch = integer(inputBatch), parseInputFeature = integer(inputFeature),
       parseKernelInput = integer(kernelInput), parseKernelOutput = integer(kernelOutput),
       parseOutputBatch = integer(outputBatch), parseOutputFeature = integer(outputFeature);
  auto parseInputSpatial = list(inputSpatial), parseKernelSpatial = list(kernelSpatial),
       parseOutputSpatial = list(outputSpatial);
  if (parseStructFields(parser, {{"input_batch_dimension", parseInputBatch},
                                 {"input_feature_dimension", parseInputFeature},
                                 {"input_spatial_dimensions", parseInputSpatial},
                                 {"kernel_input_feature_dimension", parseKernelInput},
                                 {"kernel_output_feature_dimension", parseKernelOutput},
                                 {"kernel_spatial_dimensions", parseKernelSpatial},
                                 {"output_batch_dimension", parseOutputBatch},
                                 {"output_feature_dimension", parseOutputFeature},
                                 {"output_spatial_dimensions", parseOutputSpatial}}))
    return {};
  return ConvDimensionNumbersAttr::get(parser.getContext(), inputBatch, inputFeature, inputSpatial,
                                       kernelInput, kernelOutput, kernelSpatial, outputBatch,
                                       outputFeature, outputSpatial);
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw")))
    return parseRawConvDimensions(parser);
  FailureOr<ConvDimensionNumbersAttr> numbers = parseConvDimensions(parser);
  if (failed(numbers) || parser.parseGreater())
    return {};
  return *numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (hasShortForm(*this))
    printConvDimensions(printer, *this);
  else
    printRawConvDimensions(printer, *this);
  printer << '>';
}

} // namespace shardwise::stablehlo
