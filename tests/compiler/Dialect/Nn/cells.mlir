// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

// CHECK-LABEL: func.func @plain
func.func @plain(%x: tensor<2x5xf16>, %h: tensor<2x4xf16>, %c: tensor<2x4xf16>, %w: tensor<4x5xf16>, %r: tensor<4x4xf16>, %b: tensor<4xf16>) -> (tensor<2x12xf16>, tensor<2x4xf16>) {
  // CHECK: nn.lstm_cell tanh %{{.*}} state(%{{.*}}, %{{.*}}) input(%{{.*}}, %{{.*}}, %{{.*}}) recurrent(%{{.*}}) bias(%{{.*}}) :
  %0:4 = nn.lstm_cell tanh %x state(%h, %c) input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b) : (tensor<2x5xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<4x5xf16>, tensor<4x5xf16>, tensor<4x5xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4x4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> (tensor<2x12xf16>, tensor<2x4xf16>, tensor<2x4xf16>, tensor<2x4xf16>)
  return %0#0, %0#3 : tensor<2x12xf16>, tensor<2x4xf16>
}

// CHECK-LABEL: func.func @full
func.func @full(%x: tensor<2x5xf32>, %h: tensor<2x3xf32>, %c: tensor<2x4xf32>, %w: tensor<4x5xf32>, %r: tensor<4x3xf32>, %b: tensor<4xf32>, %p: tensor<3x4xf32>, %pb: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.lstm_cell sigmoid {{.*}} peephole(%{{.*}}, %{{.*}}, %{{.*}}) bias({{.*}}) projection(%{{.*}}, %{{.*}}) layer_norm({{.*}}) cell_clip 2.000000e+00 projection_clip 5.000000e-01 :
  %0:4 = nn.lstm_cell sigmoid %x state(%h, %c) input(%w, %w, %w, %w) recurrent(%r, %r, %r, %r) peephole(%b, %b, %b) bias(%b, %b, %b, %b) projection(%p, %pb) layer_norm(%b, %b, %b, %b) cell_clip 2.0 projection_clip 0.5 : (tensor<2x5xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x16xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>)
  return %0#3 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @small
func.func @small(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %s: tensor<2x4xf32>, %t: tensor<4x3xf32>, %m: tensor<2x12xf32>, %ub: tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2x2xf32>) {
  // CHECK: nn.rnn_cell relu %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} state %{{.*}} :
  %0:2 = nn.rnn_cell relu %x, %w, %r, %b state %s : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  // CHECK: nn.svdf none %{{.*}}, %{{.*}}, %{{.*}} bias %{{.*}} state %{{.*}} rank 2 :
  %1:2 = nn.svdf none %x, %w, %t bias %ub state %m rank 2 : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<2xf32>, tensor<2x12xf32>) -> (tensor<2x12xf32>, tensor<2x2xf32>)
  // CHECK: nn.svdf relu6 %{{.*}}, %{{.*}}, %{{[a-z0-9]+}} state %{{.*}} rank 4 :
  %2:2 = nn.svdf relu6 %x, %w, %t state %1#0 rank 4 : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<2x12xf32>) -> (tensor<2x12xf32>, tensor<2x1xf32>)
  return %0#1, %1#1 : tensor<2x4xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func.func @sequences
func.func @sequences(%x: tensor<7x2x5xf32>, %h: tensor<2x4xf32>, %c: tensor<7x4xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<7x2x4xf32>, tensor<7x2x4xf32>) {
  // CHECK: nn.lstm_cell tanh %{{.*}} :
  %0:4 = nn.lstm_cell tanh %x state(%h, %h) input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b) : (tensor<7x2x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<7x2x4xf32>)
  // CHECK: nn.lstm_cell tanh %{{.*}} batch_major :
  %1:4 = nn.lstm_cell tanh %x state(%c, %c) input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b) batch_major : (tensor<7x2x5xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<7x12xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x2x4xf32>)
  return %0#3, %1#3 : tensor<7x2x4xf32>, tensor<7x2x4xf32>
}

!x = !quant.uniform<i8:f32, 7.812500e-03:3>
!w = !quant.uniform<i8:f32, 4.000000e-03>
!c = !quant.uniform<i16:f32, 2.44140625E-4>
!g = !quant.uniform<i16:f32, 3.0517578125E-5>
!u = !quant.uniform<u8:f32, 7.812500e-03:128>
!uw = !quant.uniform<u8:f32, 4.000000e-03:100>
!uc = !quant.uniform<i16:f32, 4.8828125E-4>

// CHECK-LABEL: func.func @hybrid
func.func @hybrid(%x: tensor<2x5xf32>, %h: tensor<2x4xf32>, %w: tensor<4x5x!w>, %r: tensor<4x4x!w>, %b: tensor<4xf32>, %t: tensor<4x3xf32>, %m: tensor<2x12xf32>) -> tensor<2x4xf32> {
  // CHECK: nn.lstm_cell tanh {{.*}} bias({{.*}}) asymmetric :
  %0:4 = nn.lstm_cell tanh %x state(%h, %h) input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b) asymmetric : (tensor<2x5xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x5x!w>, tensor<4x5x!w>, tensor<4x5x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  // CHECK: nn.rnn_cell relu {{.*}} state %{{[a-z0-9#]+}} asymmetric :
  %1:2 = nn.rnn_cell relu %x, %w, %r, %b state %h asymmetric : (tensor<2x5xf32>, tensor<4x5x!w>, tensor<4x4x!w>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  // CHECK: nn.svdf none {{.*}} rank 1 asymmetric :
  %2:2 = nn.svdf none %x, %w, %t state %m rank 1 asymmetric : (tensor<2x5xf32>, tensor<4x5x!w>, tensor<4x3xf32>, tensor<2x12xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>)
  return %0#3 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<2x5x!x>, %h: tensor<2x4x!x>, %c: tensor<2x4x!c>, %w: tensor<4x5x!w>, %r: tensor<4x4x!w>, %b: tensor<4xi32>, %t: tensor<4x3x!g>, %m: tensor<2x12x!c>) -> tensor<2x4x!x> {
  // CHECK: nn.lstm_cell tanh {{.*}} intermediates [!{{.*}}] :
  %0:4 = nn.lstm_cell tanh %x state(%h, %c) input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b) intermediates [!c, !c, !c, !x] : (tensor<2x5x!x>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<4x5x!w>, tensor<4x5x!w>, tensor<4x5x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4x4x!w>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<2x12x!g>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<2x4x!x>)
  // CHECK: nn.svdf none {{.*}} bias %{{.*}} state %{{.*}} rank 1 :
  %1:2 = nn.svdf none %x, %w, %t bias %b state %m rank 1 : (tensor<2x5x!x>, tensor<4x5x!w>, tensor<4x3x!g>, tensor<4xi32>, tensor<2x12x!c>) -> (tensor<2x12x!c>, tensor<2x4x!x>)
  return %0#3 : tensor<2x4x!x>
}

// CHECK-LABEL: func.func @wide
func.func @wide(%x: tensor<2x5x!u>, %h: tensor<2x4x!u>, %c: tensor<2x4x!uc>, %w: tensor<4x5x!uw>, %r: tensor<4x4x!uw>, %b: tensor<4xi32>) -> tensor<2x4x!u> {
  // CHECK: nn.quantized_16bit_lstm %{{.*}} state(%{{.*}}, %{{.*}}) input(%{{.*}}) recurrent(%{{.*}}) bias(%{{.*}}) :
  %0:2 = nn.quantized_16bit_lstm %x state(%h, %c) input(%w, %w, %w, %w) recurrent(%r, %r, %r, %r) bias(%b, %b, %b, %b) : (tensor<2x5x!u>, tensor<2x4x!u>, tensor<2x4x!uc>, tensor<4x5x!uw>, tensor<4x5x!uw>, tensor<4x5x!uw>, tensor<4x5x!uw>, tensor<4x4x!uw>, tensor<4x4x!uw>, tensor<4x4x!uw>, tensor<4x4x!uw>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<2x4x!uc>, tensor<2x4x!u>)
  return %0#1 : tensor<2x4x!u>
}

// CHECK-LABEL: func.func @random
func.func @random(%x: tensor<2x5xf32>, %s: tensor<2xi32>) -> tensor<2x9xi32> {
  // CHECK: nn.random_multinomial %{{.*}} seeds %{{.*}} :
  %0 = nn.random_multinomial %x samples 9 seeds %s : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<2x9xi32>
  return %0 : tensor<2x9xi32>
}

!z = !quant.uniform<i8:f32, 0.5:-50>
!k = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @byteState
func.func @byteState(%x: tensor<2x5x!z>, %w: tensor<4x5x!k>, %t: tensor<4x3x!k>, %m: tensor<2x12x!z>) {
  // CHECK: nn.svdf none {{.*}} rank 1 :
  %0:2 = nn.svdf none %x, %w, %t state %m rank 1 : (tensor<2x5x!z>, tensor<4x5x!k>, tensor<4x3x!k>, tensor<2x12x!z>) -> (tensor<2x12x!z>, tensor<2x4x!z>)
  return
}
