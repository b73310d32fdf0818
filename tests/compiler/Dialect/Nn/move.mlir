// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --canonicalize | avocet-opt | FileCheck %s

// Transposes compose, and are removed if they cancel.
// CHECK-LABEL: func.func @transposes(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x3x4xf16>
func.func @transposes(%x: tensor<1x2x3x4xf16>) -> (tensor<1x2x3x4xf16>, tensor<4x3x2x1xf16>) {
  %0 = nn.transpose %x permutation [0, 2, 3, 1] : (tensor<1x2x3x4xf16>) -> tensor<1x3x4x2xf16>
  %1 = nn.transpose %0 permutation [0, 3, 1, 2] : (tensor<1x3x4x2xf16>) -> tensor<1x2x3x4xf16>
  // CHECK: %[[T:.*]] = nn.transpose %[[X]] permutation [3, 2, 1, 0] : (tensor<1x2x3x4xf16>) -> tensor<4x3x2x1xf16>
  %2 = nn.transpose %0 permutation [2, 1, 3, 0] : (tensor<1x3x4x2xf16>) -> tensor<4x3x2x1xf16>
  // CHECK: return %[[X]], %[[T]]
  return %1, %2 : tensor<1x2x3x4xf16>, tensor<4x3x2x1xf16>
}

// CHECK-LABEL: func.func @parts(
func.func @parts(%x: tensor<4x6xi32>) -> (tensor<2x3xi32>, tensor<4x6xi32>) {
  // CHECK: nn.slice %{{.*}} begin [3, 1] size [2, 3] strides [-2, 2] : (tensor<4x6xi32>) -> tensor<2x3xi32>
  %0 = nn.slice %x begin [3, 1] size [2, 3] strides [-2, 2] : (tensor<4x6xi32>) -> tensor<2x3xi32>
  // A slice of all elements in their order is the input.
  // CHECK-NOT: nn.slice
  %1 = nn.slice %x begin [0, 0] size [4, 6] strides [1, 1] : (tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0, %1 : tensor<2x3xi32>, tensor<4x6xi32>
}

// CHECK-LABEL: func.func @surroundings(
func.func @surroundings(%x: tensor<2x3xi1>, %y: tensor<2x3xf16>) -> (tensor<4x3xi1>, tensor<2x6xf16>) {
  // CHECK: nn.pad %{{.*}} low [1, 0] high [1, 0] value 1.000000e+00 : (tensor<2x3xi1>) -> tensor<4x3xi1>
  %0 = nn.pad %x low [1, 0] high [1, 0] value 1.0 : (tensor<2x3xi1>) -> tensor<4x3xi1>
  // CHECK: nn.tile %{{.*}} multiples [1, 2] : (tensor<2x3xf16>) -> tensor<2x6xf16>
  %1 = nn.tile %y multiples [1, 2] : (tensor<2x3xf16>) -> tensor<2x6xf16>
  // CHECK-NOT: nn.tile
  %2 = nn.tile %1 multiples [1, 1] : (tensor<2x6xf16>) -> tensor<2x6xf16>
  return %0, %2 : tensor<4x3xi1>, tensor<2x6xf16>
}

// CHECK-LABEL: func.func @bitcast
func.func @bitcast(%x: tensor<2x3xi32>, %y: tensor<2x3x2xf16>) -> (tensor<2x3x2xf16>, tensor<2x3xf32>) {
  // CHECK: nn.bitcast %{{.*}} to f16 : (tensor<2x3xi32>) -> tensor<2x3x2xf16>
  %0 = nn.bitcast %x to f16 : (tensor<2x3xi32>) -> tensor<2x3x2xf16>
  // CHECK: nn.bitcast %{{.*}} to f32 : (tensor<2x3x2xf16>) -> tensor<2x3xf32>
  %1 = nn.bitcast %y to f32 : (tensor<2x3x2xf16>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3x2xf16>, tensor<2x3xf32>
}
