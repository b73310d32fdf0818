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
