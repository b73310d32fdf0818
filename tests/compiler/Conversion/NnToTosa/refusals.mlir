// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s -split-input-file -verify-diagnostics --convert-nn-to-tosa

// All refusals of a network are reported at once.
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{CUMSUM is not supported: an operation of TOSA, found cumsum; TOSA cannot express it; leave this operator out, or change the model}}
  %0 = nn.cumsum %x : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{UNARY is not supported: a function of TOSA, found round}}
  %1 = nn.unary round %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Other dialects are no networks.
// expected-error @+1 {{input 1 is not supported: static shape of rank at most 32 with 1 to 2^31 - 1 elements, found i32}}
func.func @main(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{ABS is not supported: an operation of TOSA, found abs}}
  %0 = tosa.abs %x : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// expected-error @+1 {{has 1 functions; a network for TOSA is one, with one block}}
module {
  func.func private @main(tensor<4xf32>) -> tensor<4xf32>
}

// -----

!w = !quant.uniform<i8:f32, 0.5>

func.func @main(%x: tensor<1x2xf32>) -> tensor<1x3xf32> {
  %w = nn.constant dense<1> : tensor<3x2xi8> as tensor<3x2x!w>
  // expected-error @+1 {{FULLY_CONNECTED is not supported: filter: numbers of the input's kind, found !quant.uniform<i8:f32, 5.000000e-01>}}
  %0 = nn.fully_connected %x, %w : (tensor<1x2xf32>, tensor<3x2x!w>) -> tensor<1x3xf32>
  return %0 : tensor<1x3xf32>
}

// -----

// expected-error @+1 {{input 0 is not supported: element type, found tensor<4xi64>, accepted: i1, i4, i8, i16, i32 or 4 more; change the model}}
func.func @main(%x: tensor<4xi64>) -> tensor<4xi32> {
  %0 = nn.cast %x : (tensor<4xi64>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// expected-error @+1 {{network is not supported: input 0: kept between runs by the caller, found a state}}
func.func @main(%x: tensor<4xf32> {nn.initial_state = dense<0.0> : tensor<4xf32>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

!x = !quant.uniform<i8:f32, 0.5:-3>

// A third is no multiple of 1/1024, and TOSA rounds no floats to quantized numbers as the device does.
func.func @main(%x: tensor<1x3x3x1x!x>, %f: tensor<4xf32>) -> (tensor<1x4x4x1x!x>, tensor<4x!x>) {
  // expected-error @+1 {{RESIZE is not supported: size: positions that are the same in TOSA, found [4, 4]}}
  %0 = nn.resize bilinear %x to [4, 4] align_corners : (tensor<1x3x3x1x!x>) -> tensor<1x4x4x1x!x>
  // expected-error @+1 {{QUANTIZE is not supported: input: integers, found f32}}
  %1 = nn.quantize %f : (tensor<4xf32>) -> tensor<4x!x>
  return %0, %1 : tensor<1x4x4x1x!x>, tensor<4x!x>
}
