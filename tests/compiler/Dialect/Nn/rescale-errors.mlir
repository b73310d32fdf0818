// RUN: avocet-opt %s -split-input-file -verify-diagnostics
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @no_such_numerics(%x: tensor<4xi32>) -> tensor<4xi8> {
  // expected-error @+1 {{there are no numerics triple_round}}
  %0 = nn.rescale %x numerics triple_round [1] >> [2] : (tensor<4xi32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @counts_differ(%x: tensor<4xi32>) -> tensor<4xi8> {
  // expected-error @+1 {{numerics single_round need as many shifts as multipliers, at least one}}
  %0 = nn.rescale %x numerics single_round [1, 2] >> [2] : (tensor<4xi32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @negative_multiplier(%x: tensor<4xi32>) -> tensor<4xi8> {
  // expected-error @+1 {{multipliers must be 0 to 2147483647}}
  %0 = nn.rescale %x numerics single_round [-1] >> [2] : (tensor<4xi32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @small_shift(%x: tensor<4xi32>) -> tensor<4xi8> {
  // expected-error @+1 {{shifts must be 2 to 62}}
  %0 = nn.rescale %x numerics double_round [1] >> [1] : (tensor<4xi32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @without_lists(%x: tensor<4xi32>) -> tensor<4xi8> {
  // expected-error @+1 {{needs numerics with multipliers and shifts: single_round, double_round or even_round}}
  %0 = nn.rescale %x numerics tflite : (tensor<4xi32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @number_of_channels(%x: tensor<4x3xi32>) -> tensor<4x3xi8> {
  // expected-error @+1 {{number of multipliers must be 1 or 3, is 2}}
  %0 = nn.rescale %x numerics double_round [1, 2] >> [8, 8] : (tensor<4x3xi32>) -> tensor<4x3xi8>
  return %0 : tensor<4x3xi8>
}

// -----

func.func @wide_result(%x: tensor<4xi32>) -> tensor<4xi64> {
  // expected-error @+1 {{results have 8, 16 or 32 bits}}
  %0 = nn.rescale %x numerics double_round [1] >> [8] : (tensor<4xi32>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @wide_sums_round_once(%x: tensor<4xi64>) -> tensor<4xi16> {
  // expected-error @+1 {{sums of 64 bits are rounded once: their numerics are single_round}}
  %0 = nn.rescale %x numerics double_round [1] >> [8] : (tensor<4xi64>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}

// -----

func.func @wide_multiplier(%x: tensor<4xi64>) -> tensor<4xi16> {
  // expected-error @+1 {{multipliers of 64-bit sums must be 0 to 32767}}
  %0 = nn.rescale %x numerics single_round [32768] >> [8] : (tensor<4xi64>) -> tensor<4xi16>
  return %0 : tensor<4xi16>
}

// -----

func.func @shape(%x: tensor<4xi32>) -> tensor<5xi16> {
  // expected-error @+1 {{'nn.rescale' op}}
  %0 = nn.rescale %x numerics single_round [32768] >> [8] : (tensor<4xi32>) -> tensor<5xi16>
  return %0 : tensor<5xi16>
}

// -----

func.func @float_layer(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{needs quantized operands and a quantized result for explicit numerics}}
  %0 = nn.fully_connected %x, %w numerics single_round [1] >> [8] : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

!x = !quant.uniform<i8:f32, 1.0>
func.func @channels_of_layer(%x: tensor<2x4x!x>, %w: tensor<3x4x!x>) -> tensor<2x3x!x> {
  // expected-error @+1 {{number of multipliers must be 1 or 3, is 4}}
  %0 = nn.fully_connected %x, %w numerics single_round [1, 1, 1, 1] >> [8, 8, 8, 8]
    : (tensor<2x4x!x>, tensor<3x4x!x>) -> tensor<2x3x!x>
  return %0 : tensor<2x3x!x>
}

// -----

!s = !quant.uniform<i16:f32, 1.0>
!w = !quant.uniform<i8:f32, 1.0>
func.func @wide_layer(%x: tensor<2x4x!s>, %w: tensor<3x4x!w>) -> tensor<2x3x!s> {
  // expected-error @+1 {{multipliers of 64-bit sums must be 0 to 32767}}
  %0 = nn.fully_connected %x, %w numerics single_round [1073741824] >> [40]
    : (tensor<2x4x!s>, tensor<3x4x!w>) -> tensor<2x3x!s>
  return %0 : tensor<2x3x!s>
}

// -----

!x = !quant.uniform<i8:f32, 1.0>
func.func @matmul_numerics(%x: tensor<2x4x!x>, %w: tensor<4x3x!x>) -> tensor<2x3x!x> {
  // expected-error @+1 {{has no numerics float_scales}}
  %0 = nn.batch_matmul %x, %w numerics float_scales : (tensor<2x4x!x>, tensor<4x3x!x>) -> tensor<2x3x!x>
  return %0 : tensor<2x3x!x>
}

// -----

!x = !quant.uniform<i8:f32, 1.0>
func.func @sum_has_three(%x: tensor<4x!x>) -> tensor<4x!x> {
  // expected-error @+1 {{number of multipliers must be 3, is 1}}
  %0 = nn.add %x, %x numerics single_round [1] >> [8] : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!x>
  return %0 : tensor<4x!x>
}

// -----

func.func @product_of_floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{needs quantized operands for explicit numerics}}
  %0 = nn.mul %x, %x numerics single_round [1] >> [8] : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

!x = !quant.uniform<i8:f32, 1.0>
func.func @width_of_sums(%x: tensor<2x4x!x>, %w: tensor<3x4x!x>) -> tensor<2x3xi64> {
  // expected-error @+1 {{sums must be i32, are 'i64'}}
  %0 = nn.fully_connected %x, %w : (tensor<2x4x!x>, tensor<3x4x!x>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// -----

!s = !quant.uniform<i16:f32, 1.0>
!w = !quant.uniform<i8:f32, 1.0>
func.func @width_of_wide_sums(%x: tensor<2x4x!s>, %w: tensor<3x4x!w>) -> tensor<2x3xi32> {
  // expected-error @+1 {{sums must be i64, are 'i32'}}
  %0 = nn.fully_connected %x, %w : (tensor<2x4x!s>, tensor<3x4x!w>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

!x = !quant.uniform<i8:f32, 1.0>
func.func @activation_of_sums(%x: tensor<2x4x!x>, %w: tensor<3x4x!x>) -> tensor<2x3xi32> {
  // expected-error @+1 {{sums have neither activation nor numerics}}
  %0 = nn.fully_connected %x, %w activation relu : (tensor<2x4x!x>, tensor<3x4x!x>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

!x = !quant.uniform<i8:f32, 1.0>
func.func @numerics_of_sums(%x: tensor<2x4x!x>, %w: tensor<4x3x!x>) -> tensor<2x3xi32> {
  // expected-error @+1 {{needs a quantized result for explicit numerics}}
  %0 = nn.batch_matmul %x, %w numerics single_round [1] >> [8] : (tensor<2x4x!x>, tensor<4x3x!x>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @sums_of_floats(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>) -> tensor<2x3xi32> {
  // expected-error @+1 {{operands and result must be of one float type, or all quantized}}
  %0 = nn.batch_matmul %x, %w : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

func.func @far_left(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>> {
  // expected-error @+1 {{the shift to the left must be 0 to 22, and belongs to multipliers}}
  %0 = nn.add %x, %x numerics double_round [1, 1, 1] >> [8, 8, 8] left 23 : (tensor<4x!quant.uniform<i8:f32, 1.0>>, tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 1.0>>
}

// -----

func.func @left_of_a_rescale(%x: tensor<4xi32>) -> tensor<4xi8> {
  // expected-error @+1 {{has no sum whose operands are shifted to the left}}
  %0 = nn.rescale %x numerics double_round [1] >> [8] left 20 : (tensor<4xi32>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @mean_of_one_rounding(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x!quant.uniform<i8:f32, 1.0>> {
  // expected-error @+1 {{has numerics single_round; means of 8-bit numbers may have double_round or even_round, others have none}}
  %0 = nn.mean %x axes [0] keep_dims numerics single_round [1] >> [8] : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x!quant.uniform<i8:f32, 1.0>>
  return %0 : tensor<1x!quant.uniform<i8:f32, 1.0>>
}
