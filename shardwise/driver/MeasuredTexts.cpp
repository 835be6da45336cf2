// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured stands behind a barrier of which one element is a result: nobody skips it, and
// results take no memory.

#include "shardwise/driver/MeasuredTexts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cassert>
#include <string_view>
#include <utility>
#include <vector>

namespace shardwise::driver {
namespace {

using core::CollectiveKind;
using planner::Access;

constexpr std::string_view kElementwiseOps[] = {
    "multiply %{0}, %b", "add %{0}, %b",      "multiply %{0}, %b", "subtract %{0}, %b",
    "divide %{0}, %b",   "maximum %{0}, %b",  "multiply %{0}, %b", "sqrt %{0}",
    "add %{0}, %b",      "multiply %{0}, %b", "tanh %{0}",         "subtract %{0}, %b",
};

/// Bytes of an element of f32.
constexpr double kBytes = 4;
/// Elements of a row of a matrix.
constexpr int64_t kRow = 512;

using Shape = std::vector<int64_t>;

/// A program that is written op by op; `%zero` is there from the beginning.
class ProgramText {
public:
  explicit ProgramText(std::string arguments) : arguments(std::move(arguments)) {}

  void add(std::string_view ops) { body += ops; }
  /// Makes the first element of `value` a result.
  void keepFirst(const std::string &value, const Shape &shape) {
    std::string number = std::to_string(results.size());
    std::string type = fmt::format("tensor<{}xf32>", fmt::join(shape, "x"));
    types.push_back(fmt::format("tensor<{}xf32>", fmt::join(Shape(shape.size(), 1), "x")));
    results.push_back("%first" + number);
    body +=
        fmt::format("  %all{0} = stablehlo.optimization_barrier {1} : {2}\n"
                    "  %first{0} = stablehlo.slice %all{0} [{3}] : ({2}) -> {4}\n",
                    number, value, type,
                    fmt::join(std::vector<std::string>(shape.size(), "0:1"), ", "), types.back());
  }
  std::string text() const {
    return fmt::format("func.func @main({0}) -> ({1}) {{\n"
                       "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n{2}"
                       "  return {3} : {1}\n}}\n",
                       arguments, fmt::join(types, ", "), body, fmt::join(results, ", "));
  }

private:
  std::string arguments, body;
  std::vector<std::string> results, types;
};

/// Rows that are padded at both ends, and cut to what they were.
MeasuredText copiesText(int64_t rows) {
  int64_t padded = kRow + 8;
  ProgramText program(fmt::format("%x: tensor<{}x{}xf32>", rows, kRow));
  program.add(fmt::format(
      "  %p = stablehlo.pad %x, %zero, low = [0, 4], high = [0, 4], interior = [0, 0] : "
      "(tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{0}x{2}xf32>\n"
      "  %o = stablehlo.optimization_barrier %p : tensor<{0}x{2}xf32>\n"
      "  %s = stablehlo.slice %o [0:{0}, 4:{3}] : (tensor<{0}x{2}xf32>) -> tensor<{0}x{1}xf32>\n",
      rows, kRow, padded, padded - 4));
  program.keepFirst("%s", {rows, kRow});
  // The pad reads a row and writes a longer one; the slice reads and writes one.
  return {program.text(), kBytes * static_cast<double>(rows * (3 * kRow + padded))};
}

/// Heads of an attention of 128 tokens, 8 heads of 64, to those whose tokens lie side by side, and
/// back.
MeasuredText transposesText(int64_t entries) {
  ProgramText program(fmt::format("%x: tensor<{}x128x8x64xf32>", entries));
  program.add(fmt::format(
      "  %t = stablehlo.transpose %x, dims = [0, 2, 3, 1] : (tensor<{0}x128x8x64xf32>) -> "
      "tensor<{0}x8x64x128xf32>\n"
      "  %u = stablehlo.transpose %t, dims = [0, 3, 1, 2] : (tensor<{0}x8x64x128xf32>) -> "
      "tensor<{0}x128x8x64xf32>\n",
      entries));
  program.keepFirst("%u", {entries, 128, 8, 64});
  return {program.text(), kBytes * static_cast<double>(4 * entries * 128 * 8 * 64)};
}

/// Sums of a matrix along its rows, as in a norm, and along its columns, as in the gradient of a
/// bias.
MeasuredText reductionsText(int64_t rows) {
  ProgramText program(fmt::format("%x: tensor<{}x{}xf32>", rows, kRow));
  program.add(fmt::format(
      "  %r = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : "
      "(tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{0}xf32>\n"
      "  %c = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : "
      "(tensor<{0}x{1}xf32>, tensor<f32>) -> tensor<{1}xf32>\n",
      rows, kRow));
  program.keepFirst("%r", {rows});
  program.keepFirst("%c", {kRow});
  return {program.text(), kBytes * static_cast<double>(2 * rows * kRow + rows + kRow)};
}

/// The largest of each 2x2 of images with 32 features, and the gradient of that.
MeasuredText windowsText(int64_t batch) {
  std::string image = fmt::format("tensor<{}x32x32x32xf32>", batch);
  std::string half = fmt::format("tensor<{}x16x16x32xf32>", batch);
  ProgramText program("%x: " + image);
  program.add(fmt::format(
      "  %m = \"stablehlo.reduce_window\"(%x, %zero) <{{window_dimensions = array<i64: 1, 2, 2, "
      "1>, window_strides = array<i64: 1, 2, 2, 1>}}> ({{\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %0 = stablehlo.maximum %a, %b : tensor<f32>\n    stablehlo.return %0 : tensor<f32>\n"
      "  }}) : ({0}, tensor<f32>) -> {1}\n"
      "  %g = \"stablehlo.select_and_scatter\"(%x, %m, %zero) <{{window_dimensions = array<i64: 1, "
      "2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}}> ({{\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %0 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
      "    stablehlo.return %0 : tensor<i1>\n  }}, {{\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %0 = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %0 : tensor<f32>\n"
      "  }}) : ({0}, {1}, tensor<f32>) -> {0}\n",
      image, half));
  // Whole images are read twice and written once, those of a quarter written and read.
  program.keepFirst("%g", {batch, 32, 32, 32});
  return {program.text(), kBytes * static_cast<double>(batch * 32 * 32 * 32) * 3.5};
}

/// Rows of a matrix in another order, and added to rows of it.
MeasuredText gathersText(int64_t rows) {
  std::string matrix = fmt::format("tensor<{}x{}xf32>", rows, kRow);
  // 7 has no factor in common with a power of two: every row is there once.
  ProgramText program("%x: " + matrix);
  program.add(fmt::format(
      "  %n = stablehlo.iota dim = 0 : tensor<{0}x1xi32>\n"
      "  %f = stablehlo.constant dense<7> : tensor<{0}x1xi32>\n"
      "  %d = stablehlo.constant dense<{0}> : tensor<{0}x1xi32>\n"
      "  %k = stablehlo.multiply %n, %f : tensor<{0}x1xi32>\n"
      "  %i = stablehlo.remainder %k, %d : tensor<{0}x1xi32>\n"
      "  %g = \"stablehlo.gather\"(%x, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims = "
      "[1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
      "indices_are_sorted = false, slice_sizes = array<i64: 1, {1}>}}> : ({2}, "
      "tensor<{0}x1xi32>) -> {2}\n"
      "  %s = \"stablehlo.scatter\"(%x, %i, %g) <{{indices_are_sorted = false, "
      "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
      "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, "
      "unique_indices = false}}> ({{\n"
      "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      "    %0 = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %0 : tensor<f32>\n"
      "  }}) : ({2}, tensor<{0}x1xi32>, {2}) -> {2}\n",
      rows, kRow, matrix));
  // The gather reads and writes its rows; the scatter reads matrix, indices and rows, and writes.
  program.keepFirst("%s", {rows, kRow});
  return {program.text(), kBytes * static_cast<double>(5 * rows * kRow + rows)};
}

} // namespace

MeasuredText productsText(const std::string &element, int64_t size, int count) {
  std::string type = fmt::format("tensor<{0}x{0}x{1}>", size, element);
  std::string text = fmt::format("func.func @main(%p0: {0}, %b: {0}) -> {0} {{\n", type);
  for (int i = 0; i < count; ++i)
    text += fmt::format("  %p{0} = stablehlo.dot_general %p{1}, %b, contracting_dims = [1] x [0] : "
                        "({2}, {2}) -> {2}\n",
                        i + 1, i, type);
  return {text + fmt::format("  return %p{} : {}\n}}\n", count, type),
          2.0 * count * static_cast<double>(size * size * size)};
}

MeasuredText sumsText(int64_t elements, int count) {
  std::string type = fmt::format("tensor<{}xf32>", elements);
  ProgramText program(fmt::format("%a: {0}, %b: {0}", type));
  for (int i = 0; i < count; ++i) {
    program.add(fmt::format("  %s{} = stablehlo.add %a, %b : {}\n", i, type));
    program.keepFirst(fmt::format("%s{}", i), {elements});
  }
  return {program.text(), 3 * kBytes * count * static_cast<double>(elements)};
}

MeasuredText elementwiseText(int64_t elements) {
  std::string type = fmt::format("tensor<{}xf32>", elements);
  std::string text = fmt::format("func.func @main(%v0: {0}, %b: {0}) -> {0} {{\n", type);
  int number = 0;
  for (std::string_view op : kElementwiseOps) {
    text += fmt::format("  %v{} = stablehlo.{} : {}\n", number + 1,
                        fmt::format(fmt::runtime(op), fmt::format("v{}", number)), type);
    ++number;
  }
  return {text + fmt::format("  return %v{} : {}\n}}\n", number, type),
          static_cast<double>(elements * number)};
}

MeasuredText accessText(Access access, int64_t elements) {
  switch (access) {
  case Access::Copy:
    return copiesText(elements / kRow);
  case Access::Transpose:
    return transposesText(elements / (128 * 8 * 64));
  case Access::Reduce:
    return reductionsText(elements / kRow);
  case Access::Window:
    return windowsText(elements / (32 * 32 * 32));
  case Access::Gather:
    return gathersText(elements / kRow);
  case Access::Patch:
    break;
  }
  assert(false && "patches are measured with the products that they are for");
  return {};
}

std::string collectivesText(CollectiveKind kind, int64_t numDevices, int64_t elements, int count) {
  std::string type = fmt::format("tensor<{}xf32>", elements);
  std::vector<int64_t> group;
  std::vector<std::string> pairs, results, types(static_cast<size_t>(count), type);
  for (int64_t device = 0; device < numDevices; ++device) {
    group.push_back(device);
    pairs.push_back(fmt::format("[{}, {}]", device, (device + 1) % numDevices));
  }
  bool isReduce = kind == CollectiveKind::AllReduce;
  std::string text;
  for (int i = 0; i < count; ++i) {
    results.push_back(fmt::format("%r{}", i));
    text +=
        isReduce
            ? fmt::format("  {0} = \"stablehlo.all_reduce\"(%x) <{{replica_groups = dense<[[{1}]]> "
                          ": tensor<1x{2}xi64>}}> ({{\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
                          "    %s = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %s : "
                          "tensor<f32>\n  }}) : ({3}) -> {3}\n",
                          results.back(), fmt::join(group, ", "), numDevices, type)
            : fmt::format("  {0} = \"stablehlo.collective_permute\"(%x) <{{source_target_pairs = "
                          "dense<[{1}]> : tensor<{2}x2xi64>}}> : ({3}) -> {3}\n",
                          results.back(), fmt::join(pairs, ", "), numDevices, type);
  }
  return fmt::format("module attributes {{mhlo.num_replicas = {4} : i32}} {{\nfunc.func @main(%x: "
                     "{0}) -> ({1}) {{\n{2}  return {3} : {1}\n}}\n}}\n",
                     type, fmt::join(types, ", "), text, fmt::join(results, ", "), numDevices);
}

ConvolutionsText convolutionsText(int64_t batch, ImageOrder order) {
  constexpr int64_t kFeatures = 32, kSide = 16, kTaps = 9;
  constexpr int kCount = 3;
  bool areFeaturesLast = order == ImageOrder::FeaturesLast;
  Shape imageShape = areFeaturesLast ? Shape{batch, kSide, kSide, kFeatures}
                                     : Shape{batch, kFeatures, kSide, kSide};
  std::string image = fmt::format("tensor<{}xf32>", fmt::join(imageShape, "x"));
  Shape kernelShape =
      areFeaturesLast ? Shape{3, 3, kFeatures, kFeatures} : Shape{kFeatures, kFeatures, 3, 3};
  std::string kernel = fmt::format("tensor<{}xf32>", fmt::join(kernelShape, "x"));
  std::string_view forward = areFeaturesLast ? "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]"
                                             : "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";
  std::string_view ofKernel = areFeaturesLast ? "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"
                                              : "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]";
  auto convolution = [&](std::string_view name, std::string_view operands, std::string_view dims,
                         const std::string &second, const std::string &result) {
    return fmt::format("  {} = stablehlo.convolution({}) dim_numbers = {}, window = {{pad = [[1, "
                       "1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : "
                       "i64}} : ({}, {}) -> {}\n",
                       name, operands, dims, image, second, result);
  };
  ProgramText program(fmt::format("%x: {}, %k: {}", image, kernel));
  program.add(convolution("%y", "%x, %k", forward, kernel, image));
  program.add(convolution("%z", "%y, %k", forward, kernel, image));
  program.add(convolution("%g", "%x, %z", ofKernel, image, kernel));
  // All three have a term for each position of an image, tap, feature and feature of the other
  // side; of the patches the last of these is no dimension.
  double elements = kCount * static_cast<double>(batch * kSide * kSide * kTaps * kFeatures);
  // The features under a line of the kernel, or a line of an image.
  double run = areFeaturesLast ? 3 * kFeatures : kSide;
  program.keepFirst("%g", kernelShape);
  return {program.text(), 2 * elements * kFeatures, {kBytes * elements, elements / run}};
}

} // namespace shardwise::driver
