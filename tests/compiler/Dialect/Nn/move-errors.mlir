// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @permutationTwice(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{'permutation' must name every axis once}}
  %0 = nn.transpose %x permutation [1, 1] : (tensor<2x3xi32>) -> tensor<3x3xi32>
  return
}

// -----

func.func @permutationRange(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{'permutation' must name every axis once}}
  %0 = nn.transpose %x permutation [1, 2] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @permutedExtent(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{result 0 has the shape [2, 3], operands and attributes give [3, 2]}}
  %0 = nn.transpose %x permutation [1, 0] : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @permutationRank(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{result 0 has the shape [6], operands and attributes give [3, 2]}}
  %0 = nn.transpose %x permutation [1, 0] : (tensor<2x3xi1>) -> tensor<6xi1>
  return
}

// -----

func.func @sliceOutside(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{reads position 4 of axis 0, which has 4}}
  %0 = nn.slice %x begin [2, 0] size [2, 2] strides [2, 1] : (tensor<4x2xf16>) -> tensor<2x2xf16>
  return
}

// -----

func.func @sliceBelow(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{reads position -1 of axis 1, which has 2}}
  %0 = nn.slice %x begin [0, 0] size [4, 2] strides [1, -1] : (tensor<4x2xf16>) -> tensor<4x2xf16>
  return
}

// -----

func.func @sliceStride(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{stride 1 is 0}}
  %0 = nn.slice %x begin [0, 0] size [4, 1] strides [1, 0] : (tensor<4x2xf16>) -> tensor<4x1xf16>
  return
}

// -----

func.func @tileExtent(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{result 0 has the shape [4, 4], operands and attributes give [4, 6]}}
  %0 = nn.tile %x multiples [1, 3] : (tensor<4x2xf16>) -> tensor<4x4xf16>
  return
}

// -----

!x = !quant.uniform<u8:f32, 0.5:128>
func.func @padValue(%x: tensor<2x!x>) {
  // expected-error @+1 {{value 2.560000e+02 is none of '!quant.uniform<u8:f32, 5.000000e-01:128>'}}
  %0 = nn.pad %x low [1] high [0] value 256.0 : (tensor<2x!x>) -> tensor<3x!x>
  return
}

// -----

!x = !quant.uniform<u8:f32, 0.5:128>
!y = !quant.uniform<u8:f32, 0.25:128>
func.func @otherScale(%x: tensor<2x!x>) {
  // expected-error @+1 {{result 0 has elements of '!quant.uniform<u8:f32, 2.500000e-01:128>', operands and attributes give '!quant.uniform<u8:f32, 5.000000e-01:128>'}}
  %0 = nn.slice %x begin [0] size [2] strides [1] : (tensor<2x!x>) -> tensor<2x!y>
  return
}

// -----

func.func @bitcastParts(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{result 0 has the shape [2, 6], operands and attributes give [2, 3, 2]}}
  %0 = nn.bitcast %x to i16 : (tensor<2x3xi32>) -> tensor<2x6xi16>
  return
}

// -----

func.func @bitcastWidth(%x: tensor<3xi8>) {
  // expected-error @+1 {{last axis of [3] does not make up one element of 4 bytes}}
  %0 = nn.bitcast %x to i32 : (tensor<3xi8>) -> tensor<1xi32>
  return
}
