// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 0.25:4>

// Both inputs are rescaled to twice the larger scale, 1.0, with a shift of 20: by 0.5 and 0.25; the sum from 2^-20 to 0.25.
// CHECK-LABEL: func.func @add(
// CHECK: npu.eltwise
// CHECK-SAME: inputA = {zeroPoint = -3}, inputB = {zeroPoint = 4}
// CHECK-SAME: output = {zeroPoint = 4}
// CHECK-SAME: leftShift = 20
// CHECK-SAME: rescaleA = {multiplier = 1073741824}
// CHECK-SAME: rescaleB = {multiplier = 1073741824, shift = -1}
// CHECK-SAME: rescaleOutput = {multiplier = 1073741824, shift = -17}
// CHECK-SAME: clamp = {min = 4, max = 28}
func.func @add(%x: tensor<1x4x4x2x!x>, %y: tensor<1x4x4x2x!y>) -> tensor<1x4x4x2x!y> {
  %0 = nn.add %x, %y activation relu6 : (tensor<1x4x4x2x!x>, tensor<1x4x4x2x!y>) -> tensor<1x4x4x2x!y>
  return %0 : tensor<1x4x4x2x!y>
}

// CHECK-LABEL: func.func @broadcast(
// CHECK: npu.eltwise {{.*}} {kind = mul
// CHECK-SAME: tensor<4x4x2xf32>, tensor<1x1x2xf32> -> tensor<4x4x2xf32>
func.func @broadcast(%x: tensor<1x4x4x2xf32>, %y: tensor<2xf32>) -> tensor<1x4x4x2xf32> {
  %0 = nn.mul %x, %y : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  return %0 : tensor<1x4x4x2xf32>
}

// The DSP multiplies floats by a computed pixel faster than the array; integers stay there, and so do few elements.
// CHECK-LABEL: func.func @gates(
// CHECK: %[[G:.*]] = npu.dsp "mean"
// CHECK: npu.dsp "binary"(%arg0, %[[G]]) parameters [2, {{.*}}row_wise {{.*}}tensor<16x16x64xf32>, tensor<1x1x64xf32>
// CHECK: npu.dsp "mean"
// CHECK: npu.eltwise {{.*}} {kind = mul
// CHECK: npu.dsp "mean"
// CHECK: npu.eltwise {{.*}} {kind = mul
func.func @gates(%x: tensor<1x16x16x64xf32>, %y: tensor<1x16x16x64x!x>, %z: tensor<1x2x2x2xf32>) -> (tensor<1x16x16x64xf32>, tensor<1x16x16x64x!x>, tensor<1x2x2x2xf32>) {
  %0 = nn.mean %x axes [1, 2] keep_dims : (tensor<1x16x16x64xf32>) -> tensor<1x1x1x64xf32>
  %1 = nn.mul %x, %0 : (tensor<1x16x16x64xf32>, tensor<1x1x1x64xf32>) -> tensor<1x16x16x64xf32>
  %2 = nn.mean %y axes [1, 2] keep_dims : (tensor<1x16x16x64x!x>) -> tensor<1x1x1x64x!x>
  %3 = nn.mul %y, %2 : (tensor<1x16x16x64x!x>, tensor<1x1x1x64x!x>) -> tensor<1x16x16x64x!x>
  %4 = nn.mean %z axes [1, 2] keep_dims : (tensor<1x2x2x2xf32>) -> tensor<1x1x1x2xf32>
  %5 = nn.mul %z, %4 : (tensor<1x2x2x2xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x2x2xf32>
  return %1, %3, %5 : tensor<1x16x16x64xf32>, tensor<1x16x16x64x!x>, tensor<1x2x2x2xf32>
}

// CHECK-LABEL: func.func @constant(
// CHECK: %[[C:.*]] = npu.constant dense<[{{.*}}1, 2{{.*}}]> : tensor<1x1x2xi8>
// CHECK: npu.eltwise %{{.*}}, %[[C]]
// CHECK-SAME: kind = max
func.func @constant(%x: tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!x> {
  %c = nn.constant dense<[1, 2]> : tensor<2xi8> as tensor<2x!x>
  %0 = nn.maximum %x, %c : (tensor<1x4x4x2x!x>, tensor<2x!x>) -> tensor<1x4x4x2x!x>
  return %0 : tensor<1x4x4x2x!x>
}

// Functions of 8-bit values become table look-ups.
// CHECK-LABEL: func.func @requantize(
// CHECK: %[[T:.*]] = npu.constant dense_resource<table0{{.*}}> : tensor<256xi8>
// CHECK: npu.lookup %{{.*}}, %[[T]]
func.func @requantize(%x: tensor<4x2x!x>) -> tensor<4x2x!y> {
  %0 = nn.quantize %x : (tensor<4x2x!x>) -> tensor<4x2x!y>
  return %0 : tensor<4x2x!y>
}

// Functions of floats run on the DSP.
// CHECK-LABEL: func.func @floats(
// CHECK: npu.dsp "unary"(%{{[a-z0-9]+}}) parameters [8, 0, 1086324736]{{.*}}row_wise
// CHECK: npu.dsp "unary"(%{{[a-z0-9]+}}) parameters [1, 0, 0]
func.func @floats(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = nn.clamp relu6 %x : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = nn.tanh %0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// Element types that the array does not support run on the DSP, row by row.
// CHECK-LABEL: func.func @integers(
// CHECK: npu.dsp "binary"({{.*}}row_wise layer {{[0-9]+}} : (tensor<4x4x2xi32>, tensor<1x1x2xi32>) -> tensor<4x4x2xi32>
func.func @integers(%x: tensor<1x4x4x2xi32>, %y: tensor<2xi32>) -> tensor<1x4x4x2xi32> {
  %0 = nn.add %x, %y activation relu6 : (tensor<1x4x4x2xi32>, tensor<2xi32>) -> tensor<1x4x4x2xi32>
  return %0 : tensor<1x4x4x2xi32>
}

// float16 runs on the array.
// CHECK-LABEL: func.func @halves(
// CHECK: npu.eltwise {{.*}} {kind = sub
func.func @halves(%x: tensor<4x2xf16>, %y: tensor<1xf16>) -> tensor<4x2xf16> {
  %0 = nn.sub %x, %y : (tensor<4x2xf16>, tensor<1xf16>) -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}

// An operand that is broadcast inside folded rows: two rows with axes of 3 and 4 * 5 elements. The second operand
// repeats along the rows and along the axis of 4 * 5.
// CHECK-LABEL: func.func @folded(
// CHECK: npu.dsp "binary"({{.*}}parameters [2, {{.*}}, 2, 3, 20, 0, 0, 0, 0, 0, 0, 20, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] {{.*}}row_wise
// CHECK-SAME: : (tensor<2x1x60xf32>, tensor<1x1x3xf32>) -> tensor<2x1x60xf32>
func.func @folded(%x: tensor<2x3x4x5xf32>, %y: tensor<3x1x1xf32>) -> tensor<2x3x4x5xf32> {
  %0 = nn.mul %x, %y : (tensor<2x3x4x5xf32>, tensor<3x1x1xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}
