// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:128>
!s = !quant.uniform<i8:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.125:3>
!p = !quant.uniform<i8:f32:0, {0.5, 0.25}>

// A filter that is computed at run time: the inputs are features, filter, bias, and one pair of multiplier and shift.
// CHECK-LABEL: @computedFilter
func.func @computedFilter(%x: tensor<1x4x4x2x!s>, %w: tensor<2x3x3x2x!w>, %b: tensor<2xi32>) -> tensor<1x2x2x2x!s> {
  // CHECK: %[[SCALES:.*]] = npu.constant dense<{{.*}}> : tensor<1x1x2xi32>
  // CHECK: npu.dsp "windowConv"(%arg0, %arg1, %arg2, %[[SCALES]])
  // CHECK-SAME: parameters [0, 1, 1, 3, 3, 1, 1, 1, 1, 0, 0, 1, -128, 127, 0]
  // CHECK-SAME: zero_points [0, 3, 0, 0]
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x2x!s>, tensor<2x3x3x2x!w>, tensor<2xi32>) -> tensor<1x2x2x2x!s>
  return %0 : tensor<1x2x2x2x!s>
}

// Each image of a batch whose windows span several rows is a convolution with the same weights, which writes in place.
// CHECK-LABEL: @batch
func.func @batch(%x: tensor<2x4x4x1x!x>) -> tensor<2x2x2x2x!x> {
  // CHECK: %[[FIRST:.*]] = npu.part %arg0 at [0, 0, 0] : tensor<8x4x1xui8> -> tensor<4x4x1xui8>
  // CHECK: %[[A:.*]] = npu.conv %[[FIRST]], %[[W:.*]], %[[R:.*]] {input
  // CHECK: %[[SECOND:.*]] = npu.part %arg0 at [4, 0, 0]
  // CHECK: %[[B:.*]] = npu.conv %[[SECOND]], %[[W]], %[[R]] {
  // CHECK: npu.join %[[A]], %[[B]] along 0
  %w = nn.constant dense<1> : tensor<2x3x3x1xi8> as tensor<2x3x3x1x!p>
  %0 = nn.conv_2d %x, %w : (tensor<2x4x4x1x!x>, tensor<2x3x3x1x!p>) -> tensor<2x2x2x2x!x>
  return %0 : tensor<2x2x2x2x!x>
}

// Padding as wide as the window, which the array does not support.
// CHECK-LABEL: @widePadding
func.func @widePadding(%x: tensor<1x4x4x2xf32>) -> tensor<1x6x6x2xf32> {
  // CHECK: npu.dsp "windowConv"
  %w = nn.constant dense<1.0> : tensor<2x1x1x2xf32>
  %0 = nn.conv_2d %x, %w pad [1, 1, 1, 1] : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x6x6x2xf32>
  return %0 : tensor<1x6x6x2xf32>
}

// float16 with constant weights runs on the array.
// CHECK-LABEL: @half
func.func @half(%x: tensor<1x4x4x2xf16>) -> tensor<1x2x2x2xf16> {
  // CHECK: npu.conv {{.*}}weightType = f16{{.*}} -> tensor<2x2x2xf16>
  %w = nn.constant dense<1.0> : tensor<2x3x3x2xf16>
  %b = nn.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x2xf16>, tensor<2x3x3x2xf16>, tensor<2xf16>) -> tensor<1x2x2x2xf16>
  return %0 : tensor<1x2x2x2xf16>
}

// CHECK-LABEL: @matrices
func.func @matrices(%x: tensor<3x4xf16>, %w: tensor<2x4xf16>, %b: tensor<2xf16>) -> tensor<3x2xf16> {
  // The array reads the bias from records that the compiler makes.
  // CHECK: npu.view %arg0 : tensor<1x3x4xf16> -> tensor<3x1x4xf16>
  // CHECK: npu.view %arg1 : tensor<1x2x4xf16> -> tensor<2x1x4xf16>
  // CHECK: npu.dsp "windowConv"
  %0 = nn.fully_connected %x, %w, %b : (tensor<3x4xf16>, tensor<2x4xf16>, tensor<2xf16>) -> tensor<3x2xf16>
  return %0 : tensor<3x2xf16>
}

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<1x4x4x2x!x>, %s: tensor<1x4x4x2x!s>) -> (tensor<1x2x2x2x!x>, tensor<1x2x2x2x!x>, tensor<1x3x3x2x!s>) {
  // With an odd number of elements no mean needs rounding of a half.
  // CHECK: npu.pool %arg0
  %0 = nn.average_pool_2d %x kernel [3, 3] centered : (tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x>
  // CHECK: npu.dsp "windowPool"(%arg0) {{.*}}parameters [2, 1, 2, 2, 2, 2
  %1 = nn.average_pool_2d %x kernel [2, 2] stride [2, 2] centered : (tensor<1x4x4x2x!x>) -> tensor<1x2x2x2x!x>
  // CHECK: npu.pool %arg1
  %2 = nn.average_pool_2d %s kernel [2, 2] centered : (tensor<1x4x4x2x!s>) -> tensor<1x3x3x2x!s>
  return %0, %1, %2 : tensor<1x2x2x2x!x>, tensor<1x2x2x2x!x>, tensor<1x3x3x2x!s>
}

// Two groups become one dense convolution, whose filter has zeros (the zero point) for the other group's channels.
// CHECK-LABEL: @fewGroups
func.func @fewGroups(%x: tensor<1x4x4x4x!s>) -> tensor<1x2x2x2x!s> {
  // CHECK: npu.conv {{.*}}weightZeroPoint = 3{{.*}} : tensor<4x4x4xi8>, tensor<72xi8>
  %w = nn.constant dense<1> : tensor<2x3x3x2xi8> as tensor<2x3x3x2x!w>
  %0 = nn.grouped_conv_2d %x, %w groups 2 : (tensor<1x4x4x4x!s>, tensor<2x3x3x2x!w>) -> tensor<1x2x2x2x!s>
  return %0 : tensor<1x2x2x2x!s>
}

// Groups of one channel become a depthwise convolution.
// CHECK-LABEL: @groupsOfOne
func.func @groupsOfOne(%x: tensor<1x4x4x3xf32>) -> tensor<1x2x2x6xf32> {
  // CHECK: npu.conv {{.*}}kind = depthwise{{.*}} : tensor<4x4x3xf32>, tensor<216xi8>
  %w = nn.constant dense<1.0> : tensor<6x3x3x1xf32>
  %0 = nn.grouped_conv_2d %x, %w groups 3 : (tensor<1x4x4x3xf32>, tensor<6x3x3x1xf32>) -> tensor<1x2x2x6xf32>
  return %0 : tensor<1x2x2x6xf32>
}

// Groups of many outputs run as one convolution each, on parts of the input and of the result.
// CHECK-LABEL: @wideGroups
func.func @wideGroups(%x: tensor<1x14x14x64xf32>) -> tensor<1x14x14x64xf32> {
  // CHECK: %[[LOW:.*]] = npu.part %arg0 at [0, 0, 0] : tensor<14x14x64xf32> -> tensor<14x14x32xf32>
  // CHECK: %[[A:.*]] = npu.conv %[[LOW]]
  // CHECK: %[[HIGH:.*]] = npu.part %arg0 at [0, 0, 32]
  // CHECK: %[[B:.*]] = npu.conv %[[HIGH]]
  // CHECK: npu.join %[[A]], %[[B]] along 2
  %w = nn.constant dense<1.0> : tensor<64x3x3x32xf32>
  %0 = nn.grouped_conv_2d %x, %w groups 2 pad [1, 1, 1, 1]
     : (tensor<1x14x14x64xf32>, tensor<64x3x3x32xf32>) -> tensor<1x14x14x64xf32>
  return %0 : tensor<1x14x14x64xf32>
}

// With so many groups the DSP is faster than convolutions on the array.
// CHECK-LABEL: @manyGroups
func.func @manyGroups(%x: tensor<1x1x1x128xf32>) -> tensor<1x1x1x64xf32> {
  // CHECK: npu.dsp "windowConv"
  %w = nn.constant dense<1.0> : tensor<64x1x1x2xf32>
  %0 = nn.grouped_conv_2d %x, %w groups 64 : (tensor<1x1x1x128xf32>, tensor<64x1x1x2xf32>) -> tensor<1x1x1x64xf32>
  return %0 : tensor<1x1x1x64xf32>
}

// The phases of stride 2 are convolutions with 2 x 2 taps each, which write every second row and column.
// CHECK-LABEL: @transposedOnArray
func.func @transposedOnArray(%x: tensor<1x4x4x3xf32>) -> tensor<1x8x8x2xf32> {
  // CHECK: %[[A:.*]] = npu.conv %arg0{{.*}}kernelHeight = 2, kernelWidth = 2, padTop = 1, padLeft = 1}
  // CHECK: %[[B:.*]] = npu.conv %arg0{{.*}}kernelHeight = 2, kernelWidth = 2, padTop = 1}{{.*}}pad_right 1
  // CHECK: %[[UPPER:.*]] = npu.join %[[A]], %[[B]] interleaved along 1 {{.*}}-> tensor<4x8x2xf32>
  // CHECK: npu.conv %arg0
  // CHECK: npu.conv %arg0
  // CHECK: %[[LOWER:.*]] = npu.join {{.*}} interleaved along 1
  // CHECK: npu.join %[[UPPER]], %[[LOWER]] interleaved along 0 {{.*}}-> tensor<8x8x2xf32>
  %w = nn.constant dense<1.0> : tensor<2x4x4x3xf32>
  %0 = nn.transpose_conv_2d %x, %w stride [2, 2] pad [1, 1, 1, 1]
     : (tensor<1x4x4x3xf32>, tensor<2x4x4x3xf32>) -> tensor<1x8x8x2xf32>
  return %0 : tensor<1x8x8x2xf32>
}

// The stride is larger than the kernel: phases without taps have one of zeros, and so make the bias. The last row of the
// input is not read.
// CHECK-LABEL: @wideStride
func.func @wideStride(%x: tensor<1x4x1x3xf32>) -> tensor<1x8x1x2xf32> {
  // CHECK: npu.part %arg0 at [0, 0, 0] : tensor<4x1x3xf32> -> tensor<3x1x3xf32>
  // CHECK: npu.join {{.*}} interleaved along 0 : (tensor<3x1x2xf32>, tensor<3x1x2xf32>, tensor<2x1x2xf32>)
  %w = nn.constant dense<1.0> : tensor<2x2x1x3xf32>
  %0 = nn.transpose_conv_2d %x, %w stride [3, 1] pad [0, 3, 0, 0]
     : (tensor<1x4x1x3xf32>, tensor<2x2x1x3xf32>) -> tensor<1x8x1x2xf32>
  return %0 : tensor<1x8x1x2xf32>
}

// A window whose input block exceeds the array's buffer: the rows that agree modulo the dilation are a convolution, whose
// columns are dilated.
// CHECK-LABEL: @farDilation
func.func @farDilation(%x: tensor<1x33x33x64xf32>) -> tensor<1x33x33x16xf32> {
  // CHECK: %[[PHASE:.*]] = npu.part %arg0 at [0, 0, 0] by [24, 1] : tensor<33x33x64xf32> -> tensor<2x33x64xf32>
  // CHECK: npu.conv %[[PHASE]], %[[W:.*]], %[[R:.*]] {scaling
  // CHECK-SAME: dilationWidth = 24, padTop = 1, padLeft = 24
  // CHECK: %[[LAST:.*]] = npu.part %arg0 at [23, 0, 0] by [24, 1] : tensor<33x33x64xf32> -> tensor<1x33x64xf32>
  // CHECK: npu.conv %[[LAST]], %[[W]], %[[R]] {
  // CHECK: npu.join {{.*}} interleaved along 0
  %w = nn.constant dense<1.0> : tensor<16x3x3x64xf32>
  %0 = nn.conv_2d %x, %w dilation [24, 24] pad [24, 24, 24, 24]
     : (tensor<1x33x33x64xf32>, tensor<16x3x3x64xf32>) -> tensor<1x33x33x16xf32>
  return %0 : tensor<1x33x33x16xf32>
}

// CHECK-LABEL: @wholeImage
func.func @wholeImage(%x: tensor<1x224x224x8xf32>) -> tensor<1x1x1x8xf32> {
  // CHECK: npu.dsp "windowPool"
  %0 = nn.average_pool_2d %x kernel [224, 224] : (tensor<1x224x224x8xf32>) -> tensor<1x1x1x8xf32>
  return %0 : tensor<1x1x1x8xf32>
}
