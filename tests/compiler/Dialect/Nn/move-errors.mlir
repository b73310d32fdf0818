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
  // expected-error @+1 {{extent 0 of the result is 2, must be 3}}
  %0 = nn.transpose %x permutation [1, 0] : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @permutationRank(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{rank of result is 1, must be 2}}
  %0 = nn.transpose %x permutation [1, 0] : (tensor<2x3xi1>) -> tensor<6xi1>
  return
}

// -----

func.func @sliceOutside(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{reads position 4 of axis 0, which has 4}}
  %0 = nn.slice %x begin [2, 0] strides [2, 1] : (tensor<4x2xf16>) -> tensor<2x2xf16>
  return
}

// -----

func.func @sliceBelow(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{reads position -1 of axis 1, which has 2}}
  %0 = nn.slice %x begin [0, 0] strides [1, -1] : (tensor<4x2xf16>) -> tensor<4x2xf16>
  return
}

// -----

func.func @sliceStride(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{stride 1 is 0}}
  %0 = nn.slice %x begin [0, 0] strides [1, 0] : (tensor<4x2xf16>) -> tensor<4x1xf16>
  return
}

// -----

func.func @tileExtent(%x: tensor<4x2xf16>) {
  // expected-error @+1 {{extent 1 of the result is 4, must be 6}}
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
  // expected-error @+1 {{element types must be equal}}
  %0 = nn.slice %x begin [0] strides [1] : (tensor<2x!x>) -> tensor<2x!y>
  return
}

// -----

func.func @bitcastParts(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{'tensor<2x3xi32>' has not the bytes and the leading axes of 'tensor<2x6xi16>'}}
  %0 = nn.bitcast %x : (tensor<2x3xi32>) -> tensor<2x6xi16>
  return
}

// -----

func.func @bitcastWidth(%x: tensor<3xi8>) {
  // expected-error @+1 {{has not the bytes}}
  %0 = nn.bitcast %x : (tensor<3xi8>) -> tensor<1xi32>
  return
}
