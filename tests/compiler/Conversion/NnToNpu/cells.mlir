// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-nn-to-npu="target=e256" | FileCheck %s

// Weights can be constants or computed values.
// CHECK-LABEL: func.func @lstm(
// CHECK: %[[W:.*]] = npu.constant {{.*}} tensor<1x4x5xf32>
// CHECK: npu.dsp "lstmCell"(%{{.*}}, %{{.*}}, %{{.*}}, %[[W]], %[[W]], %[[W]], {{.*}}parameters [2, 4, 1073741824, 0, 0]{{.*}} -> (tensor<1x2x12xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
func.func @lstm(%x: tensor<2x5xf32>, %h: tensor<2x4xf32>, %c: tensor<2x4xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %w = nn.constant dense<0.5> : tensor<4x5xf32>
  %0:4 = nn.lstm_cell tanh %x state(%h, %c) input(%w, %w, %w) recurrent(%r, %r, %r) peephole(%b, %b) bias(%b, %b, %b) cell_clip 2.0 : (tensor<2x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func.func @small(
// CHECK: npu.dsp "rnnCell"({{.*}}parameters [1, 0]
// CHECK: npu.dsp "svdf"({{.*}}parameters [2, 0]
func.func @small(%x: tensor<2x5xf16>, %w: tensor<4x5xf16>, %r: tensor<4x4xf16>, %b: tensor<4xf16>, %s: tensor<2x4xf16>, %t: tensor<4x3xf16>, %m: tensor<2x12xf16>) -> (tensor<2x4xf16>, tensor<2x2xf16>) {
  %0:2 = nn.rnn_cell relu %x, %w, %r, %b state %s : (tensor<2x5xf16>, tensor<4x5xf16>, tensor<4x4xf16>, tensor<4xf16>, tensor<2x4xf16>) -> (tensor<2x4xf16>, tensor<2x4xf16>)
  %1:2 = nn.svdf none %x, %w, %t state %m rank 2 : (tensor<2x5xf16>, tensor<4x5xf16>, tensor<4x3xf16>, tensor<2x12xf16>) -> (tensor<2x12xf16>, tensor<2x2xf16>)
  return %0#1, %1#1 : tensor<2x4xf16>, tensor<2x2xf16>
}

// The outer axis of a sequence becomes the rows.
// CHECK-LABEL: func.func @sequence(
// CHECK: npu.dsp "rnnCell"({{.*}}parameters [4, 1]{{.*}} : (tensor<2x7x5xf32>, {{.*}}) -> (tensor<1x2x4xf32>, tensor<2x7x4xf32>)
func.func @sequence(%x: tensor<2x7x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %s: tensor<2x4xf32>) -> tensor<2x7x4xf32> {
  %0:2 = nn.rnn_cell tanh %x, %w, %r, %b state %s batch_major : (tensor<2x7x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x7x4xf32>)
  return %0#1 : tensor<2x7x4xf32>
}

!w = !quant.uniform<i8:f32, 4.000000e-03>
!x = !quant.uniform<i8:f32, 7.812500e-03:3>
!c = !quant.uniform<i16:f32, 2.44140625E-4>
!g = !quant.uniform<i16:f32, 3.0517578125E-5>

// The scales of the weights are parameters of hybrid kernels.
// CHECK-LABEL: func.func @hybrid(
// CHECK: npu.dsp "hybridRnnCell"({{.*}}parameters [4, 0, 1, 998445679, 998445679]
// CHECK: npu.dsp "hybridSvdf"({{.*}}parameters [1, 0, 0, 998445679]
func.func @hybrid(%x: tensor<2x5xf32>, %h: tensor<2x4xf32>, %w: tensor<4x5x!w>, %r: tensor<4x4x!w>, %b: tensor<4xf32>, %t: tensor<4x3xf32>, %m: tensor<2x12xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0:2 = nn.rnn_cell tanh %x, %w, %r, %b state %h asymmetric : (tensor<2x5xf32>, tensor<4x5x!w>, tensor<4x4x!w>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %1:2 = nn.svdf none %x, %w, %t state %m rank 1 : (tensor<2x5xf32>, tensor<4x5x!w>, tensor<4x3xf32>, tensor<2x12xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>)
  return %0#1, %1#1 : tensor<2x4xf32>, tensor<2x4xf32>
}

// The zero point of the input is that of its map; coupled gates leave out the first of four sets of multipliers.
// CHECK-LABEL: func.func @integers(
// CHECK: npu.dsp "integerLstmCell"({{.*}}parameters [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, {{.*}} -> (tensor<1x2x12xi16>, tensor<1x2x4xi8>, tensor<1x2x4xi16>, tensor<1x2x4xi8>)
// CHECK: npu.dsp "integerSvdf"(
func.func @integers(%x: tensor<2x5x!x>, %h: tensor<2x4x!x>, %c: tensor<2x4x!c>, %w: tensor<4x5x!w>, %r: tensor<4x4x!w>, %b: tensor<4xi32>, %t: tensor<4x3x!g>, %m: tensor<2x12x!c>) -> (tensor<2x4x!x>, tensor<2x4x!x>) {
  %0:4 = nn.lstm_cell tanh %x state(%h, %c) input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b) intermediates [!c, !c, !c, !x] : (tensor<2x5x!x>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<4x5x!w>, tensor<4x5x!w>, tensor<4x5x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<2x12x!g>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<2x4x!x>)
  %1:2 = nn.svdf none %x, %w, %t bias %b state %m rank 1 : (tensor<2x5x!x>, tensor<4x5x!w>, tensor<4x3x!g>, tensor<4xi32>, tensor<2x12x!c>) -> (tensor<2x12x!c>, tensor<2x4x!x>)
  return %0#3, %1#1 : tensor<2x4x!x>, tensor<2x4x!x>
}

// CHECK-LABEL: func.func @random(
// CHECK: npu.dsp "randomMultinomial"({{.*}}parameters [0]
func.func @random(%x: tensor<2x5xf32>, %s: tensor<2xi32>) -> tensor<2x9xi32> {
  %0 = nn.random_multinomial %x samples 9 seeds %s : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<2x9xi32>
  return %0 : tensor<2x9xi32>
}

// One sequence with constant weights takes the kernel of sequences, which gets the states last.
// CHECK-LABEL: func.func @plainSequence(
// CHECK: npu.conv
// CHECK: %[[L:.*]]:3 = npu.dsp "integerLstmSteps"(
// CHECK-SAME: tensor<1x1x2xi8>, tensor<1x1x2xi16>) -> (tensor<5x1x2xi8>, tensor<1x1x2xi8>, tensor<1x1x2xi16>)
func.func @plainSequence(%x: tensor<1x5x3x!x>, %h: tensor<1x2x!x>, %c: tensor<1x2x!c>) -> (tensor<1x5x2x!x>, tensor<1x2x!x>, tensor<1x2x!c>) {
  %i = nn.constant dense<1> : tensor<2x3xi8> as tensor<2x3x!w>
  %r = nn.constant dense<1> : tensor<2x2xi8> as tensor<2x2x!w>
  %b = nn.constant dense<7> : tensor<2xi32>
  %0:4 = nn.lstm_cell tanh %x state(%h, %c) input(%i, %i, %i, %i) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) batch_major intermediates [!c, !c, !c, !c, !x] : (tensor<1x5x3x!x>, tensor<1x2x!x>, tensor<1x2x!c>, tensor<2x3x!w>, tensor<2x3x!w>, tensor<2x3x!w>, tensor<2x3x!w>, tensor<2x2x!w>, tensor<2x2x!w>, tensor<2x2x!w>, tensor<2x2x!w>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<1x8x!g>, tensor<1x2x!x>, tensor<1x2x!c>, tensor<1x5x2x!x>)
  return %0#3, %0#1, %0#2 : tensor<1x5x2x!x>, tensor<1x2x!x>, tensor<1x2x!c>
}
