// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @recurrentCount(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{recurrent weights has 2 tensors, must have 3}}
  %0:4 = nn.lstm_cell tanh %x state(%x, %x) input(%w, %w, %w) recurrent(%w, %w) bias(%b, %b, %b) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @gates(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{result 0 has the shape [2, 16], operands and attributes give [2, 12]}}
  %0:4 = nn.lstm_cell tanh %x state(%x, %x) input(%w, %w, %w) recurrent(%w, %w, %w) bias(%b, %b, %b) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x16xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @noProjection(%x: tensor<2x4xf32>, %h: tensor<2x3xf32>, %w: tensor<4x4xf32>, %r: tensor<4x3xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{has 3 outputs of 4 cells, but no projection}}
  %0:4 = nn.lstm_cell tanh %x state(%h, %x) input(%w, %w, %w) recurrent(%r, %r, %r) bias(%b, %b, %b) : (tensor<2x4xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x12xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @rnnState(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %s: tensor<3x4xf32>) {
  // expected-error @+1 {{state has the shape [3, 4], must have [2, 4]}}
  %0:2 = nn.rnn_cell relu %x, %w, %r, %b state %s : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @svdfRank(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %t: tensor<4x3xf32>, %m: tensor<2x12xf32>) {
  // expected-error @+1 {{has the rank 3, must divide the 4 filters}}
  %0:2 = nn.svdf none %x, %w, %t state %m rank 3 : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<2x12xf32>) -> (tensor<2x12xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @mixedTypes(%x: tensor<2x5xf32>, %w: tensor<4x5xf16>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @+1 {{element types must be equal}}
  %0:2 = nn.rnn_cell relu %x, %w, %r, %b state %s : (tensor<2x5xf32>, tensor<4x5xf16>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @sequenceBatch(%x: tensor<7x2x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @+1 {{state has the shape [2, 4], must have [7, 4]}}
  %0:2 = nn.rnn_cell tanh %x, %w, %r, %b state %s batch_major : (tensor<7x2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<7x2x4xf32>)
  return
}

// -----

func.func @batchMajorStep(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @+1 {{rank of input is 2, must be 3 for a sequence}}
  %0:2 = nn.rnn_cell tanh %x, %w, %r, %b state %s batch_major : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @hybridInput(%x: tensor<2x5xf16>, %w: tensor<4x5x!quant.uniform<i8:f32, 0.5>>, %r: tensor<4x4x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4xf16>, %s: tensor<2x4xf16>) {
  // expected-error @+1 {{8-bit weights need an f32 input}}
  %0:2 = nn.rnn_cell relu %x, %w, %r, %b state %s : (tensor<2x5xf16>, tensor<4x5x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf16>, tensor<2x4xf16>) -> (tensor<2x4xf16>, tensor<2x4xf16>)
  return
}

// -----

func.func @hybridZeroPoint(%x: tensor<2x5xf32>, %w: tensor<4x5x!quant.uniform<i8:f32, 0.5:1>>, %r: tensor<4x4x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @+1 {{must be signed 8-bit per-tensor quantized with zero point 0}}
  %0:2 = nn.rnn_cell relu %x, %w, %r, %b state %s : (tensor<2x5xf32>, tensor<4x5x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x4x!quant.uniform<i8:f32, 0.5>>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!c = !quant.uniform<i16:f32, 0.5>
func.func @noIntermediates(%x: tensor<2x4x!x>, %c: tensor<2x4x!c>, %w: tensor<4x4x!x>, %b: tensor<4xi32>) {
  // expected-error @+1 {{a quantized cell needs intermediate types of 3 gates and of the hidden state}}
  %0:4 = nn.lstm_cell tanh %x state(%x, %c) input(%w, %w, %w) recurrent(%w, %w, %w) bias(%b, %b, %b) : (tensor<2x4x!x>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<2x12x!c>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<2x4x!x>)
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!c = !quant.uniform<i16:f32, 0.5>
func.func @integerActivation(%x: tensor<2x4x!x>, %c: tensor<2x4x!c>, %w: tensor<4x4x!x>, %b: tensor<4xi32>) {
  // expected-error @+1 {{the activation of a quantized cell must be tanh}}
  %0:4 = nn.lstm_cell relu %x state(%x, %c) input(%w, %w, %w) recurrent(%w, %w, %w) bias(%b, %b, %b) intermediates [!c, !c, !c, !x] : (tensor<2x4x!x>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4x4x!x>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<2x12x!c>, tensor<2x4x!x>, tensor<2x4x!c>, tensor<2x4x!x>)
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
!c = !quant.uniform<i16:f32, 0.5>
func.func @integerSvdf(%x: tensor<2x5x!x>, %w: tensor<4x5x!x>, %t: tensor<4x3x!x>, %m: tensor<2x12x!c>) {
  // expected-error @+1 {{time weights has elements of '!quant.uniform<i8:f32, 5.000000e-01>', must be signed 16-bit per-tensor quantized with zero point 0}}
  %0:2 = nn.svdf none %x, %w, %t state %m rank 1 : (tensor<2x5x!x>, tensor<4x5x!x>, tensor<4x3x!x>, tensor<2x12x!c>) -> (tensor<2x12x!c>, tensor<2x4x!x>)
  return
}

// -----

!u = !quant.uniform<u8:f32, 7.812500e-03:128>
!c = !quant.uniform<i16:f32, 4.8828125E-4>
func.func @wideInput(%x: tensor<2x4x!quant.uniform<u8:f32, 0.5:128>>, %h: tensor<2x4x!u>, %c: tensor<2x4x!c>, %w: tensor<4x4x!u>, %b: tensor<4xi32>) {
  // expected-error @+1 {{must have 8 unsigned bits, scale 7.812500e-03 and zero point 128}}
  %0:2 = nn.quantized_16bit_lstm %x state(%h, %c) input(%w, %w, %w, %w) recurrent(%w, %w, %w, %w) bias(%b, %b, %b, %b) : (tensor<2x4x!quant.uniform<u8:f32, 0.5:128>>, tensor<2x4x!u>, tensor<2x4x!c>, tensor<4x4x!u>, tensor<4x4x!u>, tensor<4x4x!u>, tensor<4x4x!u>, tensor<4x4x!u>, tensor<4x4x!u>, tensor<4x4x!u>, tensor<4x4x!u>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<2x4x!c>, tensor<2x4x!u>)
  return
}

// -----

func.func @randomBatch(%x: tensor<2x5xf32>, %s: tensor<2xi32>) {
  // expected-error @+1 {{result 0 has the shape [3, 9], operands and attributes give [2, 9]}}
  %0 = nn.random_multinomial %x samples 9 seeds %s : (tensor<2x5xf32>, tensor<2xi32>) -> tensor<3x9xi32>
  return
}
