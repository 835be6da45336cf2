// RUN: shardwise-opt %s -sdy-merge-reductions | FileCheck %s

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Ops that partial sums go through: each adds up two of them behind the op, so that one reduction is
// enough. And ops that want a sum whole: there the reductions stay where they are.

// CHECK-LABEL: func @product
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.multiply{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @product(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.multiply %v0, %m : tensor<4x8xf32>
  %o1 = stablehlo.multiply %v1, %m : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @productOfSums
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @productOfSums(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.multiply %v0, %v0 : tensor<4x8xf32>
  %o1 = stablehlo.multiply %v1, %v1 : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @scalingByAFactor
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.multiply{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @scalingByAFactor(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.multiply %m, %v0 : tensor<4x8xf32>
  %o1 = stablehlo.multiply %m, %v1 : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @quotient
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.divide{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @quotient(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.divide %v0, %m : tensor<4x8xf32>
  %o1 = stablehlo.divide %v1, %m : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @quotientByASum
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @quotientByASum(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.divide %m, %v0 : tensor<4x8xf32>
  %o1 = stablehlo.divide %m, %v1 : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @quotientOfIntegers
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @quotientOfIntegers(%p: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xi32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xi32>
  %o0 = stablehlo.divide %v0, %m : tensor<4x8xi32>
  %o1 = stablehlo.divide %v1, %m : tensor<4x8xi32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xi32>
  return %sum : tensor<4x8xi32>
}

// CHECK-LABEL: func @negation
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.negate{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @negation(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.negate %v0 : tensor<4x8xf32>
  %o1 = stablehlo.negate %v1 : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @function
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @function(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.exponential %v0 : tensor<4x8xf32>
  %o1 = stablehlo.exponential %v1 : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @masked
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.select{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @masked(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %k0 = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %o0 = stablehlo.select %m, %v0, %k0 : tensor<4x8xi1>, tensor<4x8xf32>
  %k1 = stablehlo.constant dense<0.0> : tensor<4x8xf32>
  %o1 = stablehlo.select %m, %v1, %k1 : tensor<4x8xi1>, tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @twice
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.add{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @twice(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.add %v0, %v0 : tensor<4x8xf32>
  %o1 = stablehlo.add %v1, %v1 : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @addend
// CHECK: %[[A:.*]] = stablehlo.add{{.*}}unreduced={"y"}
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @addend(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.add %v0, %m : tensor<4x8xf32>
  %o1 = stablehlo.add %v1, %m : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @widening
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.convert{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @widening(%p: tensor<4x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xbf16>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xbf16>
  %o0 = stablehlo.convert %v0 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %o1 = stablehlo.convert %v1 : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @narrowing
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @narrowing(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xbf16> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.convert %v0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %o1 = stablehlo.convert %v1 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xbf16>
  return %sum : tensor<4x8xbf16>
}

// CHECK-LABEL: func @narrowingOfIntegers
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.convert{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @narrowingOfIntegers(%p: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xi8> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xi32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xi32>
  %o0 = stablehlo.convert %v0 : (tensor<4x8xi32>) -> tensor<4x8xi8>
  %o1 = stablehlo.convert %v1 : (tensor<4x8xi32>) -> tensor<4x8xi8>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xi8>
  return %sum : tensor<4x8xi8>
}

// CHECK-LABEL: func @wideningOfIntegers
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @wideningOfIntegers(%p: tensor<4x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xi8> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xi32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xi8>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xi8>
  %o0 = stablehlo.convert %v0 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %o1 = stablehlo.convert %v1 : (tensor<4x8xi8>) -> tensor<4x8xi32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xi32>
  return %sum : tensor<4x8xi32>
}

// CHECK-LABEL: func @transposed
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.transpose{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @transposed(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<8x4xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.transpose %v0, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %o1 = stablehlo.transpose %v1, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<8x4xf32>
  return %sum : tensor<8x4xf32>
}

// CHECK-LABEL: func @reshaped
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.reshape{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @reshaped(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<32xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.reshape %v0 : (tensor<4x8xf32>) -> tensor<32xf32>
  %o1 = stablehlo.reshape %v1 : (tensor<4x8xf32>) -> tensor<32xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<32xf32>
  return %sum : tensor<32xf32>
}

// CHECK-LABEL: func @broadcast
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @broadcast(%p: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %q: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}]> : tensor<8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}]> : tensor<8xf32>
  %o0 = stablehlo.broadcast_in_dim %v0, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %o1 = stablehlo.broadcast_in_dim %v1, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @broadcastToAsMany
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.broadcast_in_dim{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @broadcastToAsMany(%p: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %q: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}) -> tensor<1x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}]> : tensor<8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}]> : tensor<8xf32>
  %o0 = stablehlo.broadcast_in_dim %v0, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
  %o1 = stablehlo.broadcast_in_dim %v1, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<1x8xf32>
  return %sum : tensor<1x8xf32>
}

// CHECK-LABEL: func @sliced
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.slice{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @sliced(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x2xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.slice %v0 [0:4, 2:4] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %o1 = stablehlo.slice %v1 [0:4, 2:4] : (tensor<4x8xf32>) -> tensor<4x2xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x2xf32>
  return %sum : tensor<4x2xf32>
}

// CHECK-LABEL: func @slicedAtRunTime
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.dynamic_slice{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @slicedAtRunTime(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %i: tensor<i32>) -> tensor<4x2xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.dynamic_slice %v0, %i, %i, sizes = [4, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  %o1 = stablehlo.dynamic_slice %v1, %i, %i, sizes = [4, 2] : (tensor<4x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x2xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x2xf32>
  return %sum : tensor<4x2xf32>
}

// CHECK-LABEL: func @updated
// CHECK: %[[A:.*]] = stablehlo.dynamic_update_slice{{.*}}unreduced={"y"}
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @updated(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %i: tensor<i32>, %m: tensor<1x8xf32>) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.dynamic_update_slice %v0, %m, %i, %i : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %o1 = stablehlo.dynamic_update_slice %v1, %m, %i, %i : (tensor<4x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @reversed
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.reverse{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @reversed(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x8xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.reverse %v0, dims = [1] : tensor<4x8xf32>
  %o1 = stablehlo.reverse %v1, dims = [1] : tensor<4x8xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x8xf32>
  return %sum : tensor<4x8xf32>
}

// CHECK-LABEL: func @paddedByZeros
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.pad{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @paddedByZeros(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x9xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %k0 = stablehlo.constant dense<0.0> : tensor<f32>
  %o0 = stablehlo.pad %v0, %k0, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  %k1 = stablehlo.constant dense<0.0> : tensor<f32>
  %o1 = stablehlo.pad %v1, %k1, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x9xf32>
  return %sum : tensor<4x9xf32>
}

// CHECK-LABEL: func @paddedByOnes
// CHECK: %[[A:.*]] = stablehlo.pad{{.*}}unreduced={"y"}
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @paddedByOnes(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4x9xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %k0 = stablehlo.constant dense<1.0> : tensor<f32>
  %o0 = stablehlo.pad %v0, %k0, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  %k1 = stablehlo.constant dense<1.0> : tensor<f32>
  %o1 = stablehlo.pad %v1, %k1, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x9xf32>
  return %sum : tensor<4x9xf32>
}

// CHECK-LABEL: func @summed
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.reduce{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @summed(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %k0 = stablehlo.constant dense<0.0> : tensor<f32>
  %o0 = stablehlo.reduce(%v0 init: %k0) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %k1 = stablehlo.constant dense<0.0> : tensor<f32>
  %o1 = stablehlo.reduce(%v1 init: %k1) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4xf32>
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: func @summedFromOne
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @summedFromOne(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %k0 = stablehlo.constant dense<1.0> : tensor<f32>
  %o0 = stablehlo.reduce(%v0 init: %k0) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %k1 = stablehlo.constant dense<1.0> : tensor<f32>
  %o1 = stablehlo.reduce(%v1 init: %k1) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4xf32>
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: func @largest
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @largest(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> tensor<4xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %k0 = stablehlo.constant dense<0.0> : tensor<f32>
  %o0 = stablehlo.reduce(%v0 init: %k0) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %k1 = stablehlo.constant dense<0.0> : tensor<f32>
  %o1 = stablehlo.reduce(%v1 init: %k1) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4xf32>
  return %sum : tensor<4xf32>
}

// CHECK-LABEL: func @multiplied
// CHECK-NOT: sdy.reshard
// CHECK: %[[A:.*]] = stablehlo.dot_general{{.*}}unreduced={"y"}
// CHECK-NOT: sdy.reshard
// CHECK: stablehlo.add {{.*}}unreduced={"y"}
// CHECK: %[[ALL:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}]> :
// CHECK-NEXT: return %[[ALL]]
func.func @multiplied(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.dot_general %v0, %m, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %o1 = stablehlo.dot_general %v1, %m, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x2xf32>
  return %sum : tensor<4x2xf32>
}

// CHECK-LABEL: func @multipliedToMore
// CHECK-NEXT: sdy.reshard
// CHECK-NEXT: sdy.reshard
// CHECK-NOT: sdy.reshard
func.func @multipliedToMore(%p: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<8x64xf32>) -> tensor<4x64xf32> {
  %v0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<4x8xf32>
  %v1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<4x8xf32>
  %o0 = stablehlo.dot_general %v0, %m, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x64xf32>) -> tensor<4x64xf32>
  %o1 = stablehlo.dot_general %v1, %m, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x64xf32>) -> tensor<4x64xf32>
  %sum = stablehlo.add %o0, %o1 : tensor<4x64xf32>
  return %sum : tensor<4x64xf32>
}

// All operands of a concatenation are parts of one sum; those that are whole count on one device.
// CHECK-LABEL: func @concatenated
// CHECK: %[[M:.*]] = sdy.reshard %{{.*}} <@mesh, [{}, {}], unreduced={"y"}>
// CHECK-NEXT: %[[ALL:.*]] = stablehlo.concatenate %arg0, %arg1, %arg2, %[[M]], dim = 0 {{.*}}unreduced={"y"}
// CHECK-NEXT: %[[SUM:.*]] = sdy.reshard %[[ALL]] <@mesh, [{}, {}]>
// CHECK-NEXT: return %[[SUM]]
func.func @concatenated(%p: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %q: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %r: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %m: tensor<1x8xf32>) -> tensor<193x8xf32> {
  %0 = sdy.reshard %p <@mesh, [{}, {}]> : tensor<64x8xf32>
  %1 = sdy.reshard %q <@mesh, [{}, {}]> : tensor<64x8xf32>
  %3 = sdy.reshard %r <@mesh, [{}, {}]> : tensor<64x8xf32>
  %2 = stablehlo.concatenate %0, %1, %3, %m, dim = 0 : (tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<1x8xf32>) -> tensor<193x8xf32>
  return %2 : tensor<193x8xf32>
}

// Terms that are added to zero one by one.
// CHECK-LABEL: func @zeroFirst
// CHECK: %[[ZERO:.*]] = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"y"}>]>} dense<0.000000e+00>
// CHECK: %[[A:.*]] = stablehlo.add %[[ZERO]], %arg0
// CHECK: %[[B:.*]] = stablehlo.add %[[A]], %arg1
// CHECK: %[[C:.*]] = stablehlo.add %[[B]], %arg2
// CHECK-NEXT: sdy.reshard %[[C]]
// CHECK-NOT: sdy.reshard
func.func @zeroFirst(%a: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"y"}>}, %b: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"y"}>}, %c: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"y"}>}) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = sdy.reshard %a <@mesh, []> : tensor<f32>
  %1 = sdy.reshard %b <@mesh, []> : tensor<f32>
  %2 = sdy.reshard %c <@mesh, []> : tensor<f32>
  %3 = stablehlo.add %zero, %0 : tensor<f32>
  %4 = stablehlo.add %3, %1 : tensor<f32>
  %5 = stablehlo.add %4, %2 : tensor<f32>
  return %5 : tensor<f32>
}

// Sums that are to be cut: one reduction to the cut value, and what is cut already is a part of it.
// CHECK-LABEL: func @cut
// CHECK: %[[C:.*]] = sdy.reshard %arg2 <@mesh, [{}, {}], unreduced={"y"}>
// CHECK: %[[AC:.*]] = stablehlo.add %arg0, %[[C]] {{.*}}[{}, {}], unreduced={"y"}
// CHECK: %[[ABC:.*]] = stablehlo.add %[[AC]], %arg1 {{.*}}[{}, {}], unreduced={"y"}
// CHECK-NEXT: %[[ALL:.*]] = sdy.reshard %[[ABC]] <@mesh, [{"y"}, {}]>
// CHECK-NEXT: return %[[ALL]]
func.func @cut(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %b: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %c: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = sdy.reshard %a <@mesh, [{"y"}, {}]> : tensor<64x64xf32>
  %1 = sdy.reshard %b <@mesh, [{"y"}, {}]> : tensor<64x64xf32>
  %2 = stablehlo.add %0, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<64x64xf32>
  %3 = stablehlo.add %2, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// A sum that is then cut is reduced to its parts at once.
// CHECK-LABEL: func @thenCut
// CHECK-NOT: sdy.reshard
// CHECK: %[[SUM:.*]] = stablehlo.add %arg0, %arg1
// CHECK-NEXT: %[[PART:.*]] = sdy.reshard %[[SUM]] <@mesh, [{"y"}, {}]>
// CHECK-NEXT: return %[[PART]]
func.func @thenCut(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, %b: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}) -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<64x64xf32>
  %1 = sdy.reshard %b <@mesh, [{}, {}]> : tensor<64x64xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x64xf32>
  %3 = sdy.reshard %2 <@mesh, [{"y"}, {}]> : tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// The axis of the sum cuts the other operand: the devices would multiply by different values.
// CHECK-LABEL: func @factorCutAlongTheAxis
// CHECK: sdy.reshard %arg0 <@mesh, [{"y"}]>
// CHECK: sdy.reshard %arg1 <@mesh, [{"y"}]>
// CHECK-NOT: sdy.reshard
func.func @factorCutAlongTheAxis(%a: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %b: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %m: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0 = sdy.reshard %a <@mesh, [{"y"}]> : tensor<64xf32>
  %1 = stablehlo.multiply %0, %m {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<64xf32>
  %2 = sdy.reshard %b <@mesh, [{"y"}]> : tensor<64xf32>
  %3 = stablehlo.exponential %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<64xf32>
  return %1, %3 : tensor<64xf32>, tensor<64xf32>
}

// Sums over different axes: each is reduced by itself.
// CHECK-LABEL: func @otherAxes
// CHECK: sdy.reshard %arg0
// CHECK: sdy.reshard %arg1
// CHECK-NOT: sdy.reshard
func.func @otherAxes(%a: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y"}>}, %b: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<64xf32> {
  %0 = sdy.reshard %a <@mesh, [{}]> : tensor<64xf32>
  %1 = sdy.reshard %b <@mesh, [{}]> : tensor<64xf32>
  %2 = stablehlo.add %0, %1 : tensor<64xf32>
  return %2 : tensor<64xf32>
}

// What the sum is cut into are no blocks behind the reshape: it is gathered and reduced before.
// CHECK-LABEL: func @stridedByReshape
// CHECK: %[[SUM:.*]] = sdy.reshard %arg0 <@mesh, [{}, {}]>
// CHECK-NEXT: stablehlo.reshape %[[SUM]] : (tensor<4x8xf32>) -> tensor<2x16xf32>
// CHECK-NOT: sdy.reshard
func.func @stridedByReshape(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"y"}>}) -> tensor<2x16xf32> {
  %0 = sdy.reshard %a <@mesh, [{}, {}]> : tensor<4x8xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x8xf32>) -> tensor<2x16xf32>
  return %1 : tensor<2x16xf32>
}
