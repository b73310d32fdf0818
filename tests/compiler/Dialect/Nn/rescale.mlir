// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --nn-canonicalize | FileCheck %s --check-prefix=FOLDED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!x = !quant.uniform<i8:f32, 1.0:-3>
!u = !quant.uniform<u16:f32, 1.0:32768>
!w = !quant.uniform<i8:f32, 1.0:5>

// CHECK-LABEL: func.func @rescale(
func.func @rescale(%i: tensor<4x2xi32>, %l: tensor<4x2xi64>) -> (tensor<4x2x!x>, tensor<4x2x!u>, tensor<4x2xi16>) {
  // CHECK: nn.rescale %{{.*}} numerics single_round [1073741824, 5] >> [38, 30] : (tensor<4x2xi32>) -> tensor<4x2x!
  %0 = nn.rescale %i numerics single_round [1073741824, 5] >> [38, 30] : (tensor<4x2xi32>) -> tensor<4x2x!x>
  // CHECK: nn.rescale %{{.*}} numerics double_round [2147483647] >> [62] :
  %1 = nn.rescale %i numerics double_round [2147483647] >> [62] : (tensor<4x2xi32>) -> tensor<4x2x!u>
  // CHECK: nn.rescale %{{.*}} numerics single_round [32767] >> [2] : (tensor<4x2xi64>) -> tensor<4x2xi16>
  %2 = nn.rescale %l numerics single_round [32767] >> [2] : (tensor<4x2xi64>) -> tensor<4x2xi16>
  return %0, %1, %2 : tensor<4x2x!x>, tensor<4x2x!u>, tensor<4x2xi16>
}

// CHECK-LABEL: func.func @layers(
func.func @layers(%x: tensor<1x4x4x2x!x>, %r: tensor<3x2x!w>) -> (tensor<1x4x4x3x!x>, tensor<4x3x!x>, tensor<4x3x!x>) {
  %w = nn.constant dense<1> : tensor<3x1x1x2xi8> as tensor<3x1x1x2x!w>
  %b = nn.constant dense<7> : tensor<3xi32>
  // CHECK: nn.conv_2d %{{.*}} activation relu numerics single_round [1, 2, 3] >> [40, 41, 42] :
  %0 = nn.conv_2d %x, %w, %b activation relu numerics single_round [1, 2, 3] >> [40, 41, 42]
    : (tensor<1x4x4x2x!x>, tensor<3x1x1x2x!w>, tensor<3xi32>) -> tensor<1x4x4x3x!x>
  %rows = nn.constant dense<1> : tensor<4x2xi8> as tensor<4x2x!x>
  // CHECK: nn.fully_connected %{{.*}} numerics double_round [9] >> [33] :
  %1 = nn.fully_connected %rows, %r numerics double_round [9] >> [33] : (tensor<4x2x!x>, tensor<3x2x!w>) -> tensor<4x3x!x>
  // CHECK: nn.batch_matmul %{{.*}} transpose_rhs numerics double_round [9] >> [33] :
  %2 = nn.batch_matmul %rows, %r transpose_rhs numerics double_round [9] >> [33]
    : (tensor<4x2x!x>, tensor<3x2x!w>) -> tensor<4x3x!x>
  return %0, %1, %2 : tensor<1x4x4x3x!x>, tensor<4x3x!x>, tensor<4x3x!x>
}

// CHECK-LABEL: func.func @sums(
func.func @sums(%x: tensor<4x2x!x>, %w: tensor<3x2x!w>, %s: tensor<4x2x!quant.uniform<i16:f32, 1.0>>)
    -> (tensor<4x3xi32>, tensor<4x3xi64>) {
  // CHECK: nn.fully_connected %{{.*}} -> tensor<4x3xi32>
  %0 = nn.fully_connected %x, %w : (tensor<4x2x!x>, tensor<3x2x!w>) -> tensor<4x3xi32>
  %v = nn.constant dense<1> : tensor<3x2xi8> as tensor<3x2x!quant.uniform<i8:f32, 1.0>>
  // CHECK: nn.fully_connected %{{.*}} -> tensor<4x3xi64>
  %1 = nn.fully_connected %s, %v : (tensor<4x2x!quant.uniform<i16:f32, 1.0>>, tensor<3x2x!quant.uniform<i8:f32, 1.0>>)
    -> tensor<4x3xi64>
  return %0, %1 : tensor<4x3xi32>, tensor<4x3xi64>
}

// CHECK-LABEL: func.func @pairs(
func.func @pairs(%x: tensor<4x!x>, %y: tensor<4x!w>) -> (tensor<4x!x>, tensor<4x!x>) {
  // CHECK: nn.add %{{.*}} numerics double_round [1, 2, 3] >> [20, 21, 22] :
  %0 = nn.add %x, %y numerics double_round [1, 2, 3] >> [20, 21, 22] : (tensor<4x!x>, tensor<4x!w>) -> tensor<4x!x>
  // CHECK: nn.mul %{{.*}} numerics single_round [1] >> [20] :
  %1 = nn.mul %x, %y numerics single_round [1] >> [20] : (tensor<4x!x>, tensor<4x!w>) -> tensor<4x!x>
  return %0, %1 : tensor<4x!x>, tensor<4x!x>
}

/// A product of 1 between numbers of one type is none; with another zero point it is one.
// FOLDED-LABEL: func.func @identity(
// FOLDED-NEXT: %[[Z:.*]] = nn.rescale
// FOLDED-NEXT: return %arg0, %[[Z]]
func.func @identity(%x: tensor<4x!x>) -> (tensor<4x!x>, tensor<4x!w>) {
  %0 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4x!x>
  %1 = nn.rescale %0 numerics single_round [4] >> [2] : (tensor<4x!x>) -> tensor<4x!x>
  %2 = nn.rescale %1 numerics single_round [1073741824] >> [30] : (tensor<4x!x>) -> tensor<4x!w>
  return %1, %2 : tensor<4x!x>, tensor<4x!w>
}

// FOLDED-LABEL: func.func @bitcasts(
// FOLDED-NEXT: %[[B:.*]] = nn.bitcast %arg0 to !
// FOLDED-NEXT: return %arg0, %[[B]]
func.func @bitcasts(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4x!w>) {
  %0 = nn.bitcast %x to !x : (tensor<4xi8>) -> tensor<4x!x>
  %1 = nn.bitcast %0 to i8 : (tensor<4x!x>) -> tensor<4xi8>
  %2 = nn.bitcast %0 to !w : (tensor<4x!x>) -> tensor<4x!w>
  return %1, %2 : tensor<4xi8>, tensor<4x!w>
}
