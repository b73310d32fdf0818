// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-tosa-to-nn | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%c: tensor<i1>, %x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: nn.if %arg0
  // CHECK-NEXT: %[[SUM:.*]] = nn.add %arg1, %arg2
  // CHECK-NEXT: nn.yield %[[SUM]]
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[DIFFERENCE:.*]] = nn.sub %arg1, %arg2
  // CHECK-NEXT: nn.yield %[[DIFFERENCE]]
  %0 = "tosa.cond_if"(%c, %x, %y) ({
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = tosa.add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tosa.yield %1 : tensor<3xf32>
  }, {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = tosa.sub %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    tosa.yield %1 : tensor<3xf32>
  }) : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// A constant of the body is one of the function.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[ONE:.*]] = nn.constant dense<1> : tensor<i32>
// CHECK-DAG: %[[TEN:.*]] = nn.constant dense<10> : tensor<i32>
// CHECK: nn.while
// CHECK: nn.compare greater %[[TEN]], %{{.*}}
// CHECK: nn.add %{{.*}}, %[[ONE]]
func.func @main(%i: tensor<i32>) -> tensor<i32> {
  %0 = tosa.while_loop (%n = %i) : (tensor<i32>) -> tensor<i32> {
    %ten = "tosa.const"() <{values = dense<10> : tensor<i32>}> : () -> tensor<i32>
    %more = tosa.greater %ten, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %more : tensor<i1>
  } do {
  ^bb0(%n: tensor<i32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = tosa.add %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    tosa.yield %next : tensor<i32>
  }
  return %0 : tensor<i32>
}
