// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

!x = !quant.uniform<i8:f32, 0.5:-3>
!y = !quant.uniform<i8:f32, 0.25:4>
!p = !quant.uniform<i8:f32, 3.906250e-03:-128>
!t = !quant.uniform<i8:f32, 7.812500e-03>
!cell = !quant.uniform<i16:f32, 2.44140625E-4>

// CHECK-LABEL: func.func @softmax(
// CHECK: npu.dsp "softmax"(%{{[a-z0-9]+}})
// CHECK-SAME: zero_points [-3]
// CHECK-SAME: -> [-128]
// CHECK-SAME: row_wise
func.func @softmax(%x: tensor<1x10x!x>) -> tensor<1x10x!p> {
  %0 = nn.softmax %x : (tensor<1x10x!x>) -> tensor<1x10x!p>
  return %0 : tensor<1x10x!p>
}

// CHECK-LABEL: func.func @mean(
// CHECK: npu.dsp "mean"(%{{[a-z0-9]+}}) {{.*}} : (tensor<4x4x2xi8>) -> tensor<1x1x2xi8>
func.func @mean(%x: tensor<1x4x4x2x!x>) -> tensor<1x2x!y> {
  %0 = nn.mean %x axes [1, 2] : (tensor<1x4x4x2x!x>) -> tensor<1x2x!y>
  return %0 : tensor<1x2x!y>
}

// CHECK-LABEL: func.func @conversions(
// CHECK: npu.dsp "quantize"(%{{[a-z0-9]+}}) parameters [1056964608, 0] zero_points [{{.*}}] -> [-3]
// CHECK: npu.dsp "dequantize"(%{{[a-z0-9]+}}) {{.*}}zero_points [-3]
func.func @conversions(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = nn.quantize %x : (tensor<4x2xf32>) -> tensor<4x2x!x>
  %1 = nn.dequantize %0 : (tensor<4x2x!x>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// The array multiplies the inputs of all steps with the weights of all gates; sums have 12 fractional bits.
// The states start at zero: the hidden state at its zero point 4.
// CHECK-LABEL: func.func @lstm(
// CHECK: %[[X:.*]] = npu.view %{{.*}} : tensor<1x5x3xi8> -> tensor<5x1x3xi8>
// CHECK: %[[S:.*]] = npu.conv %[[X]]
// CHECK-SAME: input = {zeroPoint = -3}
// CHECK-SAME: -> tensor<5x1x8xi16>
// CHECK: %[[R:.*]] = npu.constant {{.*}} : tensor<2x1x8xi8>
// CHECK: %[[L:.*]]:3 = npu.dsp "integerLstmSteps"(%[[S]], %[[R]])
// CHECK-SAME: fills [-1, 4, 0]
// CHECK-SAME: -> (tensor<5x1x2xi8>, tensor<1x1x2xi8>, tensor<1x1x2xi16>)
// CHECK: npu.view %[[L]]#0 : tensor<5x1x2xi8> -> tensor<1x5x2xi8>
func.func @lstm(%x: tensor<1x5x3x!x>) -> tensor<1x5x2x!y> {
  %i = nn.constant dense<1> : tensor<2x3xi8> as tensor<2x3x!t>
  %r = nn.constant dense<1> : tensor<2x2xi8> as tensor<2x2x!t>
  %b = nn.constant dense<7> : tensor<2xi32>
  %0 = nn.lstm %x input(%i, %i, %i, %i) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) cell_clip 10.0 cell !cell hidden !y
     : (tensor<1x5x3x!x>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x2x!t>, tensor<2x2x!t>,
        tensor<2x2x!t>, tensor<2x2x!t>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x5x2x!y>
  return %0 : tensor<1x5x2x!y>
}

// Sums of 1,280,000 bytes would take more than half of the SRAM: parts of the steps follow each other.
// CHECK-LABEL: func.func @longLstm(
// CHECK: %[[X:.*]] = npu.view %{{.*}} -> tensor<80000x1x3xi8>
// CHECK: npu.part %[[X]] at [0, 0, 0]
// CHECK: %[[FIRST:.*]]:3 = npu.dsp "integerLstmSteps"
// CHECK-SAME: fills [-1, 4, 0]
// CHECK: npu.part %[[X]] at [40000, 0, 0]
// CHECK: %[[LAST:.*]]:3 = npu.dsp "integerLstmSteps"(%{{.*}}, %{{.*}}, %[[FIRST]]#1, %[[FIRST]]#2)
// CHECK-NOT: fills
// CHECK: npu.join
func.func @longLstm(%x: tensor<1x80000x3x!x>) -> tensor<1x80000x2x!y> {
  %i = nn.constant dense<1> : tensor<2x3xi8> as tensor<2x3x!t>
  %r = nn.constant dense<1> : tensor<2x2xi8> as tensor<2x2x!t>
  %b = nn.constant dense<7> : tensor<2xi32>
  %0 = nn.lstm %x input(%i, %i, %i, %i) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) cell !cell hidden !y
     : (tensor<1x80000x3x!x>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x2x!t>, tensor<2x2x!t>,
        tensor<2x2x!t>, tensor<2x2x!t>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x80000x2x!y>
  return %0 : tensor<1x80000x2x!y>
}

// Constants that are inputs keep their storage shape.
// CHECK-LABEL: func.func @lstmOfAConstant(
// CHECK: %[[C:.*]] = npu.constant dense<5> : tensor<1x5x3xi8>
// CHECK: npu.view %[[C]] : tensor<1x5x3xi8> -> tensor<5x1x3xi8>
func.func @lstmOfAConstant() -> tensor<1x5x2x!y> {
  %x = nn.constant dense<5> : tensor<1x5x3xi8> as tensor<1x5x3x!x>
  %i = nn.constant dense<1> : tensor<2x3xi8> as tensor<2x3x!t>
  %r = nn.constant dense<1> : tensor<2x2xi8> as tensor<2x2x!t>
  %b = nn.constant dense<7> : tensor<2xi32>
  %0 = nn.lstm %x input(%i, %i, %i, %i) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) cell !cell hidden !y
     : (tensor<1x5x3x!x>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x3x!t>, tensor<2x2x!t>, tensor<2x2x!t>,
        tensor<2x2x!t>, tensor<2x2x!t>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x5x2x!y>
  return %0 : tensor<1x5x2x!y>
}
