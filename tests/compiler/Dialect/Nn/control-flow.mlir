// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

// CHECK-LABEL: func.func @branch
func.func @branch(%c: tensor<1xi1>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.if %{{.*}} : (tensor<1xi1>) -> tensor<2x3xf32> {
  %y = nn.if %c : (tensor<1xi1>) -> tensor<2x3xf32> {
    %a = nn.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    // CHECK: nn.yield %{{.*}} : tensor<2x3xf32>
    nn.yield %a : tensor<2x3xf32>
    // CHECK: } else {
  } else {
    nn.yield %x : tensor<2x3xf32>
  }
  return %y : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @loop
func.func @loop(%f: tensor<8xi1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: nn.while %{{.*}}, %{{.*}} : (tensor<8xi1>, tensor<4xf32>) -> (tensor<8xi1>, tensor<4xf32>) while {
  %r:2 = nn.while %f, %x : (tensor<8xi1>, tensor<4xf32>) -> (tensor<8xi1>, tensor<4xf32>) while {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<8xi1>, %{{.*}}: tensor<4xf32>):
  ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
    %c = nn.slice %g begin [0] size [1] strides [1] : (tensor<8xi1>) -> tensor<1xi1>
    nn.yield %c : tensor<1xi1>
  // CHECK: } do {
  } do {
  ^bb0(%g: tensor<8xi1>, %v: tensor<4xf32>):
    %s = nn.slice %g begin [1] size [7] strides [1] : (tensor<8xi1>) -> tensor<7xi1>
    %h = nn.pad %s low [0] high [1] value 0.0 : (tensor<7xi1>) -> tensor<8xi1>
    %w = nn.add %v, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    nn.yield %h, %w : tensor<8xi1>, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}
