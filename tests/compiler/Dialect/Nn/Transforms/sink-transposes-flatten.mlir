// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-sink-transposes,nn-canonicalize,nn-absorb-moves))" | FileCheck %s

// The head of a channels-first network: what is left before the reshape goes into the columns of the weights.

// CHECK-LABEL: func.func @head(
func.func @head(%x: tensor<1x4x4x2xf32>) -> tensor<1x3xf32> {
  // CHECK-NOT: nn.transpose
  // CHECK-DAG: %[[W:.*]] = nn.constant dense<{{.*}}0.000000e+00, 4.000000e+00, 1.000000e+00, 5.000000e+00, 2.000000e+00, 6.000000e+00, 3.000000e+00, 7.000000e+00],
  // CHECK-DAG: %[[P:.*]] = nn.max_pool_2d %arg0
  // CHECK-DAG: %[[C:.*]] = nn.clamp relu %[[P]] : (tensor<1x2x2x2xf32>)
  // CHECK-DAG: %[[R:.*]] = nn.reshape %[[C]] to [1, 8]
  // CHECK: nn.fully_connected %[[R]], %[[W]]
  %w = nn.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
                          [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
                          [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]]> : tensor<3x8xf32>
  %0 = nn.max_pool_2d %x kernel [2, 2] stride [2, 2] : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  %1 = nn.transpose %0 permutation [0, 3, 1, 2] : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %2 = nn.clamp relu %1 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %3 = nn.reshape %2 to [1, 8] : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
  %4 = nn.fully_connected %3, %w : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<1x3xf32>
  return %4 : tensor<1x3xf32>
}

// Of one pixel, a reshape is enough.
// CHECK-LABEL: func.func @onePixel(
func.func @onePixel(%x: tensor<1x4x4x8xf32>, %w: tensor<3x8xf32>) -> tensor<1x3xf32> {
  // CHECK-NOT: nn.transpose
  // CHECK: %[[M:.*]] = nn.mean %arg0 axes [1, 2] keep_dims
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[M]] to [1, 8]
  // CHECK-NEXT: nn.fully_connected %[[R]], %arg1
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<1x4x4x8xf32>) -> tensor<1x8x4x4xf32>
  %1 = nn.mean %0 axes [2, 3] keep_dims : (tensor<1x8x4x4xf32>) -> tensor<1x8x1x1xf32>
  %2 = nn.reshape %1 to [1, 8] : (tensor<1x8x1x1xf32>) -> tensor<1x8xf32>
  %3 = nn.fully_connected %2, %w : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<1x3xf32>
  return %3 : tensor<1x3xf32>
}

// Computed weights have no other order: two images are transposed before the layer.
// CHECK-LABEL: func.func @computedWeights(
func.func @computedWeights(%x: tensor<2x4x4x2xf32>, %w: tensor<3x32xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.transpose
  // CHECK: nn.fully_connected
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<2x4x4x2xf32>) -> tensor<2x2x4x4xf32>
  %1 = nn.reshape %0 to [2, 32] : (tensor<2x2x4x4xf32>) -> tensor<2x32xf32>
  %2 = nn.fully_connected %1, %w : (tensor<2x32xf32>, tensor<3x32xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
