// RUN: shardwise-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// Meshes that break a rule.

// D01
// expected-error@+1 {{must be at least 1, got "a"=0}}
sdy.mesh @m = <["a"=0]>

// -----

// D02
// expected-error@+1 {{must be non-negative, got -1}}
sdy.mesh @m = <["a"=2], device_ids=[-1, 0]>

// -----

// D03
// expected-error@+1 {{axes are empty but there are 2 device ids}}
sdy.mesh @m = <[], device_ids=[0, 1]>

// -----

// D04
// expected-error@+1 {{duplicate axis name: "a"}}
sdy.mesh @m = <["a"=2, "a"=2]>

// -----

// D05
// expected-error@+1 {{got: 4 != 2}}
sdy.mesh @m = <["a"=4], device_ids=[1, 0]>

// -----

// D06
// expected-error@+1 {{got: 1, 2}}
sdy.mesh @m = <["a"=2], device_ids=[2, 1]>

// -----

// device count beyond 64 bits
// expected-error@+1 {{does not fit 64 bits}}
sdy.mesh @m = <["a"=4611686018427387904, "b"=4]>

// -----

// no ids
// expected-error@+1 {{expected integer value}}
sdy.mesh @m = <["a"=2], device_ids=[]>

// -----

// trailing comma
// expected-error@+1 {{expected string}}
sdy.mesh @m = <["a"=2,]>

// -----

// D01 of an axis alone
// expected-error@+1 {{must be at least 1}}
func.func private @f() attributes {a = #sdy<mesh_axis"x"=0>}

// -----

// D07
// expected-note@+1 {{the name belongs to this 'func.func'}}
func.func private @m()
// expected-error@+1 {{mesh @m is not found in the symbol table of its module; rename it}}
sdy.mesh @m = <["a"=2]>

// -----

// symbol twice
// expected-note@+1 {{see existing symbol definition here}}
sdy.mesh @m = <["a"=2]>
// expected-error@+1 {{redefinition of symbol named 'm'}}
sdy.mesh @m = <["a"=4]>

// -----

// parent is not a module
func.func @f() {
  // expected-error@+1 {{expects parent op 'builtin.module'}}
  sdy.mesh @m = <["a"=2]>
  return
}
