// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-absorb-moves))" | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.25>

// CHECK-LABEL: func.func @unitAxes(
func.func @unitAxes(%x: tensor<1x4x1x3xf32>) -> tensor<4x1x3x1xf32> {
  // CHECK-NEXT: nn.reshape %arg0 to [4, 1, 3, 1] : (tensor<1x4x1x3xf32>) -> tensor<4x1x3x1xf32>
  // CHECK-NEXT: return
  %0 = nn.transpose %x permutation [1, 0, 3, 2] : (tensor<1x4x1x3xf32>) -> tensor<4x1x3x1xf32>
  return %0 : tensor<4x1x3x1xf32>
}

// The second transpose undoes the first, although the axes between them are merged.
// CHECK-LABEL: func.func @undone(
func.func @undone(%x: tensor<2x3x4x5xf32>) -> tensor<2x12x5xf32> {
  // CHECK: %[[R:.*]] = nn.reshape %arg0 to [2, 12, 5] : (tensor<2x3x4x5xf32>) -> tensor<2x12x5xf32>
  // CHECK: return %[[R]]
  %0 = nn.transpose %x permutation [0, 3, 1, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32>
  %1 = nn.reshape %0 to [2, 5, 12] : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
  %2 = nn.transpose %1 permutation [0, 2, 1] : (tensor<2x5x12xf32>) -> tensor<2x12x5xf32>
  return %2 : tensor<2x12x5xf32>
}

// CHECK-LABEL: func.func @notUndone(
func.func @notUndone(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  // CHECK-COUNT-2: nn.transpose
  %0 = nn.transpose %x permutation [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %1 = nn.reshape %0 to [6, 4] : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %2 = nn.transpose %1 permutation [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Place (c, p) of the transposed input is place (p, c) of the original.
// CHECK-LABEL: func.func @weights(
func.func @weights(%x: tensor<3x3x2x!x>) -> tensor<3x1x!x> {
  // CHECK: %[[W:.*]] = nn.constant dense_resource<columns_1>
  // CHECK: %[[X:.*]] = nn.reshape %arg0
  // CHECK: nn.fully_connected %[[X]], %[[W]]
  %w = nn.constant dense_resource<columns> : tensor<1x6xi8> as tensor<1x6x!w>
  %0 = nn.transpose %x permutation [0, 2, 1] : (tensor<3x3x2x!x>) -> tensor<3x2x3x!x>
  %1 = nn.reshape %0 to [3, 6] : (tensor<3x2x3x!x>) -> tensor<3x6x!x>
  %2 = nn.fully_connected %1, %w : (tensor<3x6x!x>, tensor<1x6x!w>) -> tensor<3x1x!x>
  return %2 : tensor<3x1x!x>
}

// A transpose that mixes rows stays.
// CHECK-LABEL: func.func @rows(
func.func @rows(%x: tensor<6x3x!x>) -> tensor<3x1x!x> {
  // CHECK: nn.transpose
  %w = nn.constant dense_resource<mixed> : tensor<1x6xi8> as tensor<1x6x!w>
  %0 = nn.transpose %x permutation [1, 0] : (tensor<6x3x!x>) -> tensor<3x6x!x>
  %1 = nn.fully_connected %0, %w : (tensor<3x6x!x>, tensor<1x6x!w>) -> tensor<3x1x!x>
  return %1 : tensor<3x1x!x>
}

// Weights with another reader would be stored twice.
// CHECK-LABEL: func.func @shared(
func.func @shared(%x: tensor<1x3x2xf32>) -> (tensor<1x1xf32>, tensor<1x6xf32>) {
  // CHECK: nn.transpose
  %w = nn.constant dense_resource<shared> : tensor<1x6xf32>
  %0 = nn.transpose %x permutation [0, 2, 1] : (tensor<1x3x2xf32>) -> tensor<1x2x3xf32>
  %1 = nn.reshape %0 to [1, 6] : (tensor<1x2x3xf32>) -> tensor<1x6xf32>
  %2 = nn.fully_connected %1, %w : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x1xf32>
  return %2, %w : tensor<1x1xf32>, tensor<1x6xf32>
}

// CHECK-LABEL: func.func @floats(
func.func @floats(%x: tensor<1x3x2xf32>) -> tensor<1x1xf32> {
  // CHECK: %[[W:.*]] = nn.constant dense_resource<floats_1>
  // CHECK: %[[X:.*]] = nn.reshape %arg0
  // CHECK: nn.fully_connected %[[X]], %[[W]]
  %w = nn.constant dense_resource<floats> : tensor<1x6xf32>
  %0 = nn.transpose %x permutation [0, 2, 1] : (tensor<1x3x2xf32>) -> tensor<1x2x3xf32>
  %1 = nn.reshape %0 to [1, 6] : (tensor<1x2x3xf32>) -> tensor<1x6xf32>
  %2 = nn.fully_connected %1, %w : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @dilated(
// CHECK-SAME: %[[X:.*]]: tensor<1x8x12x5xf32>, %[[W:.*]]: tensor<7x3x3x5xf32>
func.func @dilated(%x: tensor<1x8x12x5xf32>, %w: tensor<7x3x3x5xf32>) -> tensor<1x8x6x7xf32> {
  // CHECK-NEXT: %[[Y:.*]] = nn.conv_2d %[[X]], %[[W]] dilation [2, 3] pad [2, 2, 0, 0] :
  // CHECK-SAME: -> tensor<1x8x6x7xf32>
  // CHECK-NEXT: return %[[Y]]
  %0 = nn.reshape %x to [1, 4, 2, 4, 3, 5] : (tensor<1x8x12x5xf32>) -> tensor<1x4x2x4x3x5xf32>
  %1 = nn.transpose %0 permutation [2, 4, 0, 1, 3, 5] : (tensor<1x4x2x4x3x5xf32>) -> tensor<2x3x1x4x4x5xf32>
  %2 = nn.reshape %1 to [6, 4, 4, 5] : (tensor<2x3x1x4x4x5xf32>) -> tensor<6x4x4x5xf32>
  %3 = nn.conv_2d %2, %w pad [1, 1, 0, 0] : (tensor<6x4x4x5xf32>, tensor<7x3x3x5xf32>) -> tensor<6x4x2x7xf32>
  %4 = nn.reshape %3 to [2, 3, 1, 4, 2, 7] : (tensor<6x4x2x7xf32>) -> tensor<2x3x1x4x2x7xf32>
  %5 = nn.transpose %4 permutation [2, 3, 0, 4, 1, 5] : (tensor<2x3x1x4x2x7xf32>) -> tensor<1x4x2x2x3x7xf32>
  %6 = nn.reshape %5 to [1, 8, 6, 7] : (tensor<1x4x2x2x3x7xf32>) -> tensor<1x8x6x7xf32>
  return %6 : tensor<1x8x6x7xf32>
}

// The result's blocks are not those of the input.
// CHECK-LABEL: func.func @otherBlocks(
func.func @otherBlocks(%x: tensor<1x4x4x1xf32>, %w: tensor<1x1x1x1xf32>) -> tensor<1x4x4x1xf32> {
  // CHECK-COUNT-2: nn.transpose
  %0 = nn.reshape %x to [1, 2, 2, 4, 1, 1] : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x4x1x1xf32>
  %1 = nn.transpose %0 permutation [2, 4, 0, 1, 3, 5] : (tensor<1x2x2x4x1x1xf32>) -> tensor<2x1x1x2x4x1xf32>
  %2 = nn.reshape %1 to [2, 2, 4, 1] : (tensor<2x1x1x2x4x1xf32>) -> tensor<2x2x4x1xf32>
  %3 = nn.conv_2d %2, %w : (tensor<2x2x4x1xf32>, tensor<1x1x1x1xf32>) -> tensor<2x2x4x1xf32>
  %4 = nn.reshape %3 to [1, 2, 1, 2, 4, 1] : (tensor<2x2x4x1xf32>) -> tensor<1x2x1x2x4x1xf32>
  %5 = nn.transpose %4 permutation [2, 3, 0, 4, 1, 5] : (tensor<1x2x1x2x4x1xf32>) -> tensor<1x2x1x4x2x1xf32>
  %6 = nn.reshape %5 to [1, 4, 4, 1] : (tensor<1x2x1x4x2x1xf32>) -> tensor<1x4x4x1xf32>
  return %6 : tensor<1x4x4x1xf32>
}

// No window reads the last rows, whether they are there or not. With a window more, or a scale of the rows at run time,
// they count.
// CHECK-LABEL: func.func @rest(
// CHECK-NEXT: %[[A:.*]] = nn.conv_2d %arg0, %arg1 stride [2, 2] :
// CHECK-NEXT: %[[P:.*]] = nn.slice
// CHECK-NEXT: nn.conv_2d %[[P]], %arg1 :
// CHECK: %[[S:.*]] = nn.slice %arg0
// CHECK-NEXT: nn.conv_2d %[[S]], %arg2 stride [2, 2] :
func.func @rest(%x: tensor<1x4x4x2xf32>, %w: tensor<3x1x1x2xf32>, %q: tensor<3x1x1x2x!quant.uniform<i8:f32, 1.0>>)
    -> (tensor<1x2x2x3xf32>, tensor<1x3x3x3xf32>, tensor<1x2x2x3xf32>) {
  %0 = nn.slice %x begin [0, 0, 0, 0] size [1, 3, 3, 2] strides [1, 1, 1, 1] : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  %1 = nn.conv_2d %0, %w stride [2, 2] : (tensor<1x3x3x2xf32>, tensor<3x1x1x2xf32>) -> tensor<1x2x2x3xf32>
  %2 = nn.slice %x begin [0, 0, 0, 0] size [1, 3, 3, 2] strides [1, 1, 1, 1] : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  %3 = nn.conv_2d %2, %w : (tensor<1x3x3x2xf32>, tensor<3x1x1x2xf32>) -> tensor<1x3x3x3xf32>
  %4 = nn.slice %x begin [0, 0, 0, 0] size [1, 3, 3, 2] strides [1, 1, 1, 1] : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  %5 = nn.conv_2d %4, %q stride [2, 2] : (tensor<1x3x3x2xf32>, tensor<3x1x1x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x2x2x3xf32>
  return %1, %3, %5 : tensor<1x2x2x3xf32>, tensor<1x3x3x3xf32>, tensor<1x2x2x3xf32>
}

// CHECK-DAG: columns_1: "0x10000000010402050306"
// CHECK-DAG: floats_1: "0x100000000000803F00008040000000400000A040000040400000C040"
{-#
  dialect_resources: {
    builtin: {
      columns: "0x10000000010203040506",
      mixed: "0x10000000010203040506",
      floats: "0x100000000000803F0000004000004040000080400000A0400000C040",
      shared: "0x100000000000803F0000004000004040000080400000A0400000C040"
    }
  }
#-}
