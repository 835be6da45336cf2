// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which programs are refused, with what text.

#include "shardwise/dialect/stablehlo/SupportedPrograms.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace shardwise::stablehlo {
namespace {

class SupportedProgramsTest : public testing::Test {
protected:
  SupportedProgramsTest() {
    context.loadDialect<StablehloDialect, mlir::func::FuncDialect>();
    context.allowUnregisteredDialects();
  }

  using Check = mlir::LogicalResult (*)(mlir::ModuleOp);

  /// Returns the errors of a check, one per line.
  std::string check(llvm::StringRef text, Check checkModule = checkSupported) {
    std::string errors;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      errors += diagnostic.str() + "\n";
      return mlir::success();
    });
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return "does not parse: " + errors;
    bool supported = mlir::succeeded(checkModule(*module));
    EXPECT_EQ(supported, errors.empty());
    return errors;
  }

  /// The same for one function with the body `ops`.
  std::string checkOps(const std::string &arguments, const std::string &ops,
                       Check checkModule = checkSupported) {
    return check("func.func @f(" + arguments + ") {\n" + ops + "\nreturn\n}", checkModule);
  }

  mlir::MLIRContext context;
};

#define EXPECT_ERROR(errors, text) EXPECT_NE((errors).find(text), std::string::npos) << (errors)

TEST_F(SupportedProgramsTest, ordinaryProgramsPass) {
  EXPECT_EQ(checkOps("%a: tensor<4xf32>, %p: tensor<i1>", R"(
    %0 = stablehlo.tanh %a : tensor<4xf32>
    %1 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.while(%i = %a) : tensor<4xf32> cond { stablehlo.return %p : tensor<i1> }
      do { stablehlo.return %i : tensor<4xf32> }
    %3 = stablehlo.create_token : !stablehlo.token
    %4 = stablehlo.custom_call @Sharding(%a) : (tensor<4xf32>) -> tensor<4xf32>)"),
            "");
}

TEST_F(SupportedProgramsTest, dynamicShapesAreRefusedByOpAndByType) {
  std::string errors = checkOps("%a: tensor<4xf32>, %s: tensor<2xi32>",
                                "%0 = stablehlo.dynamic_reshape %a, %s : "
                                "(tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>");
  EXPECT_ERROR(errors, "'stablehlo.dynamic_reshape' op is not supported: dynamic shapes; export "
                       "with static shapes");
  errors = checkOps("%a: tensor<?xf32>", "");
  EXPECT_ERROR(errors, "'func.func' op is not supported: type 'tensor<?xf32>': dynamic shapes are "
                       "not supported; export with static shapes");
  EXPECT_ERROR(check("module attributes {jax.uses_shape_polymorphism = true} {}"),
               "jax.uses_shape_polymorphism");
}

TEST_F(SupportedProgramsTest, typesAreRefusedByName) {
  EXPECT_ERROR(checkOps("%a: tensor<4x!quant.uniform<i8:f32, 0.5>>", ""), "quantised types");
  EXPECT_ERROR(checkOps("%a: memref<4xf32>", ""), "buffers are not supported");
  EXPECT_ERROR(checkOps("%a: !stablehlo.future<tensor<4xf32>>", ""), "asynchronous values");
  EXPECT_ERROR(checkOps("%a: tensor<4xf4E2M1FN>", ""), "floats of 4 and 6 bits");
  EXPECT_ERROR(checkOps("%a: f32", ""), "use a tensor of rank 0 for a scalar");
  EXPECT_ERROR(checkOps("%a: tensor<*xf32>", ""), "dynamic shapes");
  EXPECT_ERROR(checkOps("%a: tuple<tensor<2xf32>, tensor<?xf32>>", ""), "dynamic shapes");
  EXPECT_ERROR(checkOps("%a: !stablehlo.token", ""), "ordered effects");
  EXPECT_ERROR(checkOps("%a: tuple<tensor<2xf32>>", ""), "tuples as arguments or results");
  EXPECT_ERROR(checkOps("%a: tensor<?xf32, #stablehlo.bounds<4>>", ""), "dynamic shapes");
  EXPECT_EQ(checkOps("%a: tensor<4xf8E4M3FN>, %b: tensor<4xcomplex<f32>>, %c: tensor<4xui4>", ""),
            "");
}

TEST_F(SupportedProgramsTest, everyOpOfTierThreeIsRefusedWithItsReason) {
  struct Case {
    const char *op, *reason;
  };
  const Case cases[] = {
      {R"("stablehlo.dynamic_broadcast_in_dim"(%a, %s) <{broadcast_dimensions = array<i64: 0>}> :
          (tensor<4xf32>, tensor<2xi32>) -> tensor<4x2xf32>)",
       "dynamic shapes"},
      {R"("stablehlo.dynamic_conv"(%i, %k, %p) <{dimension_numbers =
          #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64,
          batch_group_count = 1 : i64}> : (tensor<1x1x4xf32>, tensor<1x1x2xf32>,
          tensor<1x2xi32>) -> tensor<1x1x3xf32>)",
       "dynamic shapes"},
      {R"("stablehlo.dynamic_gather"(%a, %j, %one) <{dimension_numbers =
          #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim =
          1>}> : (tensor<4xf32>, tensor<5x1xi32>, tensor<1xi32>) -> tensor<5xf32>)",
       "dynamic shapes"},
      {R"("stablehlo.dynamic_iota"(%one) <{iota_dimension = 0 : i64}> : (tensor<1xi32>) ->
          tensor<4xf32>)",
       "dynamic shapes"},
      {R"("stablehlo.dynamic_pad"(%a, %v, %one, %one, %one) : (tensor<4xf32>, tensor<f32>,
          tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<6xf32>)",
       "dynamic shapes"},
      {R"("stablehlo.dynamic_reshape"(%a, %s) : (tensor<4xf32>, tensor<2xi32>) -> tensor<2x2xf32>)",
       "dynamic shapes; export with static shapes"},
      {R"("stablehlo.real_dynamic_slice"(%a, %one, %one, %one) : (tensor<4xf32>, tensor<1xi32>,
          tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>)",
       "dynamic shapes"},
      {R"("stablehlo.set_dimension_size"(%a, %n) <{dimension = 0 : i64}> : (tensor<4xf32>,
          tensor<i32>) -> tensor<4xf32>)",
       "dynamic shapes"},
      {R"("stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token))",
       "host transfer; pass the data as arguments and results"},
      {R"("stablehlo.outfeed"(%a, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token)",
       "host transfer"},
      {R"("stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type =
          2>, is_host_transfer = true}> : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token)",
       "host transfer"},
      {R"("stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 3>,
          is_host_transfer = true}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token))",
       "host transfer"},
      {R"("stablehlo.async_start"(%a) ({ ^bb0(%b: tensor<4xf32>): %x = stablehlo.slice %b [0:2] :
          (tensor<4xf32>) -> tensor<2xf32> stablehlo.return %x : tensor<2xf32> }) :
          (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>)",
       "asynchronous ops; export the synchronous form"},
      {R"("stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>)",
       "asynchronous ops"},
      {R"("stablehlo.uniform_quantize"(%a) : (tensor<4xf32>) ->
          tensor<4x!quant.uniform<i8:f32, 0.5:3>>)",
       "quantised types; export in floating point"},
      {R"("stablehlo.uniform_dequantize"(%q) : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) ->
          tensor<4xf32>)",
       "quantised types"},
      {R"("stablehlo.rng"(%v, %v, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> :
          (tensor<f32>, tensor<f32>, tensor<2xi32>) -> tensor<4x6xf32>)",
       "hidden random state; use rng_bit_generator"},
      {R"("stablehlo.einsum"(%a, %a) <{einsum_config = "a,a->"}> : (tensor<4xf32>, tensor<4xf32>) ->
          tensor<f32>)",
       "deprecated; use dot_general"},
      {R"("stablehlo.unary_einsum"(%a) <{einsum_config = "a->"}> : (tensor<4xf32>) -> tensor<f32>)",
       "deprecated; use reduce"},
      {R"("stablehlo.torch_index_select"(%a, %s) <{batch_dims = 0 : i64, dim = 0 : i64}> :
          (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>)",
       "deprecated; use gather"},
      {R"("stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> :
          (tensor<4xf32>) -> tensor<4xf32>)",
       "deprecated; use all_reduce"},
      {R"("stablehlo.collective_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
          ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %z : tensor<f32> }) : (tensor<4xf32>) -> tensor<4xf32>)",
       "use all_reduce"},
  };
  const std::string arguments =
      "%a: tensor<4xf32>, %s: tensor<2xi32>, %n: tensor<i32>, %one: tensor<1xi32>, %v: "
      "tensor<f32>, "
      "%i: tensor<1x1x4xf32>, %k: tensor<1x1x2xf32>, %p: tensor<1x2xi32>, %j: tensor<5x1xi32>, "
      "%m: tensor<4x6xf32>, %t: !stablehlo.token, %f: !stablehlo.future<tensor<2xf32>>, "
      "%q: tensor<4x!quant.uniform<i8:f32, 0.5:3>>";
  for (const Case &refused : cases) {
    std::string name = refused.op;
    name = name.substr(1, name.find('"', 1) - 1);
    std::string errors = checkOps(arguments, refused.op);
    EXPECT_ERROR(errors, "'" + name + "' op is not supported: ");
    EXPECT_ERROR(errors, refused.reason);
  }
}

TEST_F(SupportedProgramsTest, targetsOfJaxAreRefusedWithWhatToDo) {
  auto callOf = [&](const std::string &target, Check check) {
    return checkOps(
        "%a: tensor<4xf32>",
        "%0 = stablehlo.custom_call @" + target + "(%a) : (tensor<4xf32>) -> tensor<4xf32>", check);
  };
  auto errorOf = [&](const std::string &target) { return callOf(target, checkSupported); };
  auto missing = [&](const std::string &target) {
    EXPECT_EQ(errorOf(target), "");
    return callOf(target, checkKernels);
  };
  EXPECT_ERROR(missing("lapack_sgeqrf_ffi"), "only potrf, trsm and getrf");
  EXPECT_ERROR(missing("lapack_cpotrf_ffi"), "only potrf, trsm and getrf of f32 and f64");
  EXPECT_ERROR(missing("cu_threefry2x32_ffi"), "export for the CPU");
  EXPECT_ERROR(errorOf("SPMDFullToShardShape"), "export with the Shardy partitioner");
  EXPECT_ERROR(errorOf("xla.sdy.GlobalToLocalShape"), "export the text of lower()");
  EXPECT_ERROR(errorOf("stablehlo.dynamic_top_k"), "dynamic shapes");
  EXPECT_ERROR(errorOf("ApproxTopK"), "use jax.lax.top_k");
  EXPECT_ERROR(missing("xla_ffi_partitioned_python_cpu_callback"), "host callbacks");
  EXPECT_ERROR(missing("mhlo.unknown"), "lower it to StableHLO ops before export");
  for (const char *target : {"Sharding", "LayoutConstraint", "mhlo.erf", "mhlo.asin"})
    EXPECT_EQ(errorOf(target), "");
}

TEST_F(SupportedProgramsTest, knownTargetsTakeAndGiveWhatTheyMean) {
  auto errorOf = [&](const std::string &call) {
    return checkOps("%v: tensor<4xf32>, %i: tensor<4xi32>, %a: tensor<2x3x3xf32>, "
                    "%w: tensor<2x3x4xf32>, %d: tensor<3x3xf64>",
                    call);
  };
  const char *shapes =
      "%0 = stablehlo.custom_call @Sharding(%v) : (tensor<4xf32>) -> tensor<5xf32>";
  EXPECT_ERROR(errorOf(shapes), "'Sharding' takes one operand and gives a result of the same type");
  EXPECT_ERROR(
      errorOf("%0 = stablehlo.custom_call @mhlo.erf(%i) : (tensor<4xi32>) -> tensor<4xi32>"),
      "'mhlo.erf' takes 1 operand(s) and gives a result of one floating-point tensor type");
  EXPECT_ERROR(
      errorOf("%0 = stablehlo.custom_call @mhlo.zeta(%v) : (tensor<4xf32>) -> tensor<4xf32>"),
      "'mhlo.zeta' takes 2 operand(s)");
  EXPECT_ERROR(errorOf("%0:2 = stablehlo.custom_call @mhlo.topk(%v) : (tensor<4xf32>) -> "
                       "(tensor<5xf32>, tensor<5xi32>)"),
               "'mhlo.topk' takes a tensor and gives the k largest elements");
  EXPECT_ERROR(errorOf("%0:2 = stablehlo.custom_call @mhlo.topk(%v) {mhlo.attributes = {largest = "
                       "false}} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)"),
               "largest = false is not supported; negate the operand");
  EXPECT_EQ(errorOf("%0:2 = stablehlo.custom_call @mhlo.topk(%v) : (tensor<4xf32>) -> "
                    "(tensor<2xf32>, tensor<2xi32>)"),
            "");
  EXPECT_EQ(errorOf("%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<2x3x3xf32>) -> "
                    "(tensor<2x3x3xf32>, tensor<2xi32>)"),
            "");
  EXPECT_ERROR(errorOf("%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%w) : (tensor<2x3x4xf32>) "
                       "-> (tensor<2x3x4xf32>, tensor<2xi32>)"),
               "takes square matrices and gives their factors and i32 status");
  EXPECT_ERROR(errorOf("%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = "
                       "{uplo = 7 : ui8}} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, "
                       "tensor<2xi32>)"),
               "takes one of the characters \"LU\" as uplo, got code 7");
  EXPECT_ERROR(errorOf("%0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%d) : (tensor<3x3xf64>) -> "
                       "(tensor<3x3xf64>, tensor<i32>)"),
               "'lapack_spotrf_ffi' takes square matrices");
  EXPECT_EQ(errorOf("%0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%w) : (tensor<2x3x4xf32>) -> "
                    "(tensor<2x3x4xf32>, tensor<2x3xi32>, tensor<2xi32>)"),
            "");
  EXPECT_ERROR(errorOf("%0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%w) : (tensor<2x3x4xf32>) "
                       "-> (tensor<2x3x4xf32>, tensor<2x4xi32>, tensor<2xi32>)"),
               "i32 pivots");
  EXPECT_EQ(errorOf("%0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %w) : (tensor<2x3x3xf32>, "
                    "tensor<2x3x4xf32>) -> tensor<2x3x4xf32>"),
            "");
  EXPECT_ERROR(
      errorOf("%0 = stablehlo.custom_call @lapack_strsm_ffi(%a, %w) {mhlo.backend_config = "
              "{side = 82 : ui8}} : (tensor<2x3x3xf32>, tensor<2x3x4xf32>) -> "
              "tensor<2x3x4xf32>"),
      "right-hand sides that fit them");
}

TEST_F(SupportedProgramsTest, customCallsMayBeOfAnyKernel) {
  const char *call = "%0 = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32>";
  EXPECT_EQ(checkOps("%a: tensor<4xf32>", call), "");
  EXPECT_ERROR(checkOps("%a: tensor<4xf32>", call, checkKernels),
               "custom call target 'foo' has no kernel that could be run: lower it to StableHLO");
  const char *callback = "stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) "
                         "{has_side_effect = true} : (tensor<4xf32>) -> ()";
  EXPECT_EQ(checkOps("%a: tensor<4xf32>", callback), "");
  EXPECT_ERROR(checkOps("%a: tensor<4xf32>", callback, checkKernels), "host callbacks");
  EXPECT_EQ(checkOps("%a: tensor<4xf32>",
                     "%0 = stablehlo.custom_call @Sharding(%a) : (tensor<4xf32>) -> tensor<4xf32>",
                     checkKernels),
            "");
}

TEST_F(SupportedProgramsTest, whatNamesNoFileIsWhereItsFunctionIsCalled) {
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @svd(%a) : (tensor<4xf32>) -> tensor<4xf32> loc(fused["model.py":12:3, "svd"])
      return %0 : tensor<4xf32> loc(unknown)
    } loc(unknown)
    func.func private @svd(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @inner(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("svd")
      return %0 : tensor<4xf32> loc(unknown)
    } loc(unknown)
    func.func private @inner(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.custom_call @foo(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("svd")
      return %0 : tensor<4xf32> loc(unknown)
    } loc(unknown))",
                                                                                     &context);
  ASSERT_TRUE(module);
  std::string place;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (auto file = diagnostic.getLocation()->findInstanceOf<mlir::FileLineColLoc>())
      place = file.getFilename().str() + ":" + std::to_string(file.getLine());
    return mlir::success();
  });
  EXPECT_TRUE(mlir::failed(checkKernels(*module)));
  EXPECT_EQ(place, "model.py:12");
  module->walk([](mlir::func::CallOp call) {
    EXPECT_EQ(call.getCallee() == "svd",
              bool(call->getLoc()->findInstanceOf<mlir::FileLineColLoc>()));
  });
}

TEST_F(SupportedProgramsTest, customCallsThatAreNoKernelsAreRefused) {
  EXPECT_ERROR(checkOps("%a: tensor<4xf32>",
                        "%0 = stablehlo.custom_call @SPMDFullToShardShape(%a) : (tensor<4xf32>) -> "
                        "tensor<4xf32>"),
               "'SPMDFullToShardShape' is not supported: the form of shard_map before Shardy");
}

TEST_F(SupportedProgramsTest, raggedAllToAllMustFit) {
  auto errorOf = [&](const std::string &types, const std::string &config) {
    return checkOps("%r: tensor<8x3xf32>, %o: tensor<16x3xf32>, %l: tensor<4xi32>, "
                    "%s: tensor<2xi32>, %w: tensor<16x4xf32>, %f: tensor<4xf32>",
                    "%0 = stablehlo.custom_call @ragged_all_to_all(" + types +
                        " {api_version = 4 : i32, backend_config = {" + config + "}}" +
                        " : (tensor<8x3xf32>, tensor<16x3xf32>, tensor<4xi32>, tensor<4xi32>, "
                        "tensor<4xi32>, tensor<4xi32>) -> tensor<16x3xf32>");
  };
  std::string groups = "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>";
  EXPECT_EQ(errorOf("%r, %o, %l, %l, %l, %l)", groups + ", channel_id = 1 : i64"), "");
  EXPECT_ERROR(errorOf("%r, %o, %l, %l, %l, %l)", ""), "needs replica_groups");
  EXPECT_ERROR(
      errorOf("%r, %o, %l, %l, %l, %l)", "replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>"),
      "as many elements for each device of a group, got 4 for 3 devices");
  EXPECT_ERROR(errorOf("%r, %o, %l, %l, %l, %l)", groups + ", channel_id = \"1\""),
               "an integer as channel_id");
  auto ofTypes = [&](const std::string &operands, const std::string &types) {
    return checkOps("%r: tensor<8x3xf32>, %o: tensor<16x3xf32>, %l: tensor<4xi32>, "
                    "%s: tensor<2xi32>, %w: tensor<16x4xf32>, %f: tensor<4xf32>",
                    "%0 = stablehlo.custom_call @ragged_all_to_all(" + operands +
                        ") {api_version = 4 : i32, backend_config = {" + groups + "}} : " + types);
  };
  EXPECT_ERROR(ofTypes("%r, %o", "(tensor<8x3xf32>, tensor<16x3xf32>) -> tensor<16x3xf32>"),
               "takes operand, output, input_offsets");
  EXPECT_ERROR(ofTypes("%r, %w, %l, %l, %l, %l",
                       "(tensor<8x3xf32>, tensor<16x4xf32>, tensor<4xi32>, tensor<4xi32>, "
                       "tensor<4xi32>, tensor<4xi32>) -> tensor<16x4xf32>"),
               "differ in their numbers of rows only, got 'tensor<8x3xf32>'");
  EXPECT_ERROR(ofTypes("%r, %o, %l, %l, %l, %l",
                       "(tensor<8x3xf32>, tensor<16x3xf32>, tensor<4xi32>, tensor<4xi32>, "
                       "tensor<4xi32>, tensor<4xi32>) -> tensor<8x3xf32>"),
               "gives a result of the type of output");
  EXPECT_ERROR(ofTypes("%r, %o, %l, %l, %f, %l",
                       "(tensor<8x3xf32>, tensor<16x3xf32>, tensor<4xi32>, tensor<4xi32>, "
                       "tensor<4xf32>, tensor<4xi32>) -> tensor<16x3xf32>"),
               "a list of integers as output_offsets, got 'tensor<4xf32>'");
  EXPECT_ERROR(ofTypes("%r, %o, %l, %s, %l, %l",
                       "(tensor<8x3xf32>, tensor<16x3xf32>, tensor<4xi32>, tensor<2xi32>, "
                       "tensor<4xi32>, tensor<4xi32>) -> tensor<16x3xf32>"),
               "takes lists of one length, got 'tensor<4xi32>' as input_offsets and");
}

TEST_F(SupportedProgramsTest, unknownOpsAreRefused) {
  EXPECT_ERROR(checkOps("", "\"foo.bar\"() : () -> ()"), "unknown op of dialect 'foo'");
  EXPECT_ERROR(checkOps("%a: tensor<f32>, %s: tensor<2xi64>",
                        "%0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, "
                        "tensor<f32>, tensor<2xi64>) -> tensor<4x6xf32>"),
               "hidden random state");
}

TEST_F(SupportedProgramsTest, opsWithoutMeaningAreRefused) {
  EXPECT_ERROR(checkOps("%a: tensor<4xf32>",
                        "%0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<4xf32>, "
                        "tensor<4xf32>) -> tensor<4xi1>"),
               "compare_type SIGNED does not fit the element type 'f32'");
  EXPECT_ERROR(checkOps("%s: tensor<2xui64>",
                        "%0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : "
                        "(tensor<2xui64>) -> (tensor<2xui64>, tensor<4xi1>)"),
               "random bits of type 'i1'; expected integers or floats");
  EXPECT_ERROR(checkOps("%a: tensor<4xcomplex<f32>>",
                        "%0 = stablehlo.remainder %a, %a : tensor<4xcomplex<f32>>"),
               "complex numbers have no remainder");
  EXPECT_ERROR(checkOps("%s: tensor<4xui64>",
                        "%0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : "
                        "(tensor<4xui64>) -> (tensor<4xui64>, tensor<4xui32>)"),
               "algorithm THREE_FRY takes a state of type tensor<2xui64>");
  EXPECT_ERROR(checkOps("%a: tensor<4xf32>",
                        "%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, "
                        "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) "
                        "-> tensor<12xf32>"),
               "the result size 12 of dimension 0 is not the operand size 4 times 2");
}

TEST_F(SupportedProgramsTest, nestedOpsAreFound) {
  EXPECT_ERROR(checkOps("%a: tensor<4xf32>, %p: tensor<i1>", R"(
    %0 = "stablehlo.if"(%p) ({
      %1 = stablehlo.custom_call @SPMDinner(%a) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }, {
      stablehlo.return %a : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>)"),
               "'SPMDinner'");
}

TEST_F(SupportedProgramsTest, reportsAreLimited) {
  std::string ops;
  for (int i = 0; i < 40; ++i)
    ops += "stablehlo.custom_call @SPMDfoo() : () -> ()\n";
  std::string errors = checkOps("", ops);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 16);
}

} // namespace
} // namespace shardwise::stablehlo
