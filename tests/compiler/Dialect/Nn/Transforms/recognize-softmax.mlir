// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-recognize-operators | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] softmax | Category:fusion | Choice="one operation instead of maximum, exponentials and their sum"
// REMARK-DAG: [Passed] log_softmax | Category:fusion | Choice="one operation instead of maximum, exponentials and their sum"
// REMARK-DAG: [Passed] softmax | Category:fusion | Choice="it scales its input itself"
// REMARK-DAG: [Failure] softmax | Category:fusion | Reason="no maximum is subtracted, so that exponentials of large numbers overflow"
// REMARK-DAG: [Failure] softmax | Category:fusion | Reason="its maximum and its sum are along different axes"
// REMARK-DAG: [Failure] softmax | Category:fusion | Reason="another operation reads the result of one of its steps"
// REMARK-DAG: [Failure] softmax | Category:fusion | Reason="the steps of halves can be faster than one operation, which computes on floats"
// REMARK-DAG: [Failure] softmax | Category:fusion | Reason="each step rounds to a quantized number"
// REMARK-DAG: [Failure] softmax | Category:fusion | Reason="the factor before it is not positive and finite"

!q = !quant.uniform<i8:f32, 0.0625>
!p = !quant.uniform<i8:f32, 3.906250e-03:-128>

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.softmax %[[X]] axis 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.reduce max %x axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %1 = nn.sub %x, %0 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %2 = nn.unary exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.reduce sum %2 axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %4 = nn.div %2, %3 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// With a factor, dropped axes and a reciprocal, along the first axis.
// CHECK-LABEL: func.func @scaledColumns(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.softmax %[[X]] beta 5.000000e-01 axis 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @scaledColumns(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %half = nn.constant dense<0.5> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.reduce max %x axes [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %1 = nn.reshape %0 to [1, 3] : (tensor<3xf32>) -> tensor<1x3xf32>
  %2 = nn.sub %x, %1 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  %3 = nn.mul %2, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %4 = nn.unary exp %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = nn.reduce sum %4 axes [0] keep_dims : (tensor<2x3xf32>) -> tensor<1x3xf32>
  %6 = nn.div %one, %5 : (tensor<f32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  %7 = nn.mul %6, %4 : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %7 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @halves(
// CHECK-NOT: softmax
// CHECK: return
func.func @halves(%x: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = nn.reduce max %x axes [1] keep_dims : (tensor<2x3xf16>) -> tensor<2x1xf16>
  %1 = nn.sub %x, %0 : (tensor<2x3xf16>, tensor<2x1xf16>) -> tensor<2x3xf16>
  %2 = nn.unary exp %1 : (tensor<2x3xf16>) -> tensor<2x3xf16>
  %3 = nn.reduce sum %2 axes [1] keep_dims : (tensor<2x3xf16>) -> tensor<2x1xf16>
  %4 = nn.div %2, %3 : (tensor<2x3xf16>, tensor<2x1xf16>) -> tensor<2x3xf16>
  return %4 : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @logarithm(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.log_softmax %[[X]] axis 1
// CHECK-NEXT: return %[[Y]]
func.func @logarithm(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.reduce max %x axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %1 = nn.sub %x, %0 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %2 = nn.unary exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.reduce sum %2 axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %4 = nn.unary log %3 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %5 = nn.sub %1, %4 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @scores(
// CHECK: %[[S:.*]] = nn.batch_matmul
// CHECK-NEXT: %[[Y:.*]] = nn.softmax %[[S]] beta 2.500000e-01
// CHECK-NEXT: return %[[Y]]
func.func @scores(%q: tensor<2x3x4xf32>, %k: tensor<2x3x4xf32>) -> tensor<2x3x3xf32> {
  %two = nn.constant dense<2.0> : tensor<f32>
  %eighth = nn.constant dense<8.0> : tensor<f32>
  %0 = nn.batch_matmul %q, %k transpose_rhs : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
  %1 = nn.mul %0, %two : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3x3xf32>
  %2 = nn.div %1, %eighth : (tensor<2x3x3xf32>, tensor<f32>) -> tensor<2x3x3xf32>
  %3 = nn.softmax %2 : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %3 : tensor<2x3x3xf32>
}

// CHECK-LABEL: func.func @noMaximum(
// CHECK-NOT: softmax
// CHECK: return
func.func @noMaximum(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.unary exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.reduce sum %0 axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %2 = nn.div %0, %1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @otherAxis(
// CHECK-NOT: softmax
// CHECK: return
func.func @otherAxis(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = nn.reduce max %x axes [0] keep_dims : (tensor<3x3xf32>) -> tensor<1x3xf32>
  %1 = nn.sub %x, %0 : (tensor<3x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %2 = nn.unary exp %1 : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = nn.reduce sum %2 axes [1] keep_dims : (tensor<3x3xf32>) -> tensor<3x1xf32>
  %4 = nn.div %2, %3 : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  return %4 : tensor<3x3xf32>
}

// The sums of columns, without their axis, broadcast along the rows.
// CHECK-LABEL: func.func @transposedSum(
// CHECK-NOT: softmax
// CHECK: return
func.func @transposedSum(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = nn.reduce max %x axes [1] keep_dims : (tensor<3x3xf32>) -> tensor<3x1xf32>
  %1 = nn.sub %x, %0 : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %2 = nn.unary exp %1 : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = nn.reduce sum %2 axes [1] : (tensor<3x3xf32>) -> tensor<3xf32>
  %4 = nn.div %2, %3 : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return %4 : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @otherReader(
// CHECK-NOT: softmax
// CHECK: return
func.func @otherReader(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>) {
  %0 = nn.reduce max %x axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %1 = nn.sub %x, %0 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %2 = nn.unary exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.reduce sum %2 axes [1] keep_dims : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %4 = nn.div %2, %3 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %3, %4 : tensor<2x1xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @otherFactors(
// CHECK: nn.mul
// CHECK: nn.softmax %{{.*}} : (tensor<2x3xf32>)
// CHECK: nn.mul
// CHECK: nn.softmax %{{.*}} : (tensor<2x3x!
func.func @otherFactors(%x: tensor<2x3xf32>, %y: tensor<2x3x!q>) -> (tensor<2x3xf32>, tensor<2x3x!p>) {
  %minus = nn.constant dense<-2.0> : tensor<f32>
  %half = nn.constant dense<8> : tensor<i8> as tensor<!q>
  %0 = nn.mul %x, %minus : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = nn.softmax %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.mul %y, %half : (tensor<2x3x!q>, tensor<!q>) -> tensor<2x3x!q>
  %3 = nn.softmax %2 : (tensor<2x3x!q>) -> tensor<2x3x!p>
  return %1, %3 : tensor<2x3xf32>, tensor<2x3x!p>
}
