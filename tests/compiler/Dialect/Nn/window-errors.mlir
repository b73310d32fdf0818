// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @groupsOfOutputs(%x: tensor<1x4x4x6xf32>, %w: tensor<4x3x3x2xf32>) {
  // expected-error @+1 {{4 output channels do not fall into 3 groups}}
  %0 = nn.grouped_conv_2d %x, %w groups 3 : (tensor<1x4x4x6xf32>, tensor<4x3x3x2xf32>) -> tensor<1x2x2x4xf32>
  return
}

// -----

func.func @noGroups(%x: tensor<1x4x4x6xf32>, %w: tensor<4x3x3x6xf32>) {
  // expected-error @+1 {{'groups' is 0, must be 1 to 2147483647}}
  %0 = nn.grouped_conv_2d %x, %w groups 0 : (tensor<1x4x4x6xf32>, tensor<4x3x3x6xf32>) -> tensor<1x2x2x4xf32>
  return
}

// -----

func.func @groupsOfInputs(%x: tensor<1x4x4x6xf32>, %w: tensor<4x3x3x2xf32>) {
  // expected-error @+1 {{input has 6 channels, 2 groups of the filter read 2 each}}
  %0 = nn.grouped_conv_2d %x, %w groups 2 : (tensor<1x4x4x6xf32>, tensor<4x3x3x2xf32>) -> tensor<1x2x2x4xf32>
  return
}

// -----

func.func @transposedShape(%x: tensor<1x2x2x3xf32>, %w: tensor<5x3x3x3xf32>) {
  // expected-error @+1 {{result 0 has the shape [1, 6, 6, 5], operands and attributes give [1, 5, 5, 5]}}
  %0 = nn.transpose_conv_2d %x, %w stride [2, 2] : (tensor<1x2x2x3xf32>, tensor<5x3x3x3xf32>) -> tensor<1x6x6x5xf32>
  return
}

// -----

func.func @transposedPadding(%x: tensor<1x2x2x3xf32>, %w: tensor<5x3x3x3xf32>) {
  // expected-error @+1 {{padding before the first row and column must not be negative}}
  %0 = nn.transpose_conv_2d %x, %w pad [-1, 0, 0, 0] : (tensor<1x2x2x3xf32>, tensor<5x3x3x3xf32>) -> tensor<1x5x4x5xf32>
  return
}

// -----

func.func @mixedFloats(%x: tensor<1x2x2x3xf16>, %w: tensor<5x1x1x3xf32>) {
  // expected-error @+1 {{filter must be of 'f16', as the input is}}
  %0 = nn.conv_2d %x, %w : (tensor<1x2x2x3xf16>, tensor<5x1x1x3xf32>) -> tensor<1x2x2x5xf16>
  return
}

// -----

!x = !quant.uniform<u8:f32, 0.5:128>
func.func @integerRoot(%x: tensor<1x4x4x2x!x>) {
  // expected-error @+1 {{input must be of floats}}
  %0 = nn.l2_pool_2d %x kernel [2, 2] : (tensor<1x4x4x2x!x>) -> tensor<1x3x3x2x!x>
  return
}
