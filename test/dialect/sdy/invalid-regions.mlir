// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Computations, edges and barriers that break a rule.

// D30
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{result shardings don't match number of values: 2 shardings vs 1 values}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>, <@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>) {
    sdy.return %a : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D60
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{number of op operands and region values must match: 1 op operands vs 2 region values}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>, %b: tensor<8x32xf32>) {
    sdy.return %a : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D60: results
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{number of op results and region values must match: 1 op results vs 0 region values}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>) {
    sdy.return
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D61
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{operand - manual axes must come before free axes in its dimension sharding at index 0: manual axis "x" is after free axis "y"}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"y", "x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>) {
    sdy.return %a : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D62
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<5x32xf32>) {
  // expected-error@+1 {{dimension 0 of size 5 is not divisible by the manual axes size 2}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>) {
    sdy.return %a : tensor<8x32xf32>
  } : (tensor<5x32xf32>) -> tensor<5x32xf32>
  return
}

// -----

// D63
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{Expected local shape 'tensor<8x32xf32>', actual local shape 'tensor<16x32xf32>'}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<16x32xf32>) {
    sdy.return %a : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D63: element type
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{Expected local shape 'tensor<8x32xf32>', actual local shape 'tensor<8x32xi32>'}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xi32>) {
    sdy.return %a : tensor<8x32xi32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D64
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
sdy.mesh @other = <["u"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{same mesh or an empty mesh}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@other, [{}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>) {
    sdy.return %a : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

// D65
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{unknown manual axis: "w"}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"w"} (%a: tensor<16x32xf32>) {
    sdy.return %a : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D65: only empty meshes
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{unknown manual axis: "x"}}
  %0 = sdy.manual_computation(%t) in_shardings=[<mesh<[]>, [{}, {}]>] out_shardings=[<mesh<[]>, [{}, {}]>] manual_axes={"x"} (%a: tensor<16x32xf32>) {
    sdy.return %a : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// maximal sharding of a ranked value
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-error@+1 {{cannot have a maximal sharding}}
  %0 = sdy.manual_computation(%t) in_shardings=[<mesh<[], device_ids=[0]>, []>] out_shardings=[<mesh<[], device_ids=[0]>, []>] manual_axes={} (%a: tensor<16x32xf32>) {
    sdy.return %a : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// D29: manual twice
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<16x32xf32>) {
  // expected-note@+1 {{the parent}}
  %0 = sdy.manual_computation(%t) in_shardings=[<@m, [{"x"}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%a: tensor<8x32xf32>) {
    // expected-error@+1 {{operates on axis "x", which is already bound by a parent}}
    %1 = sdy.manual_computation(%a) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{}, {}]>] manual_axes={"x"} (%b: tensor<8x32xf32>) {
      sdy.return %b : tensor<8x32xf32>
    } : (tensor<8x32xf32>) -> tensor<8x32xf32>
    sdy.return %1 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return
}

// -----

// wrong terminator
func.func @f() {
  // expected-error@+2 {{expects regions to end with 'sdy.return', found 'test.end'}}
  // expected-note@+1 {{in custom textual format, the absence of terminator implies 'sdy.return'}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    "test.end"() : () -> ()
  } : () -> ()
  return
}

// -----

// D66
func.func @f(%t: tensor<8xf32>) {
  // expected-error@+1 {{cannot specify `BOTH` as the direction}}
  %0 = sdy.propagation_barrier %t allowed_direction=BOTH : tensor<8xf32>
  return
}

// -----

// D67
func.func @f(%t: tensor<8xf32>) {
  // expected-error@+1 {{number of block arguments must match number of operands: 0 != 1}}
  sdy.named_computation<"n">(%t) () {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// D68
func.func @f(%t: tensor<8xf32>) {
  // expected-error@+1 {{block argument 0 has type 'tensor<4xf32>', expected the operand's type 'tensor<8xf32>'}}
  sdy.named_computation<"n">(%t) (%a: tensor<4xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// D69
func.func @f(%t: tensor<8xf32>) {
  // expected-error@+1 {{incompatible with result types}}
  %0 = sdy.named_computation<"n">(%t) (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

// D30 of a named computation
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f(%t: tensor<8xf32>) {
  // expected-error@+1 {{in_shardings shardings don't match number of values: 0 shardings vs 1 values}}
  sdy.named_computation<"n">(%t) in_shardings=[] (%a: tensor<8xf32>) {
    sdy.return
  } : (tensor<8xf32>) -> ()
  return
}

// -----

// D80
func.func @f(%t: tensor<?xf32>) {
  // expected-error@+1 {{static-shaped result, but its type is 'tensor<?xf32>'}}
  %0 = sdy.data_flow_edge %t : tensor<?xf32>
  return
}

// -----

// D81
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected input to have a single user, but it has 2}}
  %0 = sdy.data_flow_edge %t : tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// D82
func.func @f(%t: tensor<8xf32>) {
  // expected-note@+1 {{sdy op defining the input}}
  %0 = sdy.propagation_barrier %t allowed_direction=NONE : tensor<8xf32>
  // expected-error@+1 {{expected input to not be defined by an sdy op}}
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

// a result of an unregistered operation may have an edge; its sharding is checked
sdy.mesh @m = <["x"=2, "y"=4, "z"=8]>
func.func @f() {
  %0 = "test.op"() : () -> tensor<8xf32>
  // expected-error@+1 {{unknown axis name: "w"}}
  %1 = sdy.data_flow_edge %0 sharding=<@m, [{"w"}]> : tensor<8xf32>
  return
}

// -----

// D83
func.func @f(%t: tensor<?xf32>) {
  // expected-error@+1 {{static-shaped result}}
  %0 = sdy.func_data_flow_edge %t : tensor<?xf32>
  return
}

// -----

// D84
func.func @f(%t: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{single user}}
  %0 = sdy.func_data_flow_edge %t : tensor<8xf32>
  return %t : tensor<8xf32>
}

// -----

// D85
func.func @f(%t: tensor<8xf32>) {
  "test.op"(%t) ({
  ^bb0(%a: tensor<8xf32>):
    // expected-error@+1 {{expected operand to be a block argument of a func}}
    %0 = sdy.func_data_flow_edge %a : tensor<8xf32>
    "test.end"() : () -> ()
  }) : (tensor<8xf32>) -> ()
  return
}

// -----

// D86
func.func @f() {
  %0 = "test.op"() : () -> tensor<8xf32>
  // expected-error@+1 {{expected operand to be a result of call}}
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return
}

// -----

// The body of a broken computation is freed before the op that uses %d.
func.func @f(%a: tensor<8xf32>) {
  %b = "test.op"(%d) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error@+1 {{defines a value in its body that is used outside of it}}
  %c = sdy.named_computation<"layer">(%a) (%e: tensor<8xf32>) {
    %d = stablehlo.cosine %e : tensor<8xf32>
    sdy.return %d : tensor<8xf32>
  } : broken
  return
}

// -----

// The use is in a region of an op that is not complete yet.
func.func @f(%a: tensor<8xf32>, %i: tensor<i1>) {
  %r = stablehlo.while(%x = %a) : tensor<8xf32>
  cond {
    %b = "test.op"(%d) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %i : tensor<i1>
  } do {
    // expected-error@+1 {{defines a value in its body that is used outside of it}}
    %c = sdy.named_computation<"layer">(%a) (%e: tensor<8xf32>) {
      %d = stablehlo.cosine %e : tensor<8xf32>
      sdy.return %d : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %c : tensor<8xf32>
  }
  return
}
