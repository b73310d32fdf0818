// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @recurrentCount(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{recurrent weights has 2 tensors, must have 3}}
  %0:4 = nn.lstm_cell tanh %x state(%x, %x) input(%w, %w, %w) recurrent(%w, %w) bias(%b, %b, %b) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x12xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @gates(%x: tensor<2x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{gates has 'tensor<2x16xf32>', shape must be [2, 12]}}
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
  // expected-error @+1 {{state has 'tensor<3x4xf32>', shape must be [2, 4]}}
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
  // expected-error @+1 {{state has 'tensor<2x4xf32>', shape must be [7, 4]}}
  %0:2 = nn.rnn_cell tanh %x, %w, %r, %b state %s batch_major : (tensor<7x2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<7x2x4xf32>)
  return
}

// -----

func.func @batchMajorStep(%x: tensor<2x5xf32>, %w: tensor<4x5xf32>, %r: tensor<4x4xf32>, %b: tensor<4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @+1 {{rank of input is 2, must be 3 for a sequence}}
  %0:2 = nn.rnn_cell tanh %x, %w, %r, %b state %s batch_major : (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}
