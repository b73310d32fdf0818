// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concatenations and slices that move nothing.
// RUN: avocet-opt --convert-nn-to-npu=target=e256 %s | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5:3>
!s = !quant.uniform<i8:f32, 0.00390625:-128>

// Both parts are written in place, also the one that another operation reads.
// CHECK-LABEL: func.func @inPlace(
// CHECK: %[[A:.*]] = npu.pool %arg0
// CHECK: %[[B:.*]] = npu.pool %[[A]]
// CHECK: %[[JOIN:.*]] = npu.join %[[A]], %[[B]] along 2 : (tensor<4x4x8xi8>, tensor<4x4x8xi8>) -> tensor<4x4x16xi8>
// CHECK-NEXT: return %[[JOIN]]
func.func @inPlace(%x: tensor<1x4x4x8x!q>) -> tensor<1x4x4x16x!q> {
  %0 = nn.max_pool_2d %x kernel [1, 1] activation relu6 : (tensor<1x4x4x8x!q>) -> tensor<1x4x4x8x!q>
  %1 = nn.max_pool_2d %0 kernel [1, 1] activation relu6 : (tensor<1x4x4x8x!q>) -> tensor<1x4x4x8x!q>
  %2 = nn.concatenation %0, %1 axis 3 : (tensor<1x4x4x8x!q>, tensor<1x4x4x8x!q>) -> tensor<1x4x4x16x!q>
  return %2 : tensor<1x4x4x16x!q>
}

// A concatenation in another one is in place too. A part that is used twice, or is an output itself, is copied.
// CHECK-LABEL: func.func @nested(
// CHECK: %[[A:.*]] = npu.pool %arg0
// CHECK: %[[B:.*]] = npu.pool %[[A]]
// CHECK: %[[INNER:.*]] = npu.join %[[A]], %[[B]] along 2
// CHECK: %[[COPY:.*]] = npu.pool %[[A]]
// CHECK: %[[OUTER:.*]] = npu.join %[[INNER]], %[[COPY]] along 2
// CHECK: %[[OUTPUT:.*]] = npu.pool %[[INNER]]
// CHECK: return %[[OUTER]], %[[OUTPUT]]
func.func @nested(%x: tensor<1x4x4x8x!q>) -> (tensor<1x4x4x24x!q>, tensor<1x4x4x16x!q>) {
  %0 = nn.max_pool_2d %x kernel [1, 1] activation relu6 : (tensor<1x4x4x8x!q>) -> tensor<1x4x4x8x!q>
  %1 = nn.max_pool_2d %0 kernel [1, 1] activation relu6 : (tensor<1x4x4x8x!q>) -> tensor<1x4x4x8x!q>
  %2 = nn.concatenation %0, %1 axis 3 : (tensor<1x4x4x8x!q>, tensor<1x4x4x8x!q>) -> tensor<1x4x4x16x!q>
  %3 = nn.concatenation %2, %0 axis 3 : (tensor<1x4x4x16x!q>, tensor<1x4x4x8x!q>) -> tensor<1x4x4x24x!q>
  return %3, %2 : tensor<1x4x4x24x!q>, tensor<1x4x4x16x!q>
}

// Reshaped parts are written in the shape of their operations.
// CHECK-LABEL: func.func @heads(
// CHECK: %[[A:.*]] = npu.view %{{.*}} : tensor<4x4x8xi8> -> tensor<1x32x4xi8>
// CHECK: %[[B:.*]] = npu.view %{{.*}} : tensor<2x2x8xi8> -> tensor<1x8x4xi8>
// CHECK: npu.join %[[A]], %[[B]] along 1
// CHECK-NOT: npu.pool
func.func @heads(%x: tensor<1x4x4x8x!q>, %y: tensor<1x2x2x8x!q>) -> tensor<1x40x4x!q> {
  %0 = nn.max_pool_2d %x kernel [1, 1] activation relu6 : (tensor<1x4x4x8x!q>) -> tensor<1x4x4x8x!q>
  %1 = nn.max_pool_2d %y kernel [1, 1] activation relu6 : (tensor<1x2x2x8x!q>) -> tensor<1x2x2x8x!q>
  %2 = nn.reshape %0 to [1, 32, 4] : (tensor<1x4x4x8x!q>) -> tensor<1x32x4x!q>
  %3 = nn.reshape %1 to [1, 8, 4] : (tensor<1x2x2x8x!q>) -> tensor<1x8x4x!q>
  %4 = nn.concatenation %2, %3 axis 1 : (tensor<1x32x4x!q>, tensor<1x8x4x!q>) -> tensor<1x40x4x!q>
  return %4 : tensor<1x40x4x!q>
}

// Slices are read where they are. A reshape that breaks the distances between rows or pixels reads a copy.
// CHECK-LABEL: func.func @slices(
// CHECK: %[[PART:.*]] = npu.part %arg0 at [1, 0, 4] : tensor<4x4x8xi8> -> tensor<2x4x4xi8>
// CHECK: npu.pool %[[PART]] {{.*}} -> tensor<2x4x4xi8>
// CHECK: %[[COPY:.*]] = npu.pool %[[PART]]
// CHECK: npu.view %[[COPY]] : tensor<2x4x4xi8> -> tensor<1x2x16xi8>
func.func @slices(%x: tensor<1x4x4x8x!q>) -> (tensor<1x2x4x4x!q>, tensor<1x2x16x!s>) {
  %0 = nn.slice %x begin [0, 1, 0, 4] size [1, 2, 4, 4] strides [1, 1, 1, 1] : (tensor<1x4x4x8x!q>) -> tensor<1x2x4x4x!q>
  %1 = nn.max_pool_2d %0 kernel [1, 1] activation relu6 : (tensor<1x2x4x4x!q>) -> tensor<1x2x4x4x!q>
  %2 = nn.reshape %0 to [1, 2, 16] : (tensor<1x2x4x4x!q>) -> tensor<1x2x16x!q>
  %3 = nn.softmax %2 beta 1.0 axis 2 : (tensor<1x2x16x!q>) -> tensor<1x2x16x!s>
  return %1, %3 : tensor<1x2x4x4x!q>, tensor<1x2x16x!s>
}
