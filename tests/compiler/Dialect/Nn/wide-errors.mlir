// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

!z = !quant.uniform<i16:f32, 0.5:1>
func.func @zeroPoint(%x: tensor<4x!z>) {
  // expected-error @+1 {{signed 16-bit per-tensor quantized with zero point 0}}
  %0 = nn.add %x, %x : (tensor<4x!z>, tensor<4x!z>) -> tensor<4x!z>
  return
}

// -----

!u = !quant.uniform<u16:f32, 0.5>
func.func @unsigned(%x: tensor<1x4x!u>) {
  // expected-error @+1 {{signed 16-bit per-tensor quantized with zero point 0}}
  %0 = nn.softmax %x : (tensor<1x4x!u>) -> tensor<1x4x!u>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
!w = !quant.uniform<i8:f32, 0.5>
func.func @floatBias(%x: tensor<1x4x!x>, %w: tensor<2x4x!w>, %b: tensor<2xf32>) {
  // expected-error @+1 {{bias must be 'i32' or 'i64' for input of '!quant.uniform<i16:f32, 5.000000e-01>'}}
  %0 = nn.fully_connected %x, %w, %b : (tensor<1x4x!x>, tensor<2x4x!w>, tensor<2xf32>) -> tensor<1x2x!x>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
func.func @wideBias(%x: tensor<1x4x!q>, %w: tensor<2x4x!q>, %b: tensor<2xi64>) {
  // expected-error @+1 {{bias must be 'i32' for input of}}
  %0 = nn.fully_connected %x, %w, %b : (tensor<1x4x!q>, tensor<2x4x!q>, tensor<2xi64>) -> tensor<1x2x!q>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
!u = !quant.uniform<u8:f32, 0.5:3>
func.func @unsignedFilter(%x: tensor<1x4x!x>, %w: tensor<2x4x!u>) {
  // expected-error @+1 {{filter of a 16-bit input must be signed with zero point 0}}
  %0 = nn.fully_connected %x, %w : (tensor<1x4x!x>, tensor<2x4x!u>) -> tensor<1x2x!x>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
!q = !quant.uniform<i8:f32, 0.5>
func.func @narrowResult(%x: tensor<1x4x!x>, %w: tensor<2x4x!q>) {
  // expected-error @+1 {{input and result must be quantized to the same width}}
  %0 = nn.fully_connected %x, %w : (tensor<1x4x!x>, tensor<2x4x!q>) -> tensor<1x2x!q>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
func.func @boundedScale(%x: tensor<4x!x>) {
  // expected-error @+1 {{result must have scale 3.051758e-05 and zero point 0}}
  %0 = nn.tanh %x : (tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
!y = !quant.uniform<i16:f32, 0.25>
func.func @shiftLeft(%x: tensor<4x!x>, %y: tensor<4x!y>) {
  // expected-error @+1 {{shift_scales needs 16-bit numbers with powers of two as scales}}
  %0 = nn.add %x, %y numerics shift_scales : (tensor<4x!x>, tensor<4x!y>) -> tensor<4x!y>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.3>
func.func @noPower(%x: tensor<4x!x>) {
  // expected-error @+1 {{shift_scales needs 16-bit numbers with powers of two as scales}}
  %0 = nn.sub %x, %x numerics shift_scales : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
func.func @hardSwish(%x: tensor<4x!x>) {
  // expected-error @+1 {{there is no hard_swish of}}
  %0 = nn.unary hard_swish %x : (tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
func.func @prelu(%x: tensor<4x!x>) {
  // expected-error @+1 {{'nn.prelu' op operand #0 must be}}
  %0 = nn.prelu %x, %x : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
func.func @integerScaleMissing(%x: tensor<4x!x>) {
  // expected-error @+1 {{i32 needs a positive integer_scale}}
  %0 = nn.quantize %x : (tensor<4x!x>) -> tensor<4xi32>
  return
}

// -----

!x = !quant.uniform<i16:f32, 0.5>
func.func @integerScaleOfOthers(%x: tensor<4x!x>) {
  // expected-error @+1 {{only i32 has an integer_scale}}
  %0 = nn.quantize %x integer_scale 0.5 : (tensor<4x!x>) -> tensor<4x!x>
  return
}

// -----

func.func @integersOfFloats(%x: tensor<4xf32>) {
  // expected-error @+1 {{input or result must be quantized}}
  %0 = nn.quantize %x integer_scale 0.5 : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i16:f32, 1.52587890625e-05>
func.func @widenedZeroPoint(%x: tensor<4x!q>) {
  // expected-error @+1 {{must have scale 1/65536 and zero point -32768}}
  %0 = nn.softmax %x : (tensor<4x!q>) -> tensor<4x!y>
  return
}

// -----

!q = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i16:f32, 1.52587890625e-05:-32768>
func.func @widenedAxis(%x: tensor<2x4x!q>) {
  // expected-error @+1 {{16-bit results of 8-bit numbers need the last axis}}
  %0 = nn.softmax %x axis 0 : (tensor<2x4x!q>) -> tensor<2x4x!y>
  return
}
