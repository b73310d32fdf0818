// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

!q = !quant.uniform<u8:f32, 0.5:125>
!pu = !quant.uniform<u8:f32, 3.906250e-03>
!n = !quant.uniform<u8:f32, 7.812500e-03:128>
!l = !quant.uniform<u8:f32, 6.250000e-02:255>

// CHECK-LABEL: func.func @normalizations
func.func @normalizations(%x: tensor<2x3x4x5xf16>, %q: tensor<2x3x4x!q>) -> (tensor<2x3x4x5xf16>, tensor<2x3x4x!n>, tensor<2x3x4x!pu>) {
  // CHECK: nn.softmax %{{.*}} beta 5.000000e-01 axis 1 :
  %0 = nn.softmax %x beta 0.5 axis 1 : (tensor<2x3x4x5xf16>) -> tensor<2x3x4x5xf16>
  // CHECK: nn.log_softmax %{{.*}} axis -2 :
  %1 = nn.log_softmax %0 axis -2 : (tensor<2x3x4x5xf16>) -> tensor<2x3x4x5xf16>
  // CHECK: nn.l2_normalize %{{.*}} axis 0 :
  %2 = nn.l2_normalize %1 axis 0 : (tensor<2x3x4x5xf16>) -> tensor<2x3x4x5xf16>
  // CHECK: nn.local_response_normalize %{{.*}} radius 2 bias 1.000000e+00 alpha 2.000000e+00 beta 5.000000e-01 axis 3 :
  %3 = nn.local_response_normalize %2 radius 2 bias 1.0 alpha 2.0 beta 0.5 axis 3 : (tensor<2x3x4x5xf16>) -> tensor<2x3x4x5xf16>
  // CHECK: nn.instance_normalize %{{.*}} gamma 1.000000e+00 beta 0.000000e+00 epsilon 1.250000e-01 :
  %4 = nn.instance_normalize %3 gamma 1.0 beta 0.0 epsilon 0.125 : (tensor<2x3x4x5xf16>) -> tensor<2x3x4x5xf16>
  // CHECK: nn.rms_normalize %{{.*}} epsilon 1.250000e-01 axis 1 :
  %rms = nn.rms_normalize %4 epsilon 0.125 axis 1 : (tensor<2x3x4x5xf16>) -> tensor<2x3x4x5xf16>
  // CHECK: nn.l2_normalize %{{[a-z0-9]+}} :
  %5 = nn.l2_normalize %q : (tensor<2x3x4x!q>) -> tensor<2x3x4x!n>
  // CHECK: nn.softmax %{{[a-z0-9]+}} axis 0 :
  %6 = nn.softmax %q axis 0 : (tensor<2x3x4x!q>) -> tensor<2x3x4x!pu>
  return %4, %5, %6 : tensor<2x3x4x5xf16>, tensor<2x3x4x!n>, tensor<2x3x4x!pu>
}

// CHECK-LABEL: func.func @sums(
func.func @sums(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  // CHECK: nn.cumsum %{{.*}} exclusive reverse axis 0 :
  %0 = nn.cumsum %x exclusive reverse axis 0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @wideSums(
func.func @wideSums(%x: tensor<2x3xi64>) -> tensor<2x3xi64> {
  // CHECK: nn.cumsum %{{.*}} : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %0 = nn.cumsum %x : (tensor<2x3xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

// CHECK-LABEL: func.func @logarithms(
func.func @logarithms(%x: tensor<2x3x!q>) -> tensor<2x3x!l> {
  // CHECK: nn.log_softmax %{{[a-z0-9]+}} :
  %0 = nn.log_softmax %x : (tensor<2x3x!q>) -> tensor<2x3x!l>
  return %0 : tensor<2x3x!l>
}
