// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:128>
!h = !quant.uniform<u8:f32, 1.0>

// The parameters are outer extent 2, 3 slices, 4 elements in a slice.
// CHECK-LABEL: func.func @gather(
// CHECK: npu.dsp "gather"(%{{.*}}, %{{.*}}) {{.*}}parameters [2, 3, 4]{{.*}} -> tensor<10x1x4xf16>
func.func @gather(%x: tensor<2x3x4xf16>, %i: tensor<5x1xi32>) -> tensor<2x5x1x4xf16> {
  %0 = nn.gather %x at %i axis 1 : (tensor<2x3x4xf16>, tensor<5x1xi32>) -> tensor<2x5x1x4xf16>
  return %0 : tensor<2x5x1x4xf16>
}

// CHECK-LABEL: func.func @hashtable(
// CHECK: npu.dsp "hashtableLookup"{{.*}} -> (tensor<1x4x2xui8>, tensor<1x1x4xui8>)
func.func @hashtable(%l: tensor<4xi32>, %k: tensor<3xi32>, %v: tensor<3x2x!x>) -> (tensor<4x2x!x>, tensor<4x!h>) {
  %0, %1 = nn.hashtable_lookup %l in %k, %v : (tensor<4xi32>, tensor<3xi32>, tensor<3x2x!x>) -> (tensor<4x2x!x>, tensor<4x!h>)
  return %0, %1 : tensor<4x2x!x>, tensor<4x!h>
}

// Sparse, 2 bits, 3 items.
// CHECK-LABEL: func.func @lsh(
// CHECK: npu.dsp "lshProjection"{{.*}}parameters [3, 2, 3]
func.func @lsh(%s: tensor<4x2xf32>, %x: tensor<3x2xi32>) -> tensor<4xi32> {
  %0 = nn.lsh_projection sparse %s, %x : (tensor<4x2xf32>, tensor<3x2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Bilinear, no corners, half pixels; 2 images of 3 x 4 to 6 x 8, 5 channels.
// CHECK-LABEL: func.func @resize(
// CHECK: npu.dsp "resize"{{.*}}parameters [1, 0, 1, 2, 3, 4, 6, 8, 5]
func.func @resize(%x: tensor<2x3x4x5x!x>) -> tensor<2x6x8x5x!x> {
  %0 = nn.resize bilinear %x to [6, 8] half_pixel_centers : (tensor<2x3x4x5x!x>) -> tensor<2x6x8x5x!x>
  return %0 : tensor<2x6x8x5x!x>
}

// CHECK-LABEL: func.func @resizeWide(
// CHECK: npu.dsp "resize"{{.*}}parameters [2, 0, 0, 1, 3, 4, 6, 8, 5]{{.*}} -> tensor<6x8x5xi16>
func.func @resizeWide(%x: tensor<1x3x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x6x8x5x!quant.uniform<i16:f32, 0.5>> {
  %0 = nn.resize bilinear %x to [6, 8] : (tensor<1x3x4x5x!quant.uniform<i16:f32, 0.5>>) -> tensor<1x6x8x5x!quant.uniform<i16:f32, 0.5>>
  return %0 : tensor<1x6x8x5x!quant.uniform<i16:f32, 0.5>>
}

// 6 rows, the 3 largest of 5 elements; of equal ones the last comes first.
// CHECK-LABEL: func.func @topK(
// CHECK: npu.dsp "topK"{{.*}}parameters [6, 5, 3, 1]{{.*}} -> (tensor<2x3x3xui8>, tensor<2x3x3xi32>)
func.func @topK(%x: tensor<2x3x5x!x>) -> (tensor<2x3x3x!x>, tensor<2x3x3xi32>) {
  %0:2 = nn.topk_v2 %x k 3 last_first : (tensor<2x3x5x!x>) -> (tensor<2x3x3x!x>, tensor<2x3x3xi32>)
  return %0#0, %0#1 : tensor<2x3x3x!x>, tensor<2x3x3xi32>
}
