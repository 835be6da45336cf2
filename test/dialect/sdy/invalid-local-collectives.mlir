// RUN: shardwise-opt %s -split-input-file -verify-diagnostics

// Collectives that work on shards.

// D101
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @gather(%a: tensor<4xf32>) {
  // expected-error@+1 {{sdy.in_sharding must be a sharding, but is 1 : i64}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = 1} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// D101
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @reshard(%a: tensor<4xf32>) {
  // expected-error@+1 {{sdy.in_sharding: unknown axis name: "z"}}
  %0 = sdy.reshard %a <@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"z"}]>} : tensor<4xf32>
  return
}

// -----

// D101
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @rank(%a: tensor<4xf32>) {
  // expected-error@+1 {{sdy.in_sharding: }}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}, {}]>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// D102
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @dynamic(%a: tensor<?xf32>) {
  // expected-error@+1 {{is local, so its types must be ranked and static, but they are 'tensor<?xf32>' and 'tensor<?xf32>'}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>} : tensor<?xf32>
  return
}

// -----

// D103
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @other_size(%a: tensor<4xf32>) {
  // expected-error@+1 {{is local: of 'tensor<8xf32>' its operand must be 'tensor<4xf32>' and its result 'tensor<8xf32>', but they are 'tensor<4xf32>' and 'tensor<9xf32>'; say by shardwise.global_type what does not divide}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>} : (tensor<4xf32>) -> tensor<9xf32>
  return
}

// -----

// D103
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @other_type(%a: tensor<4xf32>) {
  // expected-error@+1 {{its result 'tensor<8xf32>', but they are 'tensor<4xf32>' and 'tensor<8xi32>'}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>} : (tensor<4xf32>) -> tensor<8xi32>
  return
}

// -----

// D103
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @other_rank(%a: tensor<4xf32>) {
  // expected-error@+1 {{}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>} : (tensor<4xf32>) -> tensor<8x1xf32>
  return
}

// -----

// D103
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @other_whole(%a: tensor<4xf32>) {
  // expected-error@+1 {{is local: of 'tensor<9xf32>' its operand must be 'tensor<5xf32>' and its result 'tensor<9xf32>'}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>, shardwise.global_type = tensor<9xf32>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// D104
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @whole_rank(%a: tensor<4xf32>) {
  // expected-error@+1 {{shardwise.global_type must be a static tensor type of rank 1, but is tensor<8x1xf32>}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>, shardwise.global_type = tensor<8x1xf32>} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// D104
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @whole_kind(%a: tensor<4xf32>) {
  // expected-error@+1 {{shardwise.global_type must be a static tensor type of rank 1, but is 8 : i64}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>, shardwise.global_type = 8} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// D43
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @other_axes(%a: tensor<4xf32>) {
  // expected-error@+1 {{result sharding doesn't match expected sharding {} on dimension 0}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{"x"}]> {sdy.in_sharding = #sdy.sharding<@m, [{"x"}]>} : tensor<4xf32>
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=3]>
func.func @not_local(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) {
  // expected-error@+1 {{failed to verify that all of {tensor, result} have same type}}
  %0 = sdy.all_gather [{"x"}] %a out_sharding=<@m, [{}]> : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// D105
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @no_dims(%a: tensor<4xf32>) {
  // expected-error@+1 {{needs ascending dimensions of 'tensor<4xf32>', but has []}}
  %0 = sdy.fetch_interval %a dims=[] starts=[] steps=[] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// D105
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @dims_twice(%a: tensor<4xf32>) {
  // expected-error@+1 {{needs ascending dimensions of 'tensor<4xf32>', but has [0, 0]}}
  %0 = sdy.fetch_interval %a dims=[0, 0] starts=[0, 0] steps=[4, 4] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// D105
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @no_such_dim(%a: tensor<4xf32>) {
  // expected-error@+1 {{needs ascending dimensions of 'tensor<4xf32>', but has [1]}}
  %0 = sdy.fetch_interval %a dims=[1] starts=[0] steps=[4] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// D106
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @no_step(%a: tensor<4xf32>) {
  // expected-error@+1 {{needs a start and a step for each of 1 dimensions, but has 1 and 0}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[0] steps=[] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// D106
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @two_divisors(%a: tensor<4xf32>) {
  // expected-error@+1 {{needs a positive divisor for each of 1 dimensions, but has [2, 2]}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[0] steps=[4] divisors=[2, 2] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// D106
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @divisor_of_zero(%a: tensor<4xf32>) {
  // expected-error@+1 {{needs a positive divisor for each of 1 dimensions, but has [0]}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[0] steps=[4] divisors=[0] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// D107
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @other_dim(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{gives 'tensor<6x3xf32>', but may change the sizes of dimensions [0] of 'tensor<4x2xf32>' only, to at least 1}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[0] steps=[4] in_sharding=<@m, [{"x"}, {}]> : (tensor<4x2xf32>) -> tensor<6x3xf32>
  return
}

// -----

// D107
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @empty(%a: tensor<4xf32>) {
  // expected-error@+1 {{to at least 1}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[0] steps=[4] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<0xf32>
  return
}

// -----

// D108
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @outside(%a: tensor<4xf32>, %b: tensor<1xf32>) {
  // expected-error@+1 {{has 'tensor<1xf32>' outside of the dimension, but needs 'tensor<f32>'}}
  %0 = sdy.fetch_interval %a outside=%b dims=[0] starts=[-1] steps=[4] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>, tensor<1xf32>) -> tensor<5xf32>
  return
}

// -----

// D109
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @not_cut(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{fetches along dimension 1, which in_sharding does not cut}}
  %0 = sdy.fetch_interval %a dims=[0, 1] starts=[-1, 0] steps=[4, 2] in_sharding=<@m, [{"x"}, {}]> : (tensor<4x2xf32>) -> tensor<5x3xf32>
  return
}

// -----

// D21
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @no_such_axis(%a: tensor<4xf32>) {
  // expected-error@+1 {{unknown axis name: "z"}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[-1] steps=[4] in_sharding=<@m, [{"z"}]> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// D110
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @no_elements(%a: tensor<0xf32>) {
  // expected-error@+1 {{fetches along dimension 0 of 'tensor<0xf32>', which has no elements}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[-1] steps=[4] in_sharding=<@m, [{"x"}]> : (tensor<0xf32>) -> tensor<5xf32>
  return
}

// -----

// D111
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @far_start(%a: tensor<4xf32>) {
  // expected-error@+1 {{reads 5 elements of dimension 0 from 9223372036854775807 on in 2 steps of 4; places must be within 2^60}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[9223372036854775807] steps=[4] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// D111
sdy.mesh @m = <["x"=2, "y"=3]>
func.func @far_step(%a: tensor<4xf32>) {
  // expected-error@+1 {{in 2 steps of -9223372036854775807; places must be within 2^60}}
  %0 = sdy.fetch_interval %a dims=[0] starts=[0] steps=[-9223372036854775807] in_sharding=<@m, [{"x"}]> : (tensor<4xf32>) -> tensor<5xf32>
  return
}
