// RUN: avocet-opt %s -split-input-file -verify-diagnostics | avocet-opt | FileCheck %s
// RUN: avocet-opt %s -split-input-file -verify-diagnostics --nn-fuse-rescale | FileCheck %s --check-prefix=FUSED
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!x = !quant.uniform<i8:f32, 0.5:-3>
!w = !quant.uniform<i8:f32, 1.0>

// CHECK-LABEL: func.func @quantize(
func.func @quantize(%x: tensor<4xf32>, %h: tensor<4xf16>) -> (tensor<4x!x>, tensor<4x!x>) {
  // CHECK: nn.quantize %{{.*}} numerics half_even : (tensor<4xf32>) -> tensor<4x!
  %0 = nn.quantize %x numerics half_even : (tensor<4xf32>) -> tensor<4x!x>
  // CHECK: nn.quantize %{{.*}} : (tensor<4xf16>) -> tensor<4x!
  %1 = nn.quantize %h numerics tflite : (tensor<4xf16>) -> tensor<4x!x>
  return %0, %1 : tensor<4x!x>, tensor<4x!x>
}

// FUSED-LABEL: func.func @layer(
// FUSED: nn.fully_connected %{{.*}} numerics even_round [1073741824] >> [38] : {{.*}} -> tensor<4x3x!
// FUSED-NOT: nn.rescale
func.func @layer(%x: tensor<4x2x!x>) -> tensor<4x3x!x> {
  %w = nn.constant dense<1> : tensor<3x2xi8> as tensor<3x2x!w>
  %0 = nn.fully_connected %x, %w : (tensor<4x2x!x>, tensor<3x2x!w>) -> tensor<4x3xi32>
  %1 = nn.rescale %0 numerics even_round [1073741824] >> [38] : (tensor<4x3xi32>) -> tensor<4x3x!x>
  return %1 : tensor<4x3x!x>
}

// The two roundings of halves differ for any shift, so that one sum cannot have both.
// FUSED-LABEL: func.func @roundings(
// FUSED-COUNT-3: nn.rescale
func.func @roundings(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = nn.rescale %a numerics even_round [3] >> [3] : (tensor<4xi8>) -> tensor<4xi32>
  %1 = nn.rescale %b numerics double_round [1073741824] >> [40] : (tensor<4xi8>) -> tensor<4xi32>
  %2 = nn.add %0, %1 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = nn.rescale %2 numerics double_round [1073741824] >> [40] : (tensor<4xi32>) -> tensor<4xi8>
  return %3 : tensor<4xi8>
}

// -----

func.func @rescaled(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>> {
  // expected-error @+1 {{has no numerics half_even}}
  %0 = nn.quantize %x numerics half_even : (tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25>>
}

// -----

func.func @listed(%x: tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25>> {
  // expected-error @+1 {{has no numerics even_round}}
  %0 = nn.quantize %x numerics even_round [1] >> [2] : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.25>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.25>>
}

// -----

func.func @layer(%x: tensor<4x2xf32>, %w: tensor<3x2xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{has no numerics half_even}}
  %0 = nn.fully_connected %x, %w numerics half_even : (tensor<4x2xf32>, tensor<3x2xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
