// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<i8:f32, 1.0:-3>
!y = !quant.uniform<i8:f32, 1.0:5>
!w = !quant.uniform<i8:f32, 1.0:2>

// value * m >> s of the network is m and 31 - s on the device. Bitcasts between types of one storage are nothing.
// CHECK-LABEL: func.func @layers(
func.func @layers(%i: tensor<1x4x4x2xi8>) -> tensor<1x4x4x3xi8> {
  %x = nn.bitcast %i to !x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2x!x>
  %w = nn.constant dense<1> : tensor<3x1x1x2xi8> as tensor<3x1x1x2x!w>
  // CHECK: %[[C:[a-z0-9]+]] = npu.conv %arg0, {{.*}} {rounding = single, input = {zeroPoint = -3}, output = {zeroPoint = 5}, weightZeroPoint = 2
  %0 = nn.conv_2d %x, %w numerics single_round [5] >> [40] : (tensor<1x4x4x2x!x>, tensor<3x1x1x2x!w>) -> tensor<1x4x4x3x!y>
  // CHECK-NEXT: npu.eltwise %[[C]], %[[C]] {{.*}}rescaleA = {multiplier = 7, shift = 11}, rescaleB = {multiplier = 8, shift = 1}, rescaleOutput = {multiplier = 9, shift = -19}, rounding = single
  %1 = nn.add %0, %0 numerics single_round [7, 8, 9] >> [20, 30, 50] : (tensor<1x4x4x3x!y>, tensor<1x4x4x3x!y>) -> tensor<1x4x4x3x!y>
  %2 = nn.bitcast %1 to i8 : (tensor<1x4x4x3x!y>) -> tensor<1x4x4x3xi8>
  // CHECK-NEXT: return
  return %2 : tensor<1x4x4x3xi8>
}

// CHECK-LABEL: func.func @sums(
func.func @sums(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x3xi32> {
  %w = nn.constant dense<1> : tensor<3x1x1x2xi8> as tensor<3x1x1x2x!w>
  // CHECK: npu.conv {{.*}}scaling = sums, {{.*}} -> tensor<4x4x3xi32>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<3x1x1x2x!w>) -> tensor<1x4x4x3xi32>
  return %0 : tensor<1x4x4x3xi32>
}

// One multiplier is a parameter, several are records of multiplier and shift; bytes are looked up.
// CHECK-LABEL: func.func @rescales(
func.func @rescales(%i: tensor<4x2xi32>, %l: tensor<4x2xi64>, %x: tensor<4x2x!x>)
    -> (tensor<4x2x!y>, tensor<4x2xi16>, tensor<4x2xi16>, tensor<4x2x!y>) {
  // CHECK: npu.dsp "requantize"({{.*}}) parameters [1073741824, -6, -2147483648, 2147483647, 0, 0, 0, 1]
  %0 = nn.rescale %i numerics single_round [1073741824] >> [37] : (tensor<4x2xi32>) -> tensor<4x2x!y>
  // CHECK: npu.dsp "requantize"({{.*}}, %{{.*}}) parameters [0, 0, -2147483648, 2147483647, 0, 0, 0, 0]
  %1 = nn.rescale %i numerics double_round [1073741824, 5] >> [37, 30] : (tensor<4x2xi32>) -> tensor<4x2xi16>
  // CHECK: npu.dsp "requantize"({{.*}}) parameters [458752, -31, -2147483648, 2147483647, 0, 0, 0, 1]
  %2 = nn.rescale %l numerics single_round [7] >> [46] : (tensor<4x2xi64>) -> tensor<4x2xi16>
  // CHECK: npu.lookup %arg2
  %3 = nn.rescale %x numerics double_round [1073741824] >> [31] : (tensor<4x2x!x>) -> tensor<4x2x!y>
  return %0, %1, %2, %3 : tensor<4x2x!y>, tensor<4x2xi16>, tensor<4x2xi16>, tensor<4x2x!y>
}
