// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

// 16-bit activations.

!x = !quant.uniform<i16:f32, 2.500000e-01>
!h = !quant.uniform<i16:f32, 3.0517578125e-05>
!q = !quant.uniform<i8:f32, 0.5:-3>
!w = !quant.uniform<i8:f32:0, {0.1, 0.2}>

// CHECK-LABEL: func.func @layers
func.func @layers(%x: tensor<1x4x4x2x!x>, %w: tensor<2x3x3x2x!w>, %b: tensor<2xi64>, %n: tensor<2xi32>) -> tensor<1x2x2x2x!h> {
  // CHECK: nn.conv_2d %{{.*}} : (tensor<1x4x4x2x!{{.*}}>, tensor<2x3x3x2x!{{.*}}>, tensor<2xi64>)
  %0 = nn.conv_2d %x, %w, %b : (tensor<1x4x4x2x!x>, tensor<2x3x3x2x!w>, tensor<2xi64>) -> tensor<1x2x2x2x!x>
  // CHECK: nn.conv_2d %{{.*}} : (tensor<1x4x4x2x!{{.*}}>, tensor<2x3x3x2x!{{.*}}>, tensor<2xi32>)
  %1 = nn.conv_2d %x, %w, %n : (tensor<1x4x4x2x!x>, tensor<2x3x3x2x!w>, tensor<2xi32>) -> tensor<1x2x2x2x!x>
  // CHECK: nn.add %{{.*}} activation relu numerics shift_scales :
  %2 = nn.add %0, %1 activation relu numerics shift_scales : (tensor<1x2x2x2x!x>, tensor<1x2x2x2x!x>) -> tensor<1x2x2x2x!x>
  // CHECK: nn.sub %{{.*}} numerics shift_scales :
  %3 = nn.sub %2, %1 numerics shift_scales : (tensor<1x2x2x2x!x>, tensor<1x2x2x2x!x>) -> tensor<1x2x2x2x!x>
  // CHECK: nn.max_pool_2d
  %4 = nn.max_pool_2d %3 kernel [1, 1] : (tensor<1x2x2x2x!x>) -> tensor<1x2x2x2x!x>
  // CHECK: nn.softmax
  %5 = nn.softmax %4 : (tensor<1x2x2x2x!x>) -> tensor<1x2x2x2x!h>
  return %5 : tensor<1x2x2x2x!h>
}

// CHECK-LABEL: func.func @types
func.func @types(%x: tensor<4x!x>, %q: tensor<4x!q>) -> (tensor<4x!h>, tensor<4x!q>, tensor<4xf32>) {
  // CHECK: nn.quantize
  %0 = nn.quantize %q : (tensor<4x!q>) -> tensor<4x!x>
  // CHECK: nn.quantize
  %1 = nn.quantize %x : (tensor<4x!x>) -> tensor<4x!q>
  // CHECK: nn.tanh
  %2 = nn.tanh %0 : (tensor<4x!x>) -> tensor<4x!h>
  // CHECK: nn.dequantize
  %3 = nn.dequantize %2 : (tensor<4x!h>) -> tensor<4xf32>
  return %2, %1, %3 : tensor<4x!h>, tensor<4x!q>, tensor<4xf32>
}

!y = !quant.uniform<i16:f32, 1.52587890625e-05:-32768>

// CHECK-LABEL: func.func @zeroPoints
func.func @zeroPoints(%q: tensor<2x4x!q>) -> tensor<2x4x!q> {
  // CHECK: nn.softmax %{{.*}} -> tensor<2x4x!{{.*}}>
  %0 = nn.softmax %q : (tensor<2x4x!q>) -> tensor<2x4x!y>
  // CHECK: nn.quantize
  %1 = nn.quantize %0 : (tensor<2x4x!y>) -> tensor<2x4x!q>
  return %1 : tensor<2x4x!q>
}

// CHECK-LABEL: func.func @integers
func.func @integers(%x: tensor<4x!x>) -> tensor<4x!q> {
  // CHECK: nn.quantize %{{.*}} integer_scale 1.000000e-01 : (tensor<4x!{{.*}}>) -> tensor<4xi32>
  %0 = nn.quantize %x integer_scale 0.1 : (tensor<4x!x>) -> tensor<4xi32>
  // CHECK: nn.quantize %{{.*}} integer_scale 5.000000e-01 : (tensor<4xi32>)
  %1 = nn.quantize %0 integer_scale 0.5 : (tensor<4xi32>) -> tensor<4x!q>
  return %1 : tensor<4x!q>
}
