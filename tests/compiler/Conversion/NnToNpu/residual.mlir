// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 0.25:4>
!s = !quant.uniform<i8:f32, 0.75:7>
!w = !quant.uniform<i8:f32, 0.125>

// The addition moves into the convolution; its layer has the names of both, and the layers after it other numbers.
// CHECK-LABEL: func.func @residual(
// CHECK-SAME: %[[X:.*]]: tensor<4x4x2xi8>
// CHECK-SAME: npu.layers = [{{{.*}}name = "conv + sum", op = "CONV_2D + ADD"{{.*}}}, {{{.*}}name = "pool", op = "MAX_POOL_2D"{{.*}}}]
// CHECK: npu.conv %[[X]], %{{.*}}, %{{.*}} add %[[X]]
// CHECK-SAME: output = {zeroPoint = 7}
// CHECK-SAME: clamp = {min = 4, max = 127}
// CHECK-SAME: residual = {addend = {address = none, zeroPoint = -3}, zeroPoint = 4, leftShift = 20
// CHECK-SAME: clamp = {min = 7, max = 127}}
// CHECK-SAME: layer 0
// CHECK-SAME: add tensor<4x4x2xi8>
// CHECK-NEXT: npu.pool
// CHECK-SAME: layer 1
func.func @residual(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!s> {
  %w = nn.constant dense<1> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
  %0 = nn.conv_2d %x, %w activation relu : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!y> loc("conv")
  %1 = nn.add %0, %x activation relu : (tensor<1x4x4x2x!y>, tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!s> loc("sum")
  %2 = nn.max_pool_2d %1 kernel [1, 1] : (tensor<1x4x4x2x!s>) -> tensor<1x4x4x2x!s> loc("pool")
  return %2 : tensor<1x4x4x2x!s>
}

// Of two convolutions the later one takes the addition, here the second operand's.
// CHECK-LABEL: func.func @twoConvolutions(
// CHECK-SAME: npu.layers = [{{{.*}}name = "first", op = "CONV_2D"{{.*}}}, {{{.*}}name = "second + sum", op = "CONV_2D + ADD"{{.*}}}]
// CHECK: %[[A:.*]] = npu.conv
// CHECK: npu.conv {{.*}} add %[[A]]
// CHECK-NOT: npu.eltwise
func.func @twoConvolutions(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!s> {
  %w = nn.constant dense<1> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!y> loc("first")
  %1 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!x> loc("second")
  %2 = nn.add %0, %1 : (tensor<1x4x4x2x!y>, tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!s> loc("sum")
  return %2 : tensor<1x4x4x2x!s>
}

// Not with another reader of the convolution's result, nor with an addend that is broadcast.
// CHECK-LABEL: func.func @secondReader(
// CHECK: npu.eltwise
func.func @secondReader(%x: tensor<1x4x4x2x!x>) -> (tensor<1x4x4x2x!y>, tensor<1x4x4x2x!s>) {
  %w = nn.constant dense<1> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!y>
  %1 = nn.add %0, %x : (tensor<1x4x4x2x!y>, tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!s>
  return %0, %1 : tensor<1x4x4x2x!y>, tensor<1x4x4x2x!s>
}
// CHECK-LABEL: func.func @broadcast(
// CHECK: npu.eltwise
func.func @broadcast(%x: tensor<1x4x4x2x!x>, %b: tensor<1x1x4x2x!x>) -> tensor<1x4x4x2x!s> {
  %w = nn.constant dense<1> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!y>
  %1 = nn.add %0, %b : (tensor<1x4x4x2x!y>, tensor<1x1x4x2x!x>) -> tensor<1x4x4x2x!s>
  return %1 : tensor<1x4x4x2x!s>
}
