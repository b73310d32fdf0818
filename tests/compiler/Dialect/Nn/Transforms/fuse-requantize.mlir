// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-fuse-requantize))" | FileCheck %s

!u = !quant.uniform<u8:f32, 0.5:125>
!i = !quant.uniform<i8:f32, 0.5:-3>
!other = !quant.uniform<i8:f32, 0.5:-2>
!w = !quant.uniform<i8:f32, 0.1>
!wide = !quant.uniform<i16:f32, 0.5>
!narrow = !quant.uniform<u8:f32, 0.5:128>
!pi = !quant.uniform<i8:f32, 3.906250e-03:-128>
!pu = !quant.uniform<u8:f32, 3.906250e-03:0>

// The convolution can read and write uint8, so both quantize operations are fused.
// CHECK-LABEL: func.func @borders(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x4x2x![[U:.*]]>,
func.func @borders(%x: tensor<1x4x4x2x!u>, %w: tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!u> {
  // CHECK-NEXT: %[[Y:.*]] = nn.conv_2d %[[X]], %{{.*}} : {{.*}} -> tensor<1x4x4x2x![[U]]>
  // CHECK-NEXT: return %[[Y]]
  %0 = nn.quantize %x : (tensor<1x4x4x2x!u>) -> tensor<1x4x4x2x!i>
  %1 = nn.conv_2d %0, %w : (tensor<1x4x4x2x!i>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!i>
  %2 = nn.quantize %1 : (tensor<1x4x4x2x!i>) -> tensor<1x4x4x2x!u>
  return %2 : tensor<1x4x4x2x!u>
}

// Fusion passes through operations that do not depend on the zero point.
// CHECK-LABEL: func.func @softmax(
func.func @softmax(%x: tensor<1x2x!i>, %w: tensor<4x2x!w>) -> tensor<1x4x!pu> {
  // CHECK-NEXT: %[[Y:.*]] = nn.fully_connected %{{.*}} -> tensor<1x4x![[U:.*]]>
  // CHECK-NEXT: %[[R:.*]] = nn.reshape %[[Y]] to [4] : (tensor<1x4x![[U]]>) -> tensor<4x![[U]]>
  // CHECK-NEXT: %[[B:.*]] = nn.reshape %[[R]]
  // CHECK-NEXT: %[[S:.*]] = nn.softmax %[[B]]
  // CHECK-NEXT: return %[[S]]
  %0 = nn.fully_connected %x, %w : (tensor<1x2x!i>, tensor<4x2x!w>) -> tensor<1x4x!i>
  %1 = nn.reshape %0 to [4] : (tensor<1x4x!i>) -> tensor<4x!i>
  %2 = nn.reshape %1 to [1, 4] : (tensor<4x!i>) -> tensor<1x4x!i>
  %3 = nn.softmax %2 : (tensor<1x4x!i>) -> tensor<1x4x!pi>
  %4 = nn.quantize %3 : (tensor<1x4x!pi>) -> tensor<1x4x!pu>
  return %4 : tensor<1x4x!pu>
}

// No fusion: the quantize operation changes the represented values.
// CHECK-LABEL: func.func @inexact(
func.func @inexact(%x: tensor<1x4x4x2x!u>, %w: tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!i> {
  // CHECK: %[[Q:.*]] = nn.quantize
  // CHECK: nn.conv_2d %[[Q]]
  %0 = nn.quantize %x : (tensor<1x4x4x2x!u>) -> tensor<1x4x4x2x!other>
  %1 = nn.conv_2d %0, %w : (tensor<1x4x4x2x!other>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!i>
  return %1 : tensor<1x4x4x2x!i>
}

// No fusion: means round away from zero, so the result depends on the zero point.
// CHECK-LABEL: func.func @averagePool(
func.func @averagePool(%x: tensor<1x4x4x2x!i>) -> tensor<1x1x1x2x!u> {
  // CHECK: nn.average_pool_2d
  // CHECK: nn.quantize
  %0 = nn.average_pool_2d %x kernel [4, 4] : (tensor<1x4x4x2x!i>) -> tensor<1x1x1x2x!i>
  %1 = nn.quantize %0 : (tensor<1x1x1x2x!i>) -> tensor<1x1x1x2x!u>
  return %1 : tensor<1x1x1x2x!u>
}

// No fusion: the result has fewer bits.
// CHECK-LABEL: func.func @narrowed(
func.func @narrowed(%x: tensor<1x4x4x2x!wide>) -> tensor<1x1x1x2x!narrow> {
  // CHECK: nn.max_pool_2d
  // CHECK: nn.quantize
  %0 = nn.max_pool_2d %x kernel [4, 4] : (tensor<1x4x4x2x!wide>) -> tensor<1x1x1x2x!wide>
  %1 = nn.quantize %0 : (tensor<1x1x1x2x!wide>) -> tensor<1x1x1x2x!narrow>
  return %1 : tensor<1x1x1x2x!narrow>
}

!a = !quant.uniform<u8:f32, 1.0:125>
!b = !quant.uniform<i8:f32, 1.0:-3>

// A rescale by 1 is such a change too, one by another factor is none.
// CHECK-LABEL: func.func @rescales(
// CHECK-SAME: %[[X:.*]]: tensor<1x4x4x2x!{{.*}}>,
// CHECK-NEXT: nn.conv_2d %[[X]], %{{.*}}
// CHECK-NEXT: %[[R:.*]] = nn.rescale %[[X]]
// CHECK-NEXT: nn.conv_2d %[[R]], %{{.*}}
func.func @rescales(%x: tensor<1x4x4x2x!a>, %w: tensor<2x1x1x2x!w>) -> (tensor<1x4x4x2x!b>, tensor<1x4x4x2x!b>) {
  %0 = nn.rescale %x numerics single_round [1073741824] >> [30] : (tensor<1x4x4x2x!a>) -> tensor<1x4x4x2x!b>
  %1 = nn.conv_2d %0, %w : (tensor<1x4x4x2x!b>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!b>
  %2 = nn.rescale %x numerics single_round [1073741823] >> [30] : (tensor<1x4x4x2x!a>) -> tensor<1x4x4x2x!b>
  %3 = nn.conv_2d %2, %w : (tensor<1x4x4x2x!b>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!b>
  return %1, %3 : tensor<1x4x4x2x!b>, tensor<1x4x4x2x!b>
}
