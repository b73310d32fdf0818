// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

!x = !quant.uniform<u8:f32, 0.5:125>
!y = !quant.uniform<u8:f32, 0.25:4>
!p = !quant.uniform<i8:f32, 0.25:4>
!w = !quant.uniform<i16:f32, 5.000000e-01>
!v = !quant.uniform<i16:f32, 2.500000e-01>

// CHECK-LABEL: func.func @numbers
func.func @numbers(%i: tensor<2x3xi32>, %h: tensor<3xf16>, %q: tensor<2x3x!x>, %a: tensor<3x!y>) -> tensor<2x3xi32> {
  // CHECK: nn.add %{{.*}} activation relu6 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %0 = nn.add %i, %i activation relu6 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK: nn.div %{{.*}} : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %1 = nn.div %0, %i : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK: nn.pow %{{.*}} : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  %2 = nn.pow %h, %h : (tensor<3xf16>, tensor<3xf16>) -> tensor<3xf16>
  // CHECK: nn.prelu
  %3 = nn.prelu %q, %a : (tensor<2x3x!x>, tensor<3x!y>) -> tensor<2x3x!y>
  // Kinds: KindsTest.cpp.
  // CHECK: nn.unary elu %{{.*}} alpha 2.000000e+00 : (tensor<2x3x!{{.*}}>) -> tensor<2x3x!{{.*}}>
  %4 = nn.unary elu %3 alpha 2.0 : (tensor<2x3x!y>) -> tensor<2x3x!x>
  // CHECK: nn.unary elu %{{.*}} alpha 2.000000e+00 : (tensor<3xf16>) -> tensor<3xf16>
  %5 = nn.unary elu %2 alpha 2.0 : (tensor<3xf16>) -> tensor<3xf16>
  // CHECK: nn.unary neg %{{.*}} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %6 = nn.unary neg %1 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  // CHECK: nn.cast %{{.*}} -> tensor<2x3xf32>
  %7 = nn.cast %4 : (tensor<2x3x!x>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @quantized
func.func @quantized(%q: tensor<2x3x!x>, %d: tensor<3x!y>, %p: tensor<2x3x!p>, %w: tensor<2x3x!w>) -> (tensor<2x3x!y>, tensor<2x!p>, tensor<2x!w>, tensor<3x!v>) {
  // CHECK: nn.div %{{.*}} activation relu : (tensor<2x3x!{{.*}}>, tensor<3x!{{.*}}>) -> tensor<2x3x!{{.*}}>
  %0 = nn.div %q, %d activation relu : (tensor<2x3x!x>, tensor<3x!y>) -> tensor<2x3x!y>
  // CHECK: nn.reduce prod %{{.*}} axes [1] : (tensor<2x3x!{{.*}}>) -> tensor<2x!{{.*}}>
  %1 = nn.reduce prod %p axes [1] : (tensor<2x3x!p>) -> tensor<2x!p>
  // CHECK: nn.reduce sum %{{.*}} axes [1] : (tensor<2x3x!{{.*}}>) -> tensor<2x!{{.*}}>
  %2 = nn.reduce sum %w axes [1] : (tensor<2x3x!w>) -> tensor<2x!w>
  // CHECK: nn.reduce prod %{{.*}} axes [0] : (tensor<2x3x!{{.*}}>) -> tensor<3x!{{.*}}>
  %3 = nn.reduce prod %w axes [0] : (tensor<2x3x!w>) -> tensor<3x!v>
  return %0, %1, %2, %3 : tensor<2x3x!y>, tensor<2x!p>, tensor<2x!w>, tensor<3x!v>
}

// CHECK-LABEL: func.func @truth
func.func @truth(%q: tensor<2x3x!x>, %a: tensor<3x!y>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: nn.compare less_equal %{{.*}}, %{{.*}} :
  %0 = nn.compare less_equal %q, %a : (tensor<2x3x!x>, tensor<3x!y>) -> tensor<2x3xi1>
  // CHECK: nn.unary logical_not
  %1 = nn.unary logical_not %0 : (tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK: nn.logical or %{{.*}}, %{{.*}} :
  %2 = nn.logical or %0, %1 : (tensor<2x3xi1>, tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK: nn.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.select %2, %x, %x : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<2x3x4xf16>, %b: tensor<2x3xi1>) -> tensor<1xi32> {
  // CHECK: nn.reduce max %{{.*}} axes [0, 2] keep_dims : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  %0 = nn.reduce max %x axes [0, 2] keep_dims : (tensor<2x3x4xf16>) -> tensor<1x3x1xf16>
  // CHECK: nn.reduce all %{{.*}} axes [0, 1] : (tensor<2x3xi1>) -> tensor<i1>
  %1 = nn.reduce all %b axes [0, 1] : (tensor<2x3xi1>) -> tensor<i1>
  // CHECK: nn.mean %{{.*}} axes [1] : (tensor<1x3x1xf16>) -> tensor<1x1xf16>
  %2 = nn.mean %0 axes [1] : (tensor<1x3x1xf16>) -> tensor<1x1xf16>
  // CHECK: nn.arg_reduce min %{{.*}} axis 1 :
  %3 = nn.arg_reduce min %2 axis 1 : (tensor<1x1xf16>) -> tensor<1xi32>
  return %3 : tensor<1xi32>
}

// CHECK-LABEL: func.func @plainIntegers
func.func @plainIntegers(%x: tensor<2x3xi64>, %y: tensor<3xi64>) -> tensor<2xi64> {
  // CHECK: nn.binary floor_mod %{{.*}}, %{{.*}} : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  %0 = nn.binary floor_mod %x, %y : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  // CHECK: nn.div %{{.*}}, %{{.*}} truncates : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  %1 = nn.div %0, %y truncates : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  // CHECK: nn.cast %{{.*}} wraps : (tensor<2x3xi64>) -> tensor<2x3xui8>
  %2 = nn.cast %1 wraps : (tensor<2x3xi64>) -> tensor<2x3xui8>
  // CHECK: nn.transpose %{{.*}} : (tensor<2x3xui8>) -> tensor<3x2xui8>
  %3 = nn.transpose %2 permutation [1, 0] : (tensor<2x3xui8>) -> tensor<3x2xui8>
  // CHECK: nn.arg_reduce max %{{.*}} axis 0 : (tensor<3x2xui8>) -> tensor<2xi64>
  %4 = nn.arg_reduce max %3 axis 0 : (tensor<3x2xui8>) -> tensor<2xi64>
  return %4 : tensor<2xi64>
}

// CHECK-LABEL: func.func @fixedPointComparison
func.func @fixedPointComparison(%q: tensor<2x3x!x>, %a: tensor<3x!y>) -> tensor<2x3xi1> {
  // CHECK: nn.compare less %{{.*}}, %{{.*}} fixed_point :
  %0 = nn.compare less %q, %a fixed_point : (tensor<2x3x!x>, tensor<3x!y>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}
