// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file --convert-nn-to-npu=target=e256 --compress-weights=target=e256 | FileCheck %s

// 128 equal weights become one run; records of 16 channels take 192 bytes. The bound follows.
// CHECK-LABEL: func.func @small(
// CHECK-SAME: rooflineCycles = [[#BYTES:]] : i64
// CHECK-SAME: weightBytes = [[#BYTES]] : i64
// CHECK: npu.conv
// CHECK-SAME: weightFormat = compressed
// CHECK-SAME: tensor<[[#BYTES-192]]xi8>
!a = tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x2x2x16x!quant.uniform<i8:f32, 0.5>>
func.func @small(%x: !a) -> !b {
  %w = nn.constant dense<1> : tensor<16x1x1x8xi8> as tensor<16x1x1x8x!quant.uniform<i8:f32, 0.5>>
  %bias = nn.constant dense<0> : tensor<16xi32>
  %0 = nn.conv_2d %x, %w, %bias : (!a, tensor<16x1x1x8x!quant.uniform<i8:f32, 0.5>>, tensor<16xi32>) -> !b
  return %0 : !b
}

// -----

// The code lengths alone would take more than these 8 weights.
// CHECK-LABEL: func.func @tooFew(
// CHECK-SAME: weightBytes = 20 : i64
// CHECK: npu.conv
// CHECK-NOT: compressed
// CHECK-SAME: tensor<8xi8>
!a = tensor<1x2x2x8x!quant.uniform<i8:f32, 0.5>>
!b = tensor<1x2x2x1x!quant.uniform<i8:f32, 0.5>>
func.func @tooFew(%x: !a) -> !b {
  %w = nn.constant dense<[[[[1, -9, 30, 2, 100, 77, -80, 5]]]]> : tensor<1x1x1x8xi8> as tensor<1x1x1x8x!quant.uniform<i8:f32, 0.5>>
  %0 = nn.conv_2d %x, %w : (!a, tensor<1x1x1x8x!quant.uniform<i8:f32, 0.5>>) -> !b
  return %0 : !b
}

// -----

// Floats that are integers with scales take a header and the runs.
// CHECK-LABEL: func.func @scaledFloats(
// CHECK-SAME: rooflineCycles = [[#BYTES:]] : i64
// CHECK-SAME: weightBytes = [[#BYTES]] : i64
// CHECK: npu.conv
// CHECK-SAME: weightFormat = compressed
// CHECK-SAME: tensor<[[#BYTES-192]]xi8>
func.func @scaledFloats(%x: tensor<1x2x2x8xf32>) -> tensor<1x2x2x16xf32> {
  %w = nn.constant dense<0.5> : tensor<16x1x1x8xf32>
  %0 = nn.conv_2d %x, %w : (tensor<1x2x2x8xf32>, tensor<16x1x1x8xf32>) -> tensor<1x2x2x16xf32>
  return %0 : tensor<1x2x2x16xf32>
}

// -----

// No scale makes both 1 and 129 from integers of 8 bits.
// CHECK-LABEL: func.func @floats(
// CHECK: npu.conv
// CHECK-NOT: compressed
// CHECK-SAME: tensor<64xi8>
func.func @floats(%x: tensor<1x2x2x8xf32>) -> tensor<1x2x2x2xf32> {
  %w = nn.constant dense<[[[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 129.0]]], [[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 129.0]]]]> : tensor<2x1x1x8xf32>
  %0 = nn.conv_2d %x, %w : (tensor<1x2x2x8xf32>, tensor<2x1x1x8xf32>) -> tensor<1x2x2x2xf32>
  return %0 : tensor<1x2x2x2xf32>
}
