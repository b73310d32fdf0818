// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

func.func @softmaxAxis(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{has the axis 2, must be -2 to 1}}
  %0 = nn.softmax %x axis 2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
func.func @l2Scale(%x: tensor<4x!x>) {
  // expected-error @+1 {{result must have scale 7.812500e-03 and zero point 0}}
  %0 = nn.l2_normalize %x : (tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

!x = !quant.uniform<i8:f32, 0.5>
func.func @logarithmScale(%x: tensor<4x!x>) {
  // expected-error @+1 {{result must have scale 6.250000e-02 and zero point 127}}
  %0 = nn.log_softmax %x : (tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

func.func @responseRadius(%x: tensor<4xf32>) {
  // expected-error @+1 {{has the radius -1, must be 0 or more}}
  %0 = nn.local_response_normalize %x radius -1 bias 1.0 alpha 1.0 beta 1.0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @instanceRank(%x: tensor<4x4x2xf32>) {
  // expected-error @+1 {{rank of input is 3, must be 4}}
  %0 = nn.instance_normalize %x gamma 1.0 beta 1.0 epsilon 1.0 : (tensor<4x4x2xf32>) -> tensor<4x4x2xf32>
  return
}

// -----

func.func @cumsumAxis(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{has the axis -3, must be -2 to 1}}
  %0 = nn.cumsum %x axis -3 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @negativeEpsilon(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{epsilon must be finite and not negative}}
  %0 = nn.rms_normalize %x epsilon -1.0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
