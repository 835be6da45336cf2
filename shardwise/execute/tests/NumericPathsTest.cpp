// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear algebra, transforms, normalisation, complex numbers and narrow types: both paths compared
// on random inputs.

#include "shardwise/execute/tests/PathTesting.h"

#include <cstring>

namespace shardwise::execute {
namespace {

/// `count` results of the given types, computed by `body`, which names them %r0, %r1, ...
std::string program(const std::string &arguments, const std::vector<std::string> &types,
                    const std::string &body) {
  std::string list;
  std::string values;
  for (size_t i = 0; i < types.size(); ++i) {
    list += (i ? ", " : "") + types[i];
    values += (i ? ", %r" : "%r") + std::to_string(i);
  }
  return function(arguments, "(" + list + ")", body + "\nreturn " + values + " : " + list);
}

TEST(NumericPathsTest, complexElementwise) {
  unsigned seed = 2000;
  for (const std::string part : {"f32", "f64"}) {
    std::string t = "tensor<5x60xcomplex<" + part + ">>";
    std::string r = "tensor<5x60x" + part + ">";
    for (const std::string op :
         {"negate", "sign", "exponential", "exponential_minus_one", "log", "log_plus_one",
          "logistic", "sqrt", "rsqrt", "cbrt", "sine", "cosine", "tan", "tanh"})
      comparePaths(program("%x: " + t, {t}, "%r0 = stablehlo." + op + " %x : " + t), seed++, 16);
    for (const std::string op : {"square", "conj", "acos", "acosh", "asin", "asinh", "atan",
                                 "atanh", "cosh", "sinh", "tan"})
      comparePaths(program("%x: " + t, {t}, "%r0 = chlo." + op + " %x : " + t + " -> " + t), seed++,
                   16);
    for (const std::string op :
         {"add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "atan2"})
      comparePaths(
          program("%x: " + t + ", %y: " + t, {t}, "%r0 = stablehlo." + op + " %x, %y : " + t),
          seed++, 100);
    for (const std::string op : {"real", "imag", "abs"})
      comparePaths(program("%x: " + t, {r}, "%r0 = stablehlo." + op + " %x : (" + t + ") -> " + r),
                   seed++, 4);
    for (const std::string how : {"EQ", "NE", "GE", "GT", "LE", "LT"})
      comparePaths(program("%x: " + t + ", %y: " + t, {"tensor<5x60xi1>"},
                           "%r0 = stablehlo.compare " + how + ", %x, %y : (" + t + ", " + t +
                               ") -> tensor<5x60xi1>"),
                   seed++);
    comparePaths(program("%x: " + r + ", %y: " + r + ", %p: tensor<5x60xi1>", {t, t, t},
                         "%r0 = stablehlo.complex %x, %y : " + t +
                             "\n%1 = stablehlo.complex %y, %x : " + t +
                             "\n%r1 = stablehlo.select %p, %r0, %1 : tensor<5x60xi1>, " + t +
                             "\n%r2 = stablehlo.clamp %r0, %1, %r1 : " + t),
                 seed++, 4);
  }
}

TEST(NumericPathsTest, complexMovementAndSums) {
  unsigned seed = 2100;
  for (const std::string part : {"f32", "f64"}) {
    std::string e = "complex<" + part + ">";
    std::string t = "tensor<4x6x" + e + ">";
    std::string u = "tensor<6x4x" + e + ">";
    std::string s = "tensor<" + e + ">";
    comparePaths(
        program(
            "%x: " + t + ", %y: " + u + ", %z: " + s + ", %i: tensor<3x1xi32>",
            {u, "tensor<4x4x" + e + ">", "tensor<4x" + e + ">", "tensor<6x" + e + ">",
             "tensor<9x6x" + e + ">", "tensor<3x6x" + e + ">", t, "tensor<2x4x6x" + e + ">", t},
            "%r0 = stablehlo.transpose %x, dims = [1, 0] : (" + t + ") -> " + u +
                "\n%r1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" + t +
                ", " + u + ") -> tensor<4x4x" + e + ">" +
                "\n%c = stablehlo.constant dense<(0.0, 0.0)> : " + s +
                "\n%r2 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = "
                "[1] : (" +
                t + ", " + s + ") -> tensor<4x" + e + ">" +
                "\n%r3 = stablehlo.reduce(%x init: %z) applies stablehlo.multiply across "
                "dimensions = [0] : (" +
                t + ", " + s + ") -> tensor<6x" + e + ">" +
                "\n%r4 = stablehlo.pad %x, %z, low = [1, 0], high = [1, 0], interior = [1, 0] : (" +
                t + ", " + s + ") -> tensor<9x6x" + e + ">" +
                "\n%r5 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = "
                "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map "
                "= [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (" +
                t + ", tensor<3x1xi32>) -> tensor<3x6x" + e + ">" +
                "\n%r6 = \"stablehlo.scatter\"(%x, %i, %r5) <{scatter_dimension_numbers = "
                "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
                "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n^bb0(%a: " +
                s + ", %b: " + s + "):\n%2 = stablehlo.multiply %a, %a : " + s +
                "\n%3 = stablehlo.subtract %b, %2 : " + s + "\nstablehlo.return %3 : " + s +
                "\n}) : (" + t + ", tensor<3x1xi32>, tensor<3x6x" + e + ">) -> " + t +
                "\n%r7 = stablehlo.broadcast %x, sizes = [2] : (" + t + ") -> tensor<2x4x6x" + e +
                ">" +
                "\n%r8 = \"stablehlo.reduce_window\"(%x, %c) <{padding = dense<[[0, 0], [5, 0]]> "
                ": tensor<2x2xi64>, window_dimensions = array<i64: 1, 6>}> ({\n^bb0(%a: " +
                s + ", %b: " + s + "):\n%2 = stablehlo.add %a, %b : " + s +
                "\nstablehlo.return %2 : " + s + "\n}) : (" + t + ", " + s + ") -> " + t),
        seed++, 30);
  }
}

TEST(NumericPathsTest, specialFunctions) {
  unsigned seed = 2200;
  for (const std::string type : {"f32", "f64", "f16", "bf16"}) {
    std::string t = "tensor<300x" + type + ">";
    std::string p = "tensor<300xi1>";
    for (const std::string op : {"digamma", "lgamma", "bessel_i1e"})
      comparePaths(program("%x: " + t, {t},
                           "%c = stablehlo.constant dense<9.5> : " + t +
                               "\n%0 = stablehlo.multiply %x, %c : " + t + "\n%r0 = chlo." + op +
                               " %0 : " + t + " -> " + t),
                   seed++, 100);
    for (const std::string op : {"polygamma", "zeta"})
      comparePaths(
          program("%x: " + t + ", %y: " + t, {t},
                  "%c = stablehlo.constant dense<3.0> : " + t + "\n%0 = stablehlo.abs %x : " + t +
                      "\n%1 = stablehlo.ceil %0 : " + t + "\n%2 = stablehlo.add %1, %c : " + t +
                      "\n%3 = stablehlo.abs %y : " + t + "\n%4 = stablehlo.add %3, %c : " + t +
                      "\n%r0 = chlo." + op + " %2, %4 : " + t + ", " + t + " -> " + t),
          seed++, 100);
    comparePaths(program("%x: " + t + ", %y: " + t, {t, p, p},
                         "%r0 = chlo.next_after %x, %y : " + t + ", " + t + " -> " + t +
                             "\n%0 = stablehlo.divide %x, %r0 : " + t +
                             "\n%1 = stablehlo.subtract %x, %x : " + t +
                             "\n%2 = stablehlo.divide %x, %1 : " + t + "\n%r1 = chlo.is_inf %2 : " +
                             t + " -> " + p + "\n%r2 = chlo.is_neg_inf %2 : " + t + " -> " + p),
                 seed++);
  }
  for (const std::string type : {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}) {
    std::string t = "tensor<200x" + type + ">";
    comparePaths(program("%x: " + t + ", %y: " + t, {t},
                         "%c = stablehlo.constant dense<77> : " + t +
                             "\n%0 = stablehlo.multiply %x, %c : " + t +
                             "\n%r0 = chlo.mulhi %0, %y : " + t + ", " + t + " -> " + t),
                 seed++);
  }
}

TEST(NumericPathsTest, linearAlgebra) {
  unsigned seed = 2300;
  for (const std::string type : {"f32", "f64", "f16", "complex<f32>", "complex<f64>"})
    for (const std::string size : {"1", "3", "40"}) {
      std::string a = "tensor<2x" + size + "x" + size + "x" + type + ">";
      std::string b = "tensor<2x" + size + "x5x" + type + ">";
      std::string d = "tensor<2x5x" + size + "x" + type + ">";
      std::string many = type.find("complex") == 0 ? "(90.0, 0.0)" : "90.0";
      // Well conditioned: large numbers on the diagonal.
      std::string prepared =
          "%i = stablehlo.iota dim = 1 : tensor<2x" + size + "x" + size + "xi32>\n" +
          "%j = stablehlo.iota dim = 2 : tensor<2x" + size + "x" + size + "xi32>\n" +
          "%p = stablehlo.compare EQ, %i, %j : (tensor<2x" + size + "x" + size +
          "xi32>, tensor<2x" + size + "x" + size + "xi32>) -> tensor<2x" + size + "x" + size +
          "xi1>\n" + "%m = stablehlo.constant dense<" + many + "> : " + a + "\n" +
          "%t = stablehlo.transpose %x, dims = [0, 2, 1] : (" + a + ") -> " + a + "\n";
      std::string conjugated = type.find("complex") == 0
                                   ? "%u = chlo.conj %t : " + a + " -> " + a + "\n"
                                   : "%u = stablehlo.add %t, %t : " + a + "\n";
      std::string other = type.find("complex") == 0 ? "%x" : "%xx";
      if (type.find("complex") != 0)
        conjugated += "%xx = stablehlo.add %x, %x : " + a + "\n";
      prepared += conjugated + "%h = stablehlo.add " + other + ", %u : " + a +
                  "\n%s = stablehlo.select %p, %m, %h : tensor<2x" + size + "x" + size + "xi1>, " +
                  a + "\n";
      comparePaths(program("%x: " + a, {a, a},
                           prepared + "%r0 = stablehlo.cholesky %s, lower = true : " + a +
                               "\n%r1 = stablehlo.cholesky %s : " + a),
                   seed++, 200);
      for (const std::string lower : {"true", "false"})
        for (const std::string unit : {"true", "false"})
          for (const std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
            // With ones on the diagonal, solutions grow with the size.
            if (unit == "true" && size == "40")
              continue;
            auto solve = [&](const std::string &name, const std::string &right,
                             const std::string &side, const std::string &t) {
              return "%" + name + " = \"stablehlo.triangular_solve\"(%s, %" + right +
                     ") <{left_side = " + side + ", lower = " + lower +
                     ", transpose_a = " + "#stablehlo<transpose " + transpose +
                     ">, unit_diagonal = " + unit + "}> : (" + a + ", " + t + ") -> " + t + "\n";
            };
            comparePaths(
                program("%x: " + a + ", %b: " + b + ", %d: " + d, {b, d},
                        prepared + solve("r0", "b", "true", b) + solve("r1", "d", "false", d)),
                seed++, 1000);
          }
    }
}

TEST(NumericPathsTest, lapackCalls) {
  unsigned seed = 2400;
  for (auto [letter, type] : {std::pair<std::string, std::string>("s", "f32"), {"d", "f64"}}) {
    std::string a = "tensor<3x40x40x" + type + ">";
    std::string b = "tensor<3x40x7x" + type + ">";
    std::string prepared =
        "%i = stablehlo.iota dim = 1 : tensor<3x40x40xi32>\n"
        "%j = stablehlo.iota dim = 2 : tensor<3x40x40xi32>\n"
        "%p = stablehlo.compare EQ, %i, %j : (tensor<3x40x40xi32>, tensor<3x40x40xi32>) -> "
        "tensor<3x40x40xi1>\n%m = stablehlo.constant dense<90.0> : " +
        a + "\n%s = stablehlo.select %p, %m, %x : tensor<3x40x40xi1>, " + a + "\n";
    for (const std::string uplo : {"76", "85"})
      comparePaths(program("%x: " + a + ", %b: " + b, {a, "tensor<3xi32>", b},
                           prepared + "%0:2 = stablehlo.custom_call @lapack_" + letter +
                               "potrf_ffi(%s) {mhlo.backend_config = {uplo = " + uplo +
                               " : ui8}} : (" + a + ") -> (" + a + ", tensor<3xi32>)\n" +
                               "%r0, %r1 = stablehlo.optimization_barrier %0#0, %0#1 : " + a +
                               ", tensor<3xi32>\n"
                               "%r2 = stablehlo.custom_call @lapack_" +
                               letter +
                               "trsm_ffi(%s, %b) {mhlo.backend_config = {diag = 78 : ui8, side = "
                               "76 : ui8, trans_x = 84 : ui8, uplo = " +
                               uplo + " : ui8}} : (" + a + ", " + b + ") -> " + b),
                   seed++, 1000);
    comparePaths(program("%x: " + a, {a, "tensor<3x40xi32>", "tensor<3xi32>"},
                         "%0:3 = stablehlo.custom_call @lapack_" + letter +
                             "getrf_ffi(%x) {mhlo.backend_config = {}} : (" + a + ") -> (" + a +
                             ", tensor<3x40xi32>, tensor<3xi32>)\n%r0, %r1, %r2 = "
                             "stablehlo.optimization_barrier %0#0, %0#1, %0#2 : " +
                             a + ", tensor<3x40xi32>, tensor<3xi32>"),
                 seed++, 100000);
  }
}

TEST(NumericPathsTest, transforms) {
  unsigned seed = 2500;
  for (const std::string part : {"f32", "f64"})
    for (auto [shape, half, lengths] :
         {std::tuple<std::string, std::string, std::string>("3x8x", "3x5x", "8"),
          {"2x5x9x", "2x5x5x", "9"},
          {"2x6x10x", "2x6x6x", "6, 10"},
          {"3x4x5x", "3x4x3x", "3, 4, 5"},
          {"17x", "9x", "17"}}) {
      std::string r = "tensor<" + shape + part + ">";
      std::string c = "tensor<" + shape + "complex<" + part + ">>";
      std::string h = "tensor<" + half + "complex<" + part + ">>";
      comparePaths(
          program("%x: " + c + ", %y: " + r + ", %z: " + h, {c, c, h, r},
                  "%r0 = stablehlo.fft %x, type = FFT, length = [" + lengths + "] : (" + c +
                      ") -> " + c + "\n%r1 = stablehlo.fft %x, type = IFFT, length = [" + lengths +
                      "] : (" + c + ") -> " + c +
                      "\n%r2 = stablehlo.fft %y, type = RFFT, length = [" + lengths + "] : (" + r +
                      ") -> " + h + "\n%r3 = stablehlo.fft %z, type = IRFFT, length = [" + lengths +
                      "] : (" + h + ") -> " + r),
          seed++, 100);
    }
}

TEST(NumericPathsTest, batchNormalisation) {
  unsigned seed = 2600;
  for (const std::string type : {"f32", "f64", "bf16"})
    for (const std::string dim : {"0", "1", "2"}) {
      std::string t = "tensor<6x6x6x" + type + ">";
      std::string v = "tensor<6x" + type + ">";
      std::string options =
          " <{epsilon = 1.000000e-03 : f32, feature_index = " + dim + " : i64}> : ";
      comparePaths(
          program("%x: " + t + ", %s: " + v + ", %o: " + v + ", %g: " + t, {t, t, v, v},
                  "%r0, %m, %w = \"stablehlo.batch_norm_training\"(%x, %s, %o)" + options + "(" +
                      t + ", " + v + ", " + v + ") -> (" + t + ", " + v + ", " + v + ")\n" +
                      "%r1 = \"stablehlo.batch_norm_inference\"(%x, %s, %o, %m, %w)" + options +
                      "(" + t + ", " + v + ", " + v + ", " + v + ", " + v + ") -> " + t + "\n" +
                      "%d, %r2, %r3 = \"stablehlo.batch_norm_grad\"(%x, %s, %m, %w, %g)" + options +
                      "(" + t + ", " + v + ", " + v + ", " + v + ", " + t + ") -> (" + t + ", " +
                      v + ", " + v + ")"),
          seed++, 300);
    }
}

TEST(NumericPathsTest, raggedProducts) {
  unsigned seed = 2700;
  for (const std::string type : {"f32", "f64", "bf16", "i32"}) {
    auto t = [&](const std::string &shape) { return "tensor<" + shape + type + ">"; };
    std::string sizes = "%g = stablehlo.constant dense<[3, 0, 5]> : tensor<3xi32>\n";
    comparePaths(program("%x: " + t("11x5x") + ", %y: " + t("3x5x7x"), {t("11x7x")},
                         sizes +
                             "%r0 = \"chlo.ragged_dot\"(%x, %y, %g) "
                             "<{ragged_dot_dimension_numbers = "
                             "#chlo.ragged_dot<lhs_contracting_dimensions = [1], "
                             "rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
                             "rhs_group_dimensions = [0]>}> : (" +
                             t("11x5x") + ", " + t("3x5x7x") + ", tensor<3xi32>) -> " + t("11x7x")),
                 seed++, 10);
    comparePaths(program("%x: " + t("5x11x") + ", %y: " + t("11x7x"), {t("3x5x7x")},
                         sizes +
                             "%r0 = \"chlo.ragged_dot\"(%x, %y, %g) "
                             "<{ragged_dot_dimension_numbers = "
                             "#chlo.ragged_dot<lhs_contracting_dimensions = [1], "
                             "rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}> "
                             ": (" +
                             t("5x11x") + ", " + t("11x7x") + ", tensor<3xi32>) -> " + t("3x5x7x")),
                 seed++, 10);
  }
}

TEST(NumericPathsTest, tokensTuplesAndLegacyOps) {
  comparePaths(program("%x: tensor<3x4xf32>, %y: tensor<4x5xf32>, %v: tensor<4xf32>",
                       {"tensor<3x5xf32>", "tensor<4xf32>", "tensor<3xf32>", "tensor<f32>",
                        "tensor<2x3x4xf32>"},
                       R"(
    %t0 = stablehlo.create_token : !stablehlo.token
    %t1 = stablehlo.after_all %t0, %t0 : !stablehlo.token
    %t2 = stablehlo.optimization_barrier %t1 : !stablehlo.token
    %r0 = stablehlo.dot %x, %y : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %n = stablehlo.negate %v : tensor<4xf32>
    %p = stablehlo.tuple %r0, %n : tuple<tensor<3x5xf32>, tensor<4xf32>>
    %q = stablehlo.tuple %p, %t2 : tuple<tuple<tensor<3x5xf32>, tensor<4xf32>>, !stablehlo.token>
    %e = stablehlo.get_tuple_element %q[0] : (tuple<tuple<tensor<3x5xf32>, tensor<4xf32>>, !stablehlo.token>) -> tuple<tensor<3x5xf32>, tensor<4xf32>>
    %r1 = stablehlo.get_tuple_element %e[1] : (tuple<tensor<3x5xf32>, tensor<4xf32>>) -> tensor<4xf32>
    %r2 = stablehlo.dot %x, %v : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %r3 = stablehlo.dot %v, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %b = stablehlo.broadcast %x, sizes = [2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
    %r4 = stablehlo.add %b, %b : tensor<2x3x4xf32>)"),
               2800, 10);
}

TEST(NumericPathsTest, reductionsOfMixedTypes) {
  comparePaths(program("%x: tensor<6x8xbf16>, %i: tensor<4x1xi32>, %u: tensor<4x8xbf16>",
                       {"tensor<6xf32>", "tensor<6x8xf32>", "tensor<6x8xf32>", "tensor<6x8xf32>"},
                       R"(
    %c = stablehlo.constant dense<0.0> : tensor<bf16>
    %r0 = stablehlo.reduce(%x init: %c) across dimensions = [1] : (tensor<6x8xbf16>, tensor<bf16>) -> tensor<6xf32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }
    %r1 = "stablehlo.reduce_window"(%x, %c) <{padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<6x8xbf16>, tensor<bf16>) -> tensor<6x8xf32>
    %r2 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<6x8xbf16>, tensor<4x1xi32>, tensor<4x8xbf16>) -> tensor<6x8xf32>
    %s = stablehlo.slice %x [0:6:2, 0:8:2] : (tensor<6x8xbf16>) -> tensor<3x4xbf16>
    %r3 = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
      %0 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %0 : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %0 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %0 : tensor<f32>
    }) : (tensor<6x8xbf16>, tensor<3x4xbf16>, tensor<bf16>) -> tensor<6x8xf32>)"),
               2900, 10);
}

TEST(NumericPathsTest, longSumsKeepTheirDigits) {
  // One accumulator ends 4 % off, sixteen 0.2 %.
  reference::TestPrograms programs;
  auto module = programs.parse(R"(
    func.func @main() -> tensor<f32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %x = stablehlo.constant dense<0.1> : tensor<4194303xf32>
      %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<4194303xf32>, tensor<f32>) -> tensor<f32>
      return %s : tensor<f32>
    })");
  ASSERT_TRUE(module) << programs.diagnostics();
  auto program = compile(*module);
  ASSERT_TRUE(mlir::succeeded(program)) << programs.diagnostics();
  auto results = runAlone(*program, {});
  ASSERT_TRUE(results.ok()) << results.error().message;
  float sum = 0;
  std::memcpy(&sum, results->front().bytes.data(), sizeof(sum));
  EXPECT_NEAR(sum, 4194303 * static_cast<double>(0.1F), 0.4);
}

TEST(NumericPathsTest, tensorsWithoutElements) {
  std::string a = "tensor<0x3x3xf32>";
  std::string b = "tensor<2x0x0xf32>";
  std::string c = "tensor<2x0x4xf32>";
  comparePaths(program("%x: " + a + ", %y: " + b + ", %z: " + c, {a, b, c, a},
                       "%r0 = stablehlo.cholesky %x, lower = true : " + a +
                           "\n%r1 = stablehlo.cholesky %y : " + b +
                           "\n%r2 = \"stablehlo.triangular_solve\"(%y, %z) <{left_side = true, "
                           "lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, "
                           "unit_diagonal = false}> : (" +
                           b + ", " + c + ") -> " + c +
                           "\n%r3 = \"stablehlo.triangular_solve\"(%x, %x) <{left_side = false, "
                           "lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, "
                           "unit_diagonal = false}> : (" +
                           a + ", " + a + ") -> " + a),
               3050);
}

TEST(NumericPathsTest, complexConvolutionsSortsAndIndices) {
  std::string t = "tensor<2x7x3xcomplex<f32>>";
  std::string k = "tensor<3x3x4xcomplex<f32>>";
  std::string r = "tensor<2x5x4xcomplex<f32>>";
  std::string e = "tensor<complex<f32>>";
  comparePaths(
      program("%x: " + t + ", %k: " + k, {r, t, t},
              "%r0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
              "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" +
                  t + ", " + k + ") -> " + r +
                  "\n%r1 = \"stablehlo.sort\"(%x) <{dimension = 1 : i64}> ({\n^bb0(%a: " + e +
                  ", %b: " + e + "):\n%p = stablehlo.compare LT, %a, %b : (" + e + ", " + e +
                  ") -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}) : (" + t + ") -> " + t +
                  "\n%r2 = stablehlo.iota dim = 1 : " + t),
      3060, 20);
}

/// Sorts of values that die there, of several lines and inputs, and of one that is read again.
TEST(NumericPathsTest, sortsInPlace) {
  const std::string comparator = " ({\n^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: "
                                 "tensor<f32>):\n%p = stablehlo.compare GT, %a, %b : (tensor<i32>, "
                                 "tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}) "
                                 ": (tensor<4x7xi32>, tensor<4x7xf32>) -> (tensor<4x7xi32>, "
                                 "tensor<4x7xf32>)\n";
  for (const char *dim : {"0", "1"})
    for (const char *second : {"%m", "%n"})
      comparePaths(program("%x: tensor<4x7xi32>, %y: tensor<4x7xf32>",
                           {"tensor<4x7xi32>", "tensor<4x7xf32>", "tensor<4x7xf32>"},
                           std::string("%k = stablehlo.reverse %x, dims = [1] : tensor<4x7xi32>\n"
                                       "%m = stablehlo.reverse %y, dims = [0] : tensor<4x7xf32>\n"
                                       "%n = stablehlo.reverse %y, dims = [1] : tensor<4x7xf32>\n"
                                       "%r2 = stablehlo.reverse ") +
                               second + ", dims = [0] : tensor<4x7xf32>\n" +
                               "%s:2 = \"stablehlo.sort\"(%k, %m) <{dimension = " + dim +
                               " : i64, is_stable = true}>" + comparator +
                               "%r0 = stablehlo.add %s#0, %s#0 : tensor<4x7xi32>\n"
                               "%r1 = stablehlo.reverse %s#1, dims = [0] : tensor<4x7xf32>\n"),
                   17);
}

/// Parts of random bits are those of all of them, also at starts outside, which are clamped.
TEST(NumericPathsTest, slicesOfRandomBits) {
  for (const char *algorithm : {"PHILOX", "THREE_FRY"})
    for (const char *bits : {"8x6xui32", "7x5xui32", "6x4xui64", "9x3xui8"}) {
      std::string all = std::string("tensor<") + bits + ">";
      std::string part = "tensor<3x2" + std::string(bits).substr(3) + ">";
      comparePaths(
          program("%state: tensor<2xui64>, %i: tensor<i32>, %j: tensor<i32>",
                  {part, "tensor<2xui64>", part},
                  "%c4 = stablehlo.constant dense<4> : tensor<i32>\n"
                  "%r1, %b = stablehlo.rng_bit_generator %state, algorithm = " +
                      std::string(algorithm) + " : (tensor<2xui64>) -> (tensor<2xui64>, " + all +
                      ")\n%r0 = stablehlo.dynamic_slice %b, %i, %j, sizes = [3, 2] : (" + all +
                      ", tensor<i32>, tensor<i32>) -> " + part +
                      "\n%n, %d = stablehlo.rng_bit_generator %r1, algorithm = " + algorithm +
                      " : (tensor<2xui64>) -> (tensor<2xui64>, " + all +
                      ")\n%r2 = stablehlo.dynamic_slice %d, %c4, %c4, sizes = [3, 2] : (" + all +
                      ", tensor<i32>, tensor<i32>) -> " + part + "\n"),
          23);
    }
}

const std::vector<std::string> kNarrowTypes = {
    "i2",     "i4",         "ui2",   "ui4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ",
    "f8E5M2", "f8E5M2FNUZ", "f8E3M4"};

TEST(NumericPathsTest, narrowTypesConvertToAllAndBack) {
  unsigned seed = 3000;
  for (const std::string &narrow : kNarrowTypes)
    for (const std::string other : {"i1", "i8", "ui8", "i32", "ui64", "f16", "bf16", "f32", "f64",
                                    "complex<f32>", "i4", "ui2", "f8E5M2", "f8E4M3FN"}) {
      std::string a = "tensor<60x" + narrow + ">";
      std::string b = "tensor<60x" + other + ">";
      if (a == b)
        continue;
      comparePaths(program("%x: " + a + ", %y: " + b, {b, a},
                           "%r0 = stablehlo.convert %x : (" + a + ") -> " + b +
                               "\n%r1 = stablehlo.convert %y : (" + b + ") -> " + a),
                   seed++);
    }
}

TEST(NumericPathsTest, narrowTypesCompute) {
  unsigned seed = 3200;
  for (const std::string &type : kNarrowTypes) {
    bool isFloat = type[0] == 'f';
    std::string t = "tensor<4x30x" + type + ">";
    std::string s = "tensor<" + type + ">";
    std::string p = "tensor<4x30xi1>";
    std::vector<std::string> ops = {"add", "subtract", "multiply", "divide", "maximum", "minimum"};
    if (!isFloat)
      ops.insert(ops.end(), {"power", "and", "or", "xor", "shift_left", "shift_right_logical",
                             "shift_right_arithmetic", "remainder"});
    for (const std::string &op : ops)
      comparePaths(
          program("%x: " + t + ", %y: " + t, {t}, "%r0 = stablehlo." + op + " %x, %y : " + t),
          seed++);
    if (!isFloat)
      comparePaths(program("%x: " + t, {t, t, t},
                           "%r0 = stablehlo.popcnt %x : " + t +
                               "\n%r1 = stablehlo.count_leading_zeros %x : " + t +
                               "\n%r2 = stablehlo.not %x : " + t),
                   seed++);
    comparePaths(program("%x: " + t + ", %y: " + t + ", %z: " + s,
                         {p, t, t, "tensor<30x4x" + type + ">", "tensor<4x4x" + type + ">", t},
                         "%r0 = stablehlo.compare LT, %x, %y : (" + t + ", " + t + ") -> " + p +
                             "\n%r1 = stablehlo.select %r0, %x, %y : " + p + ", " + t +
                             "\n%r2 = stablehlo.negate %x : " + t +
                             "\n%r3 = stablehlo.transpose %x, dims = [1, 0] : (" + t +
                             ") -> tensor<30x4x" + type +
                             ">\n%r4 = stablehlo.dot_general %x, "
                             "%r3, contracting_dims = [1] x [0] : (" +
                             t + ", tensor<30x4x" + type + ">) -> tensor<4x4x" + type +
                             ">\n%r5 = stablehlo.iota dim = 1 : " + t),
                 seed++, 40);
  }
}

} // namespace
} // namespace shardwise::execute
