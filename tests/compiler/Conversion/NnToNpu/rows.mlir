// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<i16:f32, 0.5>
!y = !quant.uniform<i8:f32, 0.5>
!l = !quant.uniform<i8:f32, 3.906250e-03:-128>

// A map of one row has no stripes, so that its pixels become the rows of an image, in which all operations of elements
// and of pixels compute.
// CHECK-LABEL: func.func @tokens(
// CHECK: npu.dsp "mean"({{.*}}row_wise{{.*}} : (tensor<3x2x8xf32>) -> tensor<3x2x1xf32>
// CHECK: npu.eltwise {{.*}} : tensor<3x2x8xf32>, tensor<3x2x1xf32> -> tensor<3x2x8xf32>
// CHECK-NEXT: npu.dsp "unary"({{.*}} : (tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
// CHECK-NEXT: npu.dsp "softmax"({{.*}} : (tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
// CHECK-NEXT: npu.dsp "rmsNormalize"({{.*}} : (tensor<3x2x8xf32>) -> tensor<3x2x8xf32>
func.func @tokens(%x: tensor<1x6x8xf32>) -> tensor<1x6x8xf32> {
  %m = nn.mean %x axes [2] : (tensor<1x6x8xf32>) -> tensor<1x6xf32>
  %0 = nn.reshape %m to [1, 6, 1] : (tensor<1x6xf32>) -> tensor<1x6x1xf32>
  %1 = nn.sub %x, %0 : (tensor<1x6x8xf32>, tensor<1x6x1xf32>) -> tensor<1x6x8xf32>
  %2 = nn.unary exp %1 : (tensor<1x6x8xf32>) -> tensor<1x6x8xf32>
  %3 = nn.softmax %2 : (tensor<1x6x8xf32>) -> tensor<1x6x8xf32>
  %4 = nn.rms_normalize %3 epsilon 0.125 : (tensor<1x6x8xf32>) -> tensor<1x6x8xf32>
  return %4 : tensor<1x6x8xf32>
}

// CHECK-LABEL: func.func @bytes(
// CHECK: npu.lookup {{.*}}-> tensor<3x2x16xi8>
func.func @bytes(%x: tensor<1x6x16x!y>) -> tensor<1x6x16x!l> {
  %0 = nn.logistic %x : (tensor<1x6x16x!y>) -> tensor<1x6x16x!l>
  return %0 : tensor<1x6x16x!l>
}

// Rows of fewer bytes than a burst of the SRAM would cost more than they gain.
// CHECK-LABEL: func.func @thin(
// CHECK: npu.lookup {{.*}}-> tensor<1x6x8xi8>
func.func @thin(%x: tensor<1x6x8x!y>) -> tensor<1x6x8x!l> {
  %0 = nn.logistic %x : (tensor<1x6x8x!y>) -> tensor<1x6x8x!l>
  return %0 : tensor<1x6x8x!l>
}

// The rows of a fully connected layer are those of the addition, which its output stage takes.
// CHECK-LABEL: func.func @residual(
// CHECK: npu.conv {{.*}}residual{{.*}} -> tensor<3x2x8xf32>
// CHECK-NOT: npu.eltwise
func.func @residual(%x: tensor<1x6x8xf32>) -> tensor<1x6x8xf32> {
  %w = nn.constant dense<1.0> : tensor<8x8xf32>
  %y = nn.fully_connected %x, %w : (tensor<1x6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %0 = nn.reshape %y to [1, 6, 8] : (tensor<6x8xf32>) -> tensor<1x6x8xf32>
  %1 = nn.add %x, %0 : (tensor<1x6x8xf32>, tensor<1x6x8xf32>) -> tensor<1x6x8xf32>
  return %1 : tensor<1x6x8xf32>
}

// A window of one pixel, and what follows windows along a row.
// CHECK-LABEL: func.func @windows(
// CHECK: npu.conv {{.*}} -> tensor<3x2x4xf32>
// CHECK: npu.conv {{.*}} -> tensor<1x6x4xf32>
// CHECK: npu.dsp "unary"({{.*}} : (tensor<1x6x4xf32>) -> tensor<1x6x4xf32>
func.func @windows(%x: tensor<1x1x6x8xf32>) -> tensor<1x1x6x4xf32> {
  %w = nn.constant dense<1.0> : tensor<4x1x1x8xf32>
  %v = nn.constant dense<1.0> : tensor<4x1x3x4xf32>
  %0 = nn.conv_2d %x, %w : (tensor<1x1x6x8xf32>, tensor<4x1x1x8xf32>) -> tensor<1x1x6x4xf32>
  %1 = nn.conv_2d %0, %v pad [0, 0, 1, 1] : (tensor<1x1x6x4xf32>, tensor<4x1x3x4xf32>) -> tensor<1x1x6x4xf32>
  %2 = nn.unary exp %1 : (tensor<1x1x6x4xf32>) -> tensor<1x1x6x4xf32>
  return %2 : tensor<1x1x6x4xf32>
}

// A recognized normalization of channels has rows of its own, which the map was not made in.
// CHECK-LABEL: func.func @factors(
// CHECK: npu.dsp "unary"
// CHECK: npu.conv {{.*}}depthwise{{.*}} -> tensor<8x2x16xf32>
func.func @factors(%x: tensor<1x16x16xf32>) -> tensor<1x4x4x16xf32> {
  %w = nn.constant dense<2.0> : tensor<1x1x1x16xf32>
  %0 = nn.unary exp %x : (tensor<1x16x16xf32>) -> tensor<1x16x16xf32>
  %1 = nn.reshape %0 to [1, 4, 4, 16] : (tensor<1x16x16xf32>) -> tensor<1x4x4x16xf32>
  %2 = nn.depthwise_conv_2d %1, %w : (tensor<1x4x4x16xf32>, tensor<1x1x1x16xf32>) -> tensor<1x4x4x16xf32>
  return %2 : tensor<1x4x4x16xf32>
}

// The array reads and writes 16-bit elements at any distances, the DSP does not.
// CHECK-LABEL: func.func @halves(
// CHECK: npu.part %arg0 at [0, 0, 0]
// CHECK: npu.part %arg0 at [0, 0, 4]
// CHECK: npu.eltwise
// CHECK: npu.eltwise
// CHECK: npu.join {{.*}} along 2
// CHECK-NOT: rearrange
func.func @halves(%x: tensor<1x2x6x8x!x>) -> tensor<1x2x6x8x!x> {
  %0 = nn.slice %x begin [0, 0, 0, 0] size [1, 2, 6, 4] strides [1, 1, 1, 1] : (tensor<1x2x6x8x!x>) -> tensor<1x2x6x4x!x>
  %1 = nn.slice %x begin [0, 0, 0, 4] size [1, 2, 6, 4] strides [1, 1, 1, 1] : (tensor<1x2x6x8x!x>) -> tensor<1x2x6x4x!x>
  %2 = nn.mul %0, %1 : (tensor<1x2x6x4x!x>, tensor<1x2x6x4x!x>) -> tensor<1x2x6x4x!x>
  %3 = nn.mul %1, %1 : (tensor<1x2x6x4x!x>, tensor<1x2x6x4x!x>) -> tensor<1x2x6x4x!x>
  %4 = nn.concatenation %2, %3 axis 3 : (tensor<1x2x6x4x!x>, tensor<1x2x6x4x!x>) -> tensor<1x2x6x8x!x>
  return %4 : tensor<1x2x6x8x!x>
}

// CHECK-LABEL: func.func @table(
// CHECK: npu.dsp "rearrange"
func.func @table(%x: tensor<1x2x6x8x!x>) -> tensor<1x2x6x4x!quant.uniform<i16:f32, 3.0517578125E-5>> {
  %0 = nn.slice %x begin [0, 0, 0, 0] size [1, 2, 6, 4] strides [1, 1, 1, 1] : (tensor<1x2x6x8x!x>) -> tensor<1x2x6x4x!x>
  %1 = nn.logistic %0 : (tensor<1x2x6x4x!x>) -> tensor<1x2x6x4x!quant.uniform<i16:f32, 3.0517578125E-5>>
  return %1 : tensor<1x2x6x4x!quant.uniform<i16:f32, 3.0517578125E-5>>
}
