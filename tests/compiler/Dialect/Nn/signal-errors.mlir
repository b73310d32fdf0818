// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file -verify-diagnostics

func.func @points(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{'points' is 6, must be a power of two, at most 16777216}}
  %0:2 = nn.rfft %x points 6 : (tensor<2x6xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @noPoints(%x: tensor<2x6xf32>) {
  // expected-error @+1 {{'points' is 0, must be a power of two}}
  %0:2 = nn.rfft %x points 0 : (tensor<2x6xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @scalar(%x: tensor<f32>) {
  // expected-error @+1 {{input must have an axis}}
  %0:2 = nn.rfft %x points 1 : (tensor<f32>) -> (tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @half(%x: tensor<2x8xf32>) {
  // expected-error @+1 {{result 1 has the shape [2, 8], operands and attributes give [2, 5]}}
  %0:2 = nn.rfft %x points 8 : (tensor<2x8xf32>) -> (tensor<2x5xf32>, tensor<2x8xf32>)
  return
}

// -----

func.func @type(%x: tensor<2x8xi32>) {
  // expected-error @+1 {{operand #0 must be}}
  %0:2 = nn.rfft %x points 8 : (tensor<2x8xi32>) -> (tensor<2x5xi32>, tensor<2x5xi32>)
  return
}
