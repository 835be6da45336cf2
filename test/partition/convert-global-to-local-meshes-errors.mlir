// RUN: shardwise-opt %s -sdy-convert-global-to-local -verify-diagnostics -split-input-file

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @order = <["x"=2], device_ids=[1, 0]>

func.func @orders(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                  %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error @below {{has values on different meshes; run shardwise-insert-partition-reshards first}}
  %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @order = <["x"=2], device_ids=[1, 0]>

func.func @result(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}]>}) {
  // expected-error @below {{operand 0 is on other devices than what it becomes}}
  return %a : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @device = <[], device_ids=[1]>

func.func @operand_on_device(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>}) -> tensor<8xf32> {
  // expected-error @below {{has values on different meshes}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @device = <[], device_ids=[1]>

func.func @cut_operand(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>}) {
  // expected-error @below {{has values on different meshes}}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@device, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @order = <["x"=2], device_ids=[1, 0]>

func.func @reshard(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@order, [{"x"}]>}) {
  // expected-error @below {{changes a sharding and has no local form}}
  %0 = sdy.reshard %a <@order, [{"x"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-note @below {{the other mesh is here}}
sdy.mesh @mesh = <["x"=2]>
// expected-error @below {{"device" is not a device of "mesh"; name one of its devices}}
sdy.mesh @device = <[], device_ids=[2]>

func.func @no_device(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                     %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@device, []>}) {
  return
}
