// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that decide shardings.

#ifndef SHARDWISE_TRANSFORMS_PROPAGATE_PASSES
#define SHARDWISE_TRANSFORMS_PROPAGATE_PASSES

include "mlir/Pass/PassBase.td"

def PopulateOpShardingRulesPass : Pass<"sdy-populate-op-sharding-rules", "::mlir::func::FuncOp"> {
  let summary = "attaches to every op the sharding rule that propagation uses";
  let description = [{
    ```mlir
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %1 = stablehlo.transpose %0, dims = [1, 0] {sdy.sharding_rule =
        #sdy.op_sharding_rule<([j, i])->([i, j]) {i=4, j=8}>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    ```
  }];
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
  let options = [
    Option<"conservativePropagation", "conservative-propagation", "bool", "false",
           "block factors whose sharding needs a halo exchange">,
  ];
}

class PropagationPass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::shardwise::sdy::SdyDialect"];
}

defvar kCommonOptions = [
  Option<"keepShardingRules", "keep-sharding-rules", "bool", "false",
         "leave the sharding rules that were used on the ops">,
  Option<"moduleDumpDirectory", "module-dump-directory", "std::string", [{""}],
         "where to write snapshots of the module; nowhere if empty">,
  Option<"conservativePropagation", "conservative-propagation", "bool", "false",
         "never split an axis, and block factors whose sharding needs a halo exchange">,
  Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
         "record which annotation each axis comes from">,
  Option<"debugPropagationEdgeSharding", "debug-propagation-edge-sharding", "bool", "false",
         "record the steps that brought each axis">,
];

defvar kStrategyOption = [
  Option<"propagationStrategy", "propagation-strategy",
         "::shardwise::transforms::PropagationStrategy",
         "::shardwise::transforms::PropagationStrategy::Aggressive",
         "how conflicts between factors are settled", [{::llvm::cl::values(
           clEnumValN(::shardwise::transforms::PropagationStrategy::Basic, "basic",
                      "all tensors of an op agree"),
           clEnumValN(::shardwise::transforms::PropagationStrategy::Aggressive, "aggressive",
                      "the larger tensor wins"),
           clEnumValN(::shardwise::transforms::PropagationStrategy::BasicThenAggressive,
                      "basic-then-aggressive", "one after the other"))}]>,
];

defvar kOpPriorityOption = [
  Option<"runOpPriorityPropagation", "run-op-priority-propagation", "bool", "true",
         "let ops take part by levels: element-wise ops first, reductions last">,
];

def BasicPropagatePass : PropagationPass<"sdy-basic-propagate"> {
  let summary = "propagates shardings as long as all tensors of an op agree";
  let description = [{
    One sweep over all ops. An axis moves along a factor of an op only if every operand and result
    can take it.
    ```mlir
    // %a: [{"x"}, {?} ], %b: no sharding
    %c = stablehlo.add %a, %b : tensor<8x8xf32>   // %b and %c: [{"x", ?}, {?} ]
    ```
  }];
  let options = kCommonOptions;
}

def AggressivePropagatePass : PropagationPass<"sdy-aggressive-propagate"> {
  let summary = "propagates shardings and settles conflicts in favour of the larger tensor";
  let description = [{
    One sweep over all ops. Where two factors of an op want the same axis on a tensor, the factor
    whose axes come from the larger tensor gets it.
  }];
  let options = !listconcat(kCommonOptions, kStrategyOption);
}

def OpPriorityPropagatePass : PropagationPass<"sdy-op-priority-propagate"> {
  let summary = "propagates shardings, cheap ops first";
  let description = [{
    Five rounds of aggressive propagation: element-wise ops whose operands have no other use,
    element-wise ops, pass-through factors of all ops, all factors, and last broadcasts forward.
  }];
  let options = !listconcat(kCommonOptions, kStrategyOption, kOpPriorityOption);
}

def UserPriorityPropagatePass : PropagationPass<"sdy-user-priority-propagate"> {
  let summary = "propagates shardings, in the order of the priorities that users gave";
  let description = [{
    Rounds of op-priority propagation: first with the dimension shardings without priority or with
    priority 0, then with those of priority 1 added, and so on. Axes of later rounds are reserved
    on their tensors.
  }];
  let options = !listconcat(kCommonOptions, kStrategyOption, kOpPriorityOption);
}

#endif
