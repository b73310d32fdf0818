// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-recognize-operators | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] square | Category:fusion | Choice="a square instead of a product or a power"
// REMARK-DAG: [Failure] square | Category:fusion | Reason="its exponent is not 2"
// REMARK-DAG: [Failure] square | Category:fusion | Reason="its result is clamped"
// REMARK-DAG: [Failure] square | Category:fusion | Reason="its infinities are clamped, since not only sums of floats read it"
// REMARK-DAG: [Failure] square | Category:fusion | Reason="it is no square of floats"

!q = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @product(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary square %[[X]]
// CHECK-NEXT: nn.mean %[[Y]]
// CHECK-NEXT: nn.reduce sum %[[Y]]
func.func @product(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %0 = nn.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mean %0 axes [0] keep_dims : (tensor<4xf32>) -> tensor<1xf32>
  %2 = nn.reduce sum %0 axes [0] keep_dims : (tensor<4xf32>) -> tensor<1xf32>
  return %1, %2 : tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @power(
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
// CHECK-NEXT: %[[Y:.*]] = nn.unary square %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @power(%x: tensor<4xf16>) -> tensor<4xf16> {
  %two = nn.constant dense<2.0> : tensor<f16>
  %0 = nn.pow %x, %two : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @others(
// CHECK-NOT: square
// CHECK: return
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>, %h: tensor<4xf16>, %q: tensor<4x!q>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf16>, tensor<4x!q>) {
  %three = nn.constant dense<3.0> : tensor<f32>
  %0 = nn.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.pow %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.mul %x, %x activation relu6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.mul %h, %h : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %6 = nn.mean %5 axes [0] keep_dims : (tensor<4xf16>) -> tensor<1xf16>
  %7 = nn.mul %q, %q : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!q>
  return %0, %1, %2, %3, %4, %6, %7
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf16>, tensor<4x!q>
}
