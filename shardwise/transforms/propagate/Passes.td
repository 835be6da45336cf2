// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that decide shardings.

#ifndef SHARDWISE_TRANSFORMS_PROPAGATE_PASSES
#define SHARDWISE_TRANSFORMS_PROPAGATE_PASSES

include "mlir/Pass/PassBase.td"

/// Works on what is in an op, so that it runs on a module, where each warning comes once, as well as
/// on its functions.
def PopulateOpShardingRulesPass : Pass<"sdy-populate-op-sharding-rules"> {
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
    Warns about ops and targets of custom calls that no rule is known for, once for each: shardings
    do not pass through them.
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
  Option<"dumpIndex", "dump-index", "int", "0", "number that the names of snapshots start with">,
  Option<"conservativePropagation", "conservative-propagation", "bool", "false",
         "never split an axis, and block factors whose sharding needs a halo exchange">,
  Option<"debugShardingOrigins", "debug-sharding-origins", "bool", "false",
         "attach to every value which annotation each of its axes comes from">,
  Option<"debugPropagationEdgeSharding", "debug-propagation-edge-sharding", "bool", "false",
         "attach to every op the steps that moved axes between its values">,
];

defvar kStrategyOption = [
  Option<"propagationStrategy", "propagation-strategy",
         "::shardwise::propagate::PropagationStrategy",
         "::shardwise::propagate::PropagationStrategy::Aggressive",
         "how conflicts between factors are settled", [{::llvm::cl::values(
           clEnumValN(::shardwise::propagate::PropagationStrategy::Basic, "basic",
                      "all tensors of an op agree"),
           clEnumValN(::shardwise::propagate::PropagationStrategy::Aggressive, "aggressive",
                      "the larger tensor wins"),
           clEnumValN(::shardwise::propagate::PropagationStrategy::BasicThenAggressive,
                      "basic-then-aggressive", "one after the other"))}]>,
];

defvar kOpPriorityOption = [
  Option<"runOpPriorityPropagation", "run-op-priority-propagation", "bool", "true",
         "let ops take part by levels: element-wise ops first, reductions last">,
];

def BasicPropagatePass : PropagationPass<"sdy-basic-propagate"> {
  let summary = "propagates shardings as long as all tensors of an op agree";
  let description = [{
    One round over all ops. An axis moves along a factor of an op only if every operand and result
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
    One round over all ops. Where two factors of an op want the same axis on a tensor, the factor
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

    With `debug-sharding-origins`, `sdy.sharding_origins = {x = "input: 0"}` says that `"x"` comes
    from the annotation of argument 0; `"self"` is the annotated value itself. With
    `debug-propagation-edge-sharding`, `sdy.propagation_edges` on an op says which step moved which
    axis from which operand or result to which others.
  }];
  let options = !listconcat(kCommonOptions, kStrategyOption, kOpPriorityOption);
}

def RemovePropagationDebugInfoPass : PropagationPass<"sdy-remove-propagation-debug-info"> {
  let summary = "removes what debug-sharding-origins and debug-propagation-edge-sharding attached";
}

def SaveModulePass : PropagationPass<"sdy-save-module"> {
  let summary = "writes the module to a numbered file";
  let description = "`DIRECTORY/NN.NAME.mlir`; nothing is written if the directory is empty.";
  let options = [
    Option<"moduleDumpDirectory", "module-dump-directory", "std::string", [{""}],
           "where to write the file; nowhere if empty">,
    Option<"dumpName", "dump-name", "std::string", [{"module"}], "name of the snapshot">,
    Option<"dumpIndex", "dump-index", "int", "0", "number that the name of the file starts with">,
  ];
}

#endif
