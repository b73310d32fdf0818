// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-recognize-operators | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] hard_swish | Category:fusion | Choice="one function instead of the operations that it was made of"
// REMARK-DAG: [Passed] gelu | Category:fusion | Choice="one function instead of the operations that it was made of"
// REMARK-DAG: [Passed] logistic | Category:fusion | Choice="a logistic function instead of exponential, sum and quotient"
// REMARK-DAG: [Passed] swish | Category:fusion | Choice="one function instead of the operations that it was made of"
// REMARK-DAG: [Passed] hard_sigmoid | Category:fusion | Choice="one function instead of the operations that it was made of"
// REMARK-DAG: [Failure] hard_sigmoid | Category:fusion | Reason="the constant beside the value is not 3"
// REMARK-DAG: [Failure] hard_swish | Category:fusion | Reason="its constants are not 3 and 1/6"
// REMARK-DAG: [Failure] hard_swish | Category:fusion | Reason="another operation reads the result of one of its steps"
// REMARK-DAG: [Failure] hard_swish | Category:fusion | Reason="each step rounds to a quantized number"
// REMARK-DAG: [Failure] gelu | Category:fusion | Reason="the argument of its tangent or error function is another one"
// REMARK-DAG: [Failure] logistic | Category:fusion | Reason="the constant beside its exponential is not 1"

!t = !quant.uniform<i8:f32, 0.0625>

// CHECK-LABEL: func.func @hardSwish(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary hard_swish %[[X]]
// CHECK-NEXT: %[[Z:.*]] = nn.unary hard_swish %[[Y]]
// CHECK-NEXT: return %[[Z]]
func.func @hardSwish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = nn.constant dense<3.0> : tensor<f32>
  %sixth = nn.constant dense<0.16666667> : tensor<f32>
  %six = nn.constant dense<6.0> : tensor<f32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.add %x, %three activation relu6 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %1, %sixth : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.add %three, %2 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.maximum %3, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = nn.minimum %4, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = nn.div %5, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = nn.mul %6, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// CHECK-LABEL: func.func @hardSigmoidTimes(
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
// CHECK-NEXT: %[[Y:.*]] = nn.unary hard_swish %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @hardSigmoidTimes(%x: tensor<4xf16>) -> tensor<4xf16> {
  %half = nn.constant dense<0.5> : tensor<f16>
  %sixth = nn.constant dense<0.166626> : tensor<f16>
  %0 = nn.mul %sixth, %x : (tensor<f16>, tensor<4xf16>) -> tensor<4xf16>
  %1 = nn.add %0, %half : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  %2 = nn.clamp relu_0_to_1 %1 : (tensor<4xf16>) -> tensor<4xf16>
  %3 = nn.mul %2, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %3 : tensor<4xf16>
}

// CHECK-LABEL: func.func @notHardSwish(
// CHECK-NOT: hard_swish
// CHECK: return
func.func @notHardSwish(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %three = nn.constant dense<3.0> : tensor<f32>
  %sixth = nn.constant dense<0.16666667> : tensor<f32>
  %fifth = nn.constant dense<0.2> : tensor<f32>
  %0 = nn.add %x, %three activation relu6 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.mul %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %1, %fifth : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.add %x, %three activation relu6 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = nn.mul %x, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.mul %4, %sixth : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // A hard sigmoid of another constant.
  %6 = nn.add %x, %fifth activation relu6 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = nn.mul %6, %sixth : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2, %3, %5, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @hardSigmoids(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = nn.unary hard_sigmoid %[[X]] alpha 0.166666672
// CHECK-NEXT: %[[B:.*]] = nn.unary hard_sigmoid %[[X]] alpha 2.000000e-01
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @hardSigmoids(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %three = nn.constant dense<3.0> : tensor<f32>
  %six = nn.constant dense<6.0> : tensor<f32>
  %fifth = nn.constant dense<0.2> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.add %x, %three activation relu6 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.div %0, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.mul %x, %fifth : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.add %half, %2 activation relu : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.minimum %3, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %1, %4 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @swish(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[A:.*]] = nn.unary swish %[[X]]
// CHECK-NEXT: %[[B:.*]] = nn.logistic %[[Y]]
// CHECK-NEXT: %[[C:.*]] = nn.mul %[[A]], %[[B]]
// CHECK-NEXT: return %[[C]]
func.func @swish(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.logistic %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mul %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.logistic %y : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.mul %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @quantizedHardSwish(
// CHECK-NOT: hard_swish
// CHECK: return
func.func @quantizedHardSwish(%x: tensor<4x!t>) -> tensor<4x!t> {
  %three = nn.constant dense<48> : tensor<i8> as tensor<!t>
  %sixth = nn.constant dense<85> : tensor<i8> as tensor<!quant.uniform<i8:f32, 0.00196078>>
  %0 = nn.add %x, %three activation relu6 : (tensor<4x!t>, tensor<!t>) -> tensor<4x!t>
  %1 = nn.mul %x, %0 : (tensor<4x!t>, tensor<4x!t>) -> tensor<4x!t>
  %2 = nn.mul %1, %sixth : (tensor<4x!t>, tensor<!quant.uniform<i8:f32, 0.00196078>>) -> tensor<4x!t>
  return %2 : tensor<4x!t>
}

// CHECK-LABEL: func.func @geluOfErrorFunction(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary gelu %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @geluOfErrorFunction(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = nn.constant dense<1.41421356> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.div %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.unary erf %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.add %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.mul %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.mul %3, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary gelu_tanh %[[X]]
// CHECK-NEXT: %[[Z:.*]] = nn.unary gelu_tanh %[[Y]]
// CHECK-NEXT: return %[[Z]]
func.func @gelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = nn.constant dense<3.0> : tensor<f32>
  %cubic = nn.constant dense<0.044715> : tensor<f32>
  %root = nn.constant dense<0.7978846> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.mul %0, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.add %x, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.mul %2, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = nn.tanh %3 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.add %4, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = nn.mul %5, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = nn.mul %x, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // The same, with x taken out of the sum, and products in another order.
  %8 = nn.mul %7, %7 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = nn.mul %cubic, %8 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %10 = nn.add %9, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %11 = nn.mul %7, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %12 = nn.mul %11, %10 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %13 = nn.tanh %12 : (tensor<4xf32>) -> tensor<4xf32>
  %14 = nn.add %one, %13 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %15 = nn.mul %half, %7 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %16 = nn.mul %15, %14 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %16 : tensor<4xf32>
}

// CHECK-LABEL: func.func @notGelu(
// CHECK-NOT: gelu
// CHECK: return
func.func @notGelu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.add %0, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.mul %x, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.mul %2, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @logistic(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[L:.*]] = nn.logistic %[[X]]
// CHECK-NEXT: %[[S:.*]] = nn.unary swish %[[Y]]
// CHECK-NEXT: return %[[L]], %[[S]]
func.func @logistic(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.unary neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.unary exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.add %1, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.div %one, %2 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.unary neg %y : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.unary exp %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.add %one, %5 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = nn.div %y, %6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3, %7 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @notLogistic(
// CHECK-NOT: logistic
// CHECK: return
func.func @notLogistic(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %two = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.unary neg %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.unary exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.add %1, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.div %one, %2 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
