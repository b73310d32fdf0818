// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | avocet-opt | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>
!u = !quant.uniform<u8:f32, 0.5:125>
!y = !quant.uniform<i8:f32, 0.25:4>
!w = !quant.uniform<i8:f32:0, {0.125, 0.25}>
!w1 = !quant.uniform<i8:f32, 0.125>
!wu = !quant.uniform<u8:f32, 0.125:7>
!dw = !quant.uniform<i8:f32:3, {0.125, 0.25}>

// Two filters of four weights: one granule, one chunk. The records are bias, multiplier and shift: 0.5 * 0.125 / 0.25 is
// 2^30 * 2^(-1 - 31), 0.5 * 0.25 / 0.25 is 2^30 * 2^(0 - 31).
// CHECK-LABEL: func.func @dense(
// CHECK-SAME: %[[X:.*]]: tensor<4x4x1xi8> {nn.name = "image", npu.network_type = tensor<1x4x4x1x!
// CHECK-SAME: -> (tensor<2x2x2xi8> {npu.network_type = tensor<1x2x2x2x!
// CHECK-SAME: npu.layers = [{{{.*}}name = "first", op = "CONV_2D"{{.*}}}]
func.func @dense(%x: tensor<1x4x4x1x!x> {nn.name = "image"}) -> tensor<1x2x2x2x!y> {
  // CHECK-NEXT: %[[W:.*]] = npu.constant dense_resource<weights0> : tensor<8xi8>
  %w = nn.constant dense<[[[[1], [2]], [[3], [4]]], [[[5], [6]], [[7], [8]]]]> : tensor<2x2x2x1xi8> as tensor<2x2x2x1x!w>
  %b = nn.constant dense<[16, -1]> : tensor<2xi32>
  // CHECK-NEXT: %[[R:.*]] = npu.constant dense_resource<records0> : tensor<24xi8>
  // CHECK-NEXT: npu.conv %[[X]], %[[W]], %[[R]]
  // CHECK-SAME: input = {zeroPoint = -3}
  // CHECK-SAME: output = {zeroPoint = 4}
  // CHECK-SAME: window = {kernelHeight = 2, kernelWidth = 2, strideHeight = 2, strideWidth = 2, padTop = 1}
  // CHECK-SAME: clamp = {min = 4, max = 127}
  // CHECK-SAME: layer 0
  %0 = nn.conv_2d %x, %w, %b stride [2, 2] pad [1, 0, 0, 1] activation relu : (tensor<1x4x4x1x!x>, tensor<2x2x2x1x!w>, tensor<2xi32>) -> tensor<1x2x2x2x!y> loc("first")
  return %0 : tensor<1x2x2x2x!y>
}

// CHECK-LABEL: func.func @legacy(
// CHECK: npu.conv
// CHECK-SAME: input = {zeroPoint = 125}
// CHECK-SAME: weightType = u8, weightZeroPoint = 7
// CHECK-SAME: tensor<4x4x1xui8>
func.func @legacy(%x: tensor<1x4x4x1x!u>) -> tensor<1x4x4x2x!u> {
  %w = nn.constant dense<1> : tensor<2x1x1x1xi8> as tensor<2x1x1x1x!wu>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x1x!u>, tensor<2x1x1x1x!wu>) -> tensor<1x4x4x2x!u>
  return %0 : tensor<1x4x4x2x!u>
}

// CHECK-LABEL: func.func @depthwise(
// CHECK: npu.conv
// CHECK-SAME: kind = depthwise
func.func @depthwise(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!y> {
  %w = nn.constant dense<1> : tensor<1x3x3x2xi8> as tensor<1x3x3x2x!dw>
  %0 = nn.depthwise_conv_2d %x, %w pad [1, 1, 1, 1] : (tensor<1x4x4x2x!x>, tensor<1x3x3x2x!dw>) -> tensor<1x4x4x2x!y>
  return %0 : tensor<1x4x4x2x!y>
}

// With one input channel, depthwise becomes dense: the filter [taps, channels] becomes [channels, taps].
// CHECK-LABEL: func.func @depthwiseOfOneChannel(
// CHECK: npu.constant dense_resource<[[W:weights0_[0-9]+]]>
// CHECK: npu.conv
// CHECK-NOT: depthwise
func.func @depthwiseOfOneChannel(%x: tensor<1x4x4x1x!x>) -> tensor<1x3x4x2x!y> {
  %w = nn.constant dense<[[[[1, 2]], [[3, 4]]]]> : tensor<1x2x1x2xi8> as tensor<1x2x1x2x!dw>
  %0 = nn.depthwise_conv_2d %x, %w : (tensor<1x4x4x1x!x>, tensor<1x2x1x2x!dw>) -> tensor<1x3x4x2x!y>
  return %0 : tensor<1x3x4x2x!y>
}

// CHECK-LABEL: func.func @floats(
// CHECK: npu.constant dense_resource<{{weights.*}}> : tensor<8xi8>
// CHECK: npu.conv
// CHECK-SAME: scaling = float
// CHECK-SAME: weightType = f32
func.func @floats(%x: tensor<1x4x4x1xf32>) -> tensor<1x4x4x2xf32> {
  %w = nn.constant dense<2.0> : tensor<2x1x1x1xf32>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}

// A large input is quantized by rows, so that the DSP works beside the array.
// CHECK-LABEL: func.func @hybrid_rows(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<32x32x8xf32>
// CHECK: %[[RANGES:.*]] = npu.dsp "rowRange"(%[[X]]) {{.*}}row_wise
// CHECK-SAME: (tensor<32x32x8xf32>) -> tensor<32x1x2xf32>
// CHECK: %[[SCALE:.*]]:2 = npu.dsp "dynamicRecord"(%[[RANGES]]) parameters [0]
// CHECK-SAME: -> (tensor<1x1x2xf32>, tensor<1x1x8xi8>)
// CHECK: %[[VALUES:.*]] = npu.dsp "dynamicValues"(%[[X]], %[[SCALE]]#0) parameters [0]{{.*}}row_wise
// CHECK-SAME: -> tensor<32x32x8xi8>
// CHECK: npu.conv %[[VALUES]], %{{.*}} dynamic %[[SCALE]]#1
func.func @hybrid_rows(%x: tensor<1x32x32x8xf32>) -> tensor<1x32x32x2xf32> {
  %w = nn.constant dense<2> : tensor<2x1x1x8xi8> as tensor<2x1x1x8x!w1>
  %0 = nn.conv_2d %x, %w : (tensor<1x32x32x8xf32>, tensor<2x1x1x8x!w1>) -> tensor<1x32x32x2xf32>
  return %0 : tensor<1x32x32x2xf32>
}

// The input is quantized at run time, symmetric for one weight scale.
// CHECK-LABEL: func.func @hybrid(
// CHECK: %[[Q:.*]]:2 = npu.dsp "dynamicQuantize"(%{{[a-z0-9]+}}) parameters [0]
// CHECK-SAME: (tensor<4x4x1xf32>) -> (tensor<4x4x1xi8>, tensor<1x1x8xi8>)
// CHECK: npu.conv %[[Q]]#0, %{{.*}} dynamic %[[Q]]#1
// CHECK-SAME: scaling = dynamic
// CHECK: npu.dsp "dynamicQuantize"(%{{[a-z0-9]+}}) parameters [1]
func.func @hybrid(%x: tensor<1x4x4x1xf32>) -> (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) {
  %w = nn.constant dense<2> : tensor<2x1x1x1xi8> as tensor<2x1x1x1x!w1>
  %wc = nn.constant dense<2> : tensor<2x1x1x1xi8> as tensor<2x1x1x1x!w>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x1xf32>, tensor<2x1x1x1x!w1>) -> tensor<1x4x4x2xf32>
  %1 = nn.conv_2d %x, %wc : (tensor<1x4x4x1xf32>, tensor<2x1x1x1x!w>) -> tensor<1x4x4x2xf32>
  return %0, %1 : tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>
}

// The batch is folded into the rows if no window spans two images.
// CHECK-LABEL: func.func @batch(
// CHECK: npu.conv {{.*}} tensor<12x4x2xi8>{{.*}} -> tensor<12x4x2xi8>
func.func @batch(%x: tensor<3x4x4x2x!x>) -> tensor<3x4x4x2x!y> {
  %w = nn.constant dense<1> : tensor<2x1x3x2xi8> as tensor<2x1x3x2x!w>
  %0 = nn.conv_2d %x, %w pad [0, 0, 1, 1] : (tensor<3x4x4x2x!x>, tensor<2x1x3x2x!w>) -> tensor<3x4x4x2x!y>
  return %0 : tensor<3x4x4x2x!y>
}

// The packed bytes of the records.
// CHECK: {-#
// CHECK: records0: "0x1000000010000000000000{{40}}FFFFFFFFFFFFFFFF0000004000000000"
