// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @rank(%a: tensor<4xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{operands have rank 1 and 2, must have 2 or more}}
  %0 = nn.batch_matmul %a, %b : (tensor<4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @depth(%a: tensor<3x4xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{rows of lhs have 4 elements, columns of rhs 2}}
  %0 = nn.batch_matmul %a, %b transpose_rhs : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @batches(%a: tensor<2x3x4xf32>, %b: tensor<3x4x2xf32>) {
  // expected-error @+1 {{shapes [2] and [3] do not broadcast}}
  %0 = nn.batch_matmul %a, %b : (tensor<2x3x4xf32>, tensor<3x4x2xf32>) -> tensor<6x3x2xf32>
  return
}

// -----

func.func @result(%a: tensor<2x3x4xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{result 0 has the shape [3, 2], operands and attributes give [2, 3, 2]}}
  %0 = nn.batch_matmul %a, %b : (tensor<2x3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5:-3>
func.func @types(%a: tensor<3x4x!q>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{operands and result must be of one float type, or all quantized}}
  %0 = nn.batch_matmul %a, %b : (tensor<3x4x!q>, tensor<4x2xf32>) -> tensor<3x2x!q>
  return
}

// -----

func.func @hybridZeroPoint(%a: tensor<3x4xf32>, %b: tensor<4x2x!quant.uniform<i8:f32, 0.5:1>>) {
  // expected-error @+1 {{with a quantized right operand must have i8 with zero point 0 there, else f32}}
  %0 = nn.batch_matmul %a, %b : (tensor<3x4xf32>, tensor<4x2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<3x2xf32>
  return
}

// -----

!wide = !quant.uniform<i16:f32, 0.5>
!axis = !quant.uniform<i8:f32:0, {0.5,0.25,0.5,0.25}>
func.func @scalesOfTerms(%a: tensor<3x4x!wide>, %b: tensor<4x2x!axis>) {
  // expected-error @+1 {{filter is quantized along axis 0, its output channels are axis 1}}
  %0 = nn.batch_matmul %a, %b : (tensor<3x4x!wide>, tensor<4x2x!axis>) -> tensor<3x2x!wide>
  return
}

// -----

!wide = !quant.uniform<i16:f32, 0.5>
!axis = !quant.uniform<i8:f32:1, {0.5,0.25:3}>
func.func @zeroPointsOfColumns(%a: tensor<3x4x!wide>, %b: tensor<4x2x!axis>) {
  // expected-error @+1 {{zero points of a filter with scales per channel must be 0}}
  %0 = nn.batch_matmul %a, %b : (tensor<3x4x!wide>, tensor<4x2x!axis>) -> tensor<3x2x!wide>
  return
}

// -----

!wide = !quant.uniform<i16:f32, 0.5>
!byte = !quant.uniform<i8:f32, 0.5:1>
func.func @zeroPointBesideWide(%a: tensor<3x4x!wide>, %b: tensor<4x2x!byte>) {
  // expected-error @+1 {{right operand of a 16-bit one must be signed with zero point 0}}
  %0 = nn.batch_matmul %a, %b : (tensor<3x4x!wide>, tensor<4x2x!byte>) -> tensor<3x2x!wide>
  return
}

// -----

!wide = !quant.uniform<i16:f32, 0.5>
!byte = !quant.uniform<i8:f32, 0.5>
func.func @wideOnTheRight(%a: tensor<3x4x!byte>, %b: tensor<4x2x!wide>) {
  // expected-error @+1 {{right operand must not have more bits than the left one, has 16 and 8}}
  %0 = nn.batch_matmul %a, %b : (tensor<3x4x!byte>, tensor<4x2x!wide>) -> tensor<3x2x!byte>
  return
}

// -----

!wide = !quant.uniform<i16:f32, 0.5>
!byte = !quant.uniform<i8:f32, 0.5>
func.func @narrowResult(%a: tensor<3x4x!wide>, %b: tensor<4x2x!byte>) {
  // expected-error @+1 {{left operand and result must be quantized to the same width}}
  %0 = nn.batch_matmul %a, %b : (tensor<3x4x!wide>, tensor<4x2x!byte>) -> tensor<3x2x!byte>
  return
}
