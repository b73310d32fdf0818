// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-tosa-to-nn | FileCheck %s

// Operations compute with f32, and round their results to bf16. Constants are f32 from the start.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %c = "tosa.const"() <{values = dense<[[1.5, -2.0, 0.25]]> : tensor<1x3xbf16>}> : () -> tensor<1x3xbf16>
  // CHECK-DAG: %[[X:.*]] = nn.cast %arg0 : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  // CHECK-DAG: %[[C:.*]] = nn.constant {{.*}} : tensor<1x3xf32>
  // CHECK: %[[SUM:.*]] = nn.add %[[X]], %[[C]] : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[ROUNDED:.*]] = nn.cast %[[SUM]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  %0 = tosa.add %x, %c : (tensor<2x3xbf16>, tensor<1x3xbf16>) -> tensor<2x3xbf16>
  // CHECK: %[[WIDE:.*]] = nn.cast %[[ROUNDED]] : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  // CHECK: %[[CLAMPED:.*]] = nn.clamp relu6 %[[WIDE]]
  // CHECK: %[[LAST:.*]] = nn.cast %[[CLAMPED]] : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  %1 = tosa.clamp %0 {min_val = 0.0 : bf16, max_val = 6.0 : bf16} : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  // CHECK: return %[[LAST]]
  return %1 : tensor<2x3xbf16>
}

// -----

// Filters and biases are constants of f32, also after moves, so that the layer runs on the array.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x4x4x2xbf16>) -> tensor<1x4x4x2xbf16> {
  %weights = "tosa.const"() <{values = dense<1.5> : tensor<1x1x2x2xbf16>}> : () -> tensor<1x1x2x2xbf16>
  %filter = tosa.transpose %weights {perms = array<i32: 3, 0, 1, 2>} : (tensor<1x1x2x2xbf16>) -> tensor<2x1x1x2xbf16>
  %bias = "tosa.const"() <{values = dense<[0.5]> : tensor<1xbf16>}> : () -> tensor<1xbf16>
  %zero = "tosa.const"() <{values = dense<0.0> : tensor<1xbf16>}> : () -> tensor<1xbf16>
  // CHECK-DAG: %[[FILTER:.*]] = nn.constant {{.*}} : tensor<2x1x1x2xf32>
  // CHECK-DAG: %[[BIAS:.*]] = nn.constant {{.*}} : tensor<2xf32>
  // CHECK: %[[SUMS:.*]] = nn.conv_2d %{{.*}}, %[[FILTER]], %[[BIAS]]
  // CHECK-SAME: -> tensor<1x4x4x2xf32>
  // CHECK: nn.cast %[[SUMS]] : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xbf16>
  %0 = tosa.conv2d %x, %filter, %bias, %zero, %zero {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x4x4x2xbf16>, tensor<2x1x1x2xbf16>, tensor<1xbf16>, tensor<1xbf16>, tensor<1xbf16>) -> tensor<1x4x4x2xbf16>
  return %0 : tensor<1x4x4x2xbf16>
}

// -----

// Moves keep bf16: nothing is converted.
// CHECK-LABEL: func.func @main
func.func @main(%p: tensor<2x3xi1>, %x: tensor<2x3xbf16>, %y: tensor<1x3xbf16>) -> tensor<6x3xbf16> {
  %padding = tosa.const_shape {values = dense<[1, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %value = "tosa.const"() <{values = dense<2.5> : tensor<1xbf16>}> : () -> tensor<1xbf16>
  // CHECK-NOT: nn.cast
  // CHECK: nn.select {{.*}} -> tensor<2x3xbf16>
  %0 = tosa.select %p, %x, %y : (tensor<2x3xi1>, tensor<2x3xbf16>, tensor<1x3xbf16>) -> tensor<2x3xbf16>
  // CHECK: nn.pad %{{.*}} low [1, 0] high [0, 0] value 2.5
  %1 = tosa.pad %0, %padding, %value : (tensor<2x3xbf16>, !tosa.shape<4>, tensor<1xbf16>) -> tensor<3x3xbf16>
  // CHECK-NOT: nn.cast
  // CHECK: nn.concatenation
  %2 = tosa.concat %1, %y, %x {axis = 0 : i32} : (tensor<3x3xbf16>, tensor<1x3xbf16>, tensor<2x3xbf16>) -> tensor<6x3xbf16>
  return %2 : tensor<6x3xbf16>
}

// -----

// A conversion by the network is not done twice.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xbf16>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xbf16>) {
  // CHECK-NEXT: %[[WIDE:.*]] = nn.cast %arg0 : (tensor<4xbf16>) -> tensor<4xf32>
  %0 = tosa.cast %x : (tensor<4xbf16>) -> tensor<4xf32>
  // CHECK-NEXT: %[[NARROW:.*]] = nn.cast %arg1 : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = tosa.cast %y : (tensor<4xf32>) -> tensor<4xbf16>
  // CHECK-NEXT: return %[[WIDE]], %[[NARROW]]
  return %0, %1 : tensor<4xf32>, tensor<4xbf16>
}

// -----

// Loops and branches pass bf16 on.
// CHECK-LABEL: func.func @main
func.func @main(%p: tensor<i1>, %x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK-NEXT: nn.if
  // CHECK-NOT: nn.cast
  %0 = "tosa.cond_if"(%p, %x) ({
  ^bb0(%b: tensor<4xbf16>):
    %1 = tosa.reverse %b {axis = 0 : i32} : (tensor<4xbf16>) -> tensor<4xbf16>
    tosa.yield %1 : tensor<4xbf16>
  }, {
  ^bb0(%b: tensor<4xbf16>):
    tosa.yield %b : tensor<4xbf16>
  }) : (tensor<i1>, tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
