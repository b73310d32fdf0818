// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --mlir-print-op-generic | avocet-opt | FileCheck %s

// CHECK-LABEL: func.func @ranges(
// CHECK: nn.clamp relu %
// CHECK: nn.clamp relu_n1_to_1 %
// CHECK: nn.clamp relu6 %
// CHECK: nn.clamp relu_0_to_1 %
// CHECK: nn.clamp from -2.000000e+00 to 3.500000e+00 %
// CHECK: nn.clamp to 2.000000e+01 %
// CHECK: nn.clamp from 1.000000e-01 %
// CHECK: nn.add {{.*}} activation from -5.000000e-01 :
// CHECK: nn.add {{.*}}, %{{[a-z0-9]+}} :
func.func @ranges(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.clamp relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.clamp relu_n1_to_1 %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.clamp from 0.0 to 6.0 %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.clamp relu_0_to_1 %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.clamp from -2.0 to 3.5 %3 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.clamp to 20.0 %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.clamp from 0.1 %5 : (tensor<4xf32>) -> tensor<4xf32>
  %7 = nn.add %6, %6 activation from -0.5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = nn.add %7, %6 activation none : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}
