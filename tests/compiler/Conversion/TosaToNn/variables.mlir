// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file -verify-diagnostics --convert-tosa-to-nn | FileCheck %s

// A variable is one more argument, with its initial value, and one more result.
// CHECK: func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<2xf32> {nn.initial_state = dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>, nn.name = "total"}) -> (tensor<2xf32>, tensor<2xf32> {nn.name = "total"})
// CHECK: %[[SUM:.*]] = nn.add %arg1, %arg0
// CHECK: return %[[SUM]], %[[SUM]]
tosa.variable @total = dense<[3.0, 4.0]> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %before = tosa.variable_read @total : tensor<2xf32>
  %sum = tosa.add %before, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  tosa.variable_write @total, %sum : tensor<2xf32>
  %after = tosa.variable_read @total : tensor<2xf32>
  return %after : tensor<2xf32>
}

// -----

tosa.variable @total = dense<0.0> : tensor<2xf32>
func.func @main(%c: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "tosa.cond_if"(%c, %x) ({
  ^bb0(%a: tensor<2xf32>):
    // expected-error @+1 {{operation tosa.variable_write is not supported: variable must be written outside of branches and loops}}
    tosa.variable_write @total, %a : tensor<2xf32>
    tosa.yield %a : tensor<2xf32>
  }, {
  ^bb0(%a: tensor<2xf32>):
    tosa.yield %a : tensor<2xf32>
  }) : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
