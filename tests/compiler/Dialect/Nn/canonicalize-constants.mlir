// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-canonicalize --split-input-file | FileCheck %s
// Operations on a few known integers become constants. tests/compiler/Dialect/Nn/FoldersTest.cpp compares their numbers with
// those of the kernels.

// The number of elements of a shape, as converters write it.
// CHECK-LABEL: func.func @shape()
// CHECK-NEXT: %[[C:.*]] = nn.constant dense<[6, -1]> : tensor<2xi32>
// CHECK-NEXT: return %[[C]]
func.func @shape() -> tensor<2xi32> {
  %shape = nn.constant dense<[2, 3, 4]> : tensor<3xi64>
  %rest = nn.constant dense<-1> : tensor<1xi32>
  %0 = nn.slice %shape begin [0] size [2] strides [1] : (tensor<3xi64>) -> tensor<2xi64>
  %1 = nn.reduce prod %0 axes [0] keep_dims : (tensor<2xi64>) -> tensor<1xi64>
  %2 = nn.cast %1 : (tensor<1xi64>) -> tensor<1xi32>
  %3 = nn.concatenation %2, %rest axis 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  return %3 : tensor<2xi32>
}

// -----

// Constants in the file's bytes; results of truth values have a byte for each.
// CHECK-LABEL: func.func @bytes()
// CHECK-NEXT: %[[C:.*]] = nn.constant dense_resource<folded> : tensor<3xi1>
// CHECK-NEXT: return %[[C]]
// CHECK: folded: "0x10000000010100"
func.func @bytes() -> tensor<3xi1> {
  %0 = nn.constant dense_resource<given> : tensor<3xi32>
  %1 = nn.constant dense<[1, 2, 4]> : tensor<3xi32>
  %2 = nn.compare equal %0, %1 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
  return %2 : tensor<3xi1>
}

{-#
  dialect_resources: {
    builtin: {
      given: "0x04000000010000000200000003000000"
    }
  }
#-}

// -----

// CHECK-LABEL: func.func @equal(
// CHECK-NOT: nn.compare {{(equal|less) .*}}xi32
// CHECK: nn.compare equal %{{.*}} : (tensor<2xf32>
func.func @equal(%x: tensor<2xi32>, %y: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %0 = nn.compare equal %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %1 = nn.compare less %x, %x : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %2 = nn.compare equal %y, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0, %1, %2 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// -----

// More than 4 KiB are data of the device, of operands as of results.
// CHECK-LABEL: func.func @limits()
// CHECK: %[[SUM:.*]] = nn.reduce sum
// CHECK-NEXT: %[[TILE:.*]] = nn.tile
// CHECK-NEXT: return %[[SUM]], %[[TILE]]
func.func @limits() -> (tensor<1xi32>, tensor<1025xi32>) {
  %0 = nn.constant dense<3> : tensor<1025xi32>
  %1 = nn.constant dense<3> : tensor<1xi32>
  %2 = nn.reduce sum %0 axes [0] keep_dims : (tensor<1025xi32>) -> tensor<1xi32>
  %3 = nn.tile %1 multiples [1025] : (tensor<1xi32>) -> tensor<1025xi32>
  return %2, %3 : tensor<1xi32>, tensor<1025xi32>
}

// -----

// A run reports the index that is out of range.
// CHECK-LABEL: func.func @badIndex()
// CHECK: nn.gather
func.func @badIndex() -> tensor<2xi32> {
  %0 = nn.constant dense<[5, 6, 7]> : tensor<3xi32>
  %1 = nn.constant dense<[0, 3]> : tensor<2xi32>
  %2 = nn.gather %0 at %1 axis 0 : (tensor<3xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %2 : tensor<2xi32>
}

// -----

// Floats and quantized numbers are not folded; operations with an activation neither.
!x = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: func.func @others()
// CHECK: nn.add
// CHECK: nn.transpose
// CHECK: nn.add {{.*}} activation relu
func.func @others() -> (tensor<2xf32>, tensor<1x2x!x>, tensor<2xi32>) {
  %0 = nn.constant dense<1.0> : tensor<2xf32>
  %1 = nn.constant dense<1> : tensor<2x1xi8> as tensor<2x1x!x>
  %2 = nn.constant dense<-1> : tensor<2xi32>
  %3 = nn.add %0, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %4 = nn.transpose %1 permutation [1, 0] : (tensor<2x1x!x>) -> tensor<1x2x!x>
  %5 = nn.add %2, %2 activation relu : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %3, %4, %5 : tensor<2xf32>, tensor<1x2x!x>, tensor<2xi32>
}
