// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | FileCheck %s

// A constant has the name of its resource, which tells weights from biases; small constants have numbers.

// CHECK-LABEL: func.func @main
func.func @main() -> (tensor<2xi32>, tensor<2xi32>) {
  // CHECK-NEXT: %bias7 = nn.constant dense_resource<bias7> : tensor<2xi32>
  %b = nn.constant dense_resource<bias7> : tensor<2xi32>
  // CHECK-NEXT: %0 = nn.constant dense<3> : tensor<2xi32>
  %c = nn.constant dense<3> : tensor<2xi32>
  // CHECK-NEXT: return %bias7, %0
  return %b, %c : tensor<2xi32>, tensor<2xi32>
}

{-#
  dialect_resources: { builtin: { bias7: "0x040000000102030405060708" } }
#-}
