// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!q = !quant.uniform<u8:f32, 0.5:125>
!p = !quant.uniform<u8:f32, 3.906250e-03>
!n = !quant.uniform<u8:f32, 7.812500e-03:128>

// Along the last axis the kernel can run on any rows (rowWise); along other axes it needs the whole tensor.
// CHECK-LABEL: func.func @softmax(
// CHECK: npu.dsp "softmax"({{.*}}row_wise{{.*}} : (tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
// CHECK-NOT: row_wise
// CHECK: npu.dsp "softmaxNd"({{.*}}parameters [2, 3, 20, 0, 0, 0, 1073741824, 0, 0, 0]{{.*}} : (tensor<6x4x5xf32>) -> tensor<6x4x5xf32>
func.func @softmax(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = nn.softmax %x axis 3 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = nn.softmax %0 beta 2.0 axis 1 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %1 : tensor<2x3x4x5xf32>
}

// The softmax kernel has no f16, so softmaxNd is used.
// CHECK-LABEL: func.func @half(
// CHECK: npu.dsp "softmaxNd"({{.*}}parameters [0, 3, 1, 0, 0, 0, 1065353216, 0, 0, 0]{{.*}}row_wise
func.func @half(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = nn.softmax %x : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @quantized(
// CHECK: npu.dsp "l2Normalize"({{.*}}parameters [1, 2, 3] zero_points [125] -> [128]
// CHECK: npu.dsp "softmaxNd"({{.*}}-> [0]
func.func @quantized(%x: tensor<2x3x!q>) -> (tensor<2x3x!n>, tensor<2x3x!p>) {
  %0 = nn.l2_normalize %x axis 0 : (tensor<2x3x!q>) -> tensor<2x3x!n>
  %1 = nn.softmax %x axis -2 : (tensor<2x3x!q>) -> tensor<2x3x!p>
  return %0, %1 : tensor<2x3x!n>, tensor<2x3x!p>
}

// CHECK-LABEL: func.func @others(
// CHECK: npu.dsp "logSoftmax"({{.*}}parameters [6, 4, 5, 1065353216]
// CHECK: npu.dsp "localResponse"({{.*}}parameters [0, 5, 1, 2, 1065353216, 1073741824, 1056964608]{{.*}}row_wise
// CHECK: npu.dsp "instanceNormalize"({{.*}}parameters [2, 12, 5, 1065353216, 0, 1040187392]
// CHECK: npu.dsp "rmsNormalize"({{.*}}parameters [0, 5, 1, 1040187392]{{.*}}row_wise
func.func @others(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = nn.log_softmax %x axis 2 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %1 = nn.local_response_normalize %0 radius 2 bias 1.0 alpha 2.0 beta 0.5 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %2 = nn.instance_normalize %1 gamma 1.0 beta 0.0 epsilon 0.125 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %3 = nn.rms_normalize %2 epsilon 0.125 : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %3 : tensor<2x3x4x5xf32>
}

// Images of one channel are pixels, so that commands may be cut between them.
// CHECK-LABEL: func.func @lines(
// CHECK: npu.dsp "instanceNormalize"({{.*}}parameters [0, 5, 1, 1065353216, 0, 1040187392]{{.*}}row_wise{{.*}} : (tensor<3x2x5xf32>) -> tensor<3x2x5xf32>
func.func @lines(%x: tensor<6x1x5x1xf32>) -> tensor<6x1x5x1xf32> {
  %0 = nn.instance_normalize %x gamma 1.0 beta 0.0 epsilon 0.125 : (tensor<6x1x5x1xf32>) -> tensor<6x1x5x1xf32>
  return %0 : tensor<6x1x5x1xf32>
}

// CHECK-LABEL: func.func @sums(
// CHECK: npu.dsp "cumulativeSum"({{.*}}parameters [0, 3, 1, 0, 1]{{.*}}row_wise
// CHECK: npu.dsp "cumulativeSum"({{.*}}parameters [1, 2, 3, 1, 0]
func.func @sums(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.cumsum %x reverse : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.cumsum %0 exclusive axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// The differences are scaled by beta times the scale of the input: 1.0.
// CHECK-LABEL: func.func @logarithms(
// CHECK: npu.dsp "logSoftmax"({{.*}}parameters [0, 3, 1, 1065353216] zero_points [{{.*}}] -> [255] row_wise
func.func @logarithms(%x: tensor<2x3x!q>) -> tensor<2x3x!quant.uniform<u8:f32, 0.0625:255>> {
  %0 = nn.log_softmax %x beta 2.0 : (tensor<2x3x!q>) -> tensor<2x3x!quant.uniform<u8:f32, 0.0625:255>>
  return %0 : tensor<2x3x!quant.uniform<u8:f32, 0.0625:255>>
}
