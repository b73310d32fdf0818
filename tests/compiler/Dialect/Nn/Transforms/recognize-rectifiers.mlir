// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-recognize-operators | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | grep -c "add up to 1" | FileCheck %s --check-prefix=ONCE

// Of @otherSlopes alone, and not of the difference in @absolute.
// ONCE: {{^1$}}

// REMARK-DAG: [Passed] prelu | Category:fusion | Choice="one rectifier with a slope instead of the operations that it was made of"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="another operation reads the result of one of its steps"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="its two parts are of different values"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="its slope is computed"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="its slope is not finite"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="its slope is not above 0 and at most 1"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="its slope is below 1"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="its result is clamped"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="the factors of the value and of its magnitude do not add up to 1"
// REMARK-DAG: [Failure] prelu | Category:fusion | Reason="each step rounds to a quantized number"

!q = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @differenceOfRelus(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x2x2xf32>
// CHECK: %[[SLOPE:.*]] = nn.constant dense<[1.000000e-01, 2.000000e-01]>
// CHECK-NEXT: %[[Y:.*]] = nn.prelu %[[X]], %[[SLOPE]]
// CHECK-NEXT: return %[[Y]]
func.func @differenceOfRelus(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %slope = nn.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %0 = nn.clamp relu %x : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %1 = nn.unary neg %x : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %2 = nn.clamp relu %1 : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %3 = nn.mul %slope, %2 : (tensor<2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %4 = nn.sub %0, %3 : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %4 : tensor<1x2x2x2xf32>
}

// The constant holds the negative slope, so that another one is made.
// CHECK-LABEL: func.func @sumOfRelus(
// CHECK-SAME: %[[X:.*]]: tensor<1x2x2x2xf32>
// CHECK: %[[SLOPE:.*]] = nn.constant dense_resource<[[DATA:.*]]> : tensor<2xf32>
// CHECK: nn.prelu %[[X]], %[[SLOPE]]
func.func @sumOfRelus(%x: tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %slope = nn.constant dense<[-0.1, -0.2]> : tensor<2xf32>
  %0 = nn.clamp relu %x : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %minus = nn.constant dense<-1.0> : tensor<f32>
  %1 = nn.mul %x, %minus activation relu : (tensor<1x2x2x2xf32>, tensor<f32>) -> tensor<1x2x2x2xf32>
  %2 = nn.mul %1, %slope : (tensor<1x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32>
  %3 = nn.add %2, %0 : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %3 : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: func.func @negatedRelu(
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
// CHECK-NEXT: %[[Y:.*]] = nn.unary leaky_relu %[[X]] alpha 0.0999755859 : (tensor<4xf16>)
// CHECK-NEXT: return %[[Y]]
func.func @negatedRelu(%x: tensor<4xf16>) -> tensor<4xf16> {
  %slope = nn.constant dense<0.1> : tensor<4xf16>
  %0 = nn.clamp relu %x : (tensor<4xf16>) -> tensor<4xf16>
  %1 = nn.unary neg %x : (tensor<4xf16>) -> tensor<4xf16>
  %2 = nn.clamp relu %1 : (tensor<4xf16>) -> tensor<4xf16>
  %3 = nn.unary neg %2 : (tensor<4xf16>) -> tensor<4xf16>
  %4 = nn.mul %3, %slope : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %5 = nn.add %0, %4 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %5 : tensor<4xf16>
}

// CHECK-LABEL: func.func @differenceToZero(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary leaky_relu %[[X]] alpha 3.000000e-01
// CHECK-NEXT: return %[[Y]]
func.func @differenceToZero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %slope = nn.constant dense<-0.3> : tensor<f32>
  %0 = nn.clamp relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.sub %zero, %x activation relu : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %1, %slope : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.add %0, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @absolute(
// CHECK: nn.prelu %{{.*}}, %{{.*}} : (tensor<3x2xf32>, tensor<2xf32>)
// CHECK-NEXT: return
func.func @absolute(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %slope = nn.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %half = nn.constant dense<0.5> : tensor<1xf32>
  %0 = nn.clamp relu %x : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %1 = nn.unary abs %x : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = nn.sub %x, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = nn.mul %slope, %2 : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = nn.mul %3, %half : (tensor<3x2xf32>, tensor<1xf32>) -> tensor<3x2xf32>
  %5 = nn.add %0, %4 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %5 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @extrema(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary leaky_relu %[[X]] alpha 3.000000e-01
// CHECK-NEXT: return %[[Y]]
func.func @extrema(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %slope = nn.constant dense<0.3> : tensor<f32>
  %0 = nn.maximum %zero, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.minimum %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.mul %1, %slope : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.add %0, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @leaky(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary leaky_relu %[[X]] alpha 3.000000e-01
// CHECK-NEXT: %[[Z:.*]] = nn.unary leaky_relu %[[Y]] alpha 3.000000e+00
// CHECK-NEXT: return %[[Z]]
func.func @leaky(%x: tensor<4xf32>) -> tensor<4xf32> {
  %slope = nn.constant dense<0.3> : tensor<f32>
  %steep = nn.constant dense<3.0> : tensor<f32>
  %0 = nn.mul %x, %slope : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.maximum %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %steep, %1 : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.minimum %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @selected(
// CHECK-SAME: %[[X:.*]]: tensor<3x2xf32>
// CHECK: %[[Y:.*]] = nn.prelu %[[X]]
// CHECK-NEXT: %[[Z:.*]] = nn.unary leaky_relu %[[Y]] alpha -2.000000e+00
// CHECK-NEXT: return %[[Z]]
func.func @selected(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %slope = nn.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %steep = nn.constant dense<-2.0> : tensor<f32>
  %0 = nn.compare greater %x, %zero : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xi1>
  %1 = nn.mul %x, %slope : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %2 = nn.select %0, %x, %1 : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = nn.compare greater_equal %zero, %2 : (tensor<f32>, tensor<3x2xf32>) -> tensor<3x2xi1>
  %4 = nn.mul %2, %steep : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %5 = nn.select %3, %4, %2 : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %5 : tensor<3x2xf32>
}

// CHECK-LABEL: func.func @magnitude(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[Y:.*]] = nn.unary leaky_relu %[[X]] alpha 2.500000e-01
// CHECK-NEXT: return %[[Y]]
func.func @magnitude(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = nn.constant dense<0.625> : tensor<f32>
  %b = nn.constant dense<0.375> : tensor<f32>
  %0 = nn.unary abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mul %0, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.mul %a, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @otherSlopes(
// CHECK-NOT: leaky_relu
// CHECK: return
func.func @otherSlopes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = nn.constant dense<0.75> : tensor<f32>
  %b = nn.constant dense<0.375> : tensor<f32>
  %0 = nn.unary abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mul %0, %b : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.mul %a, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.add %1, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @otherReader(
// CHECK-NOT: leaky_relu
// CHECK: return
func.func @otherReader(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %slope = nn.constant dense<0.3> : tensor<f32>
  %0 = nn.mul %x, %slope : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.maximum %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @otherConstants(
// CHECK-NOT: leaky_relu
// CHECK: return
func.func @otherConstants(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %none = nn.constant dense<0.0> : tensor<f32>
  %flat = nn.constant dense<0.5> : tensor<f32>
  %infinite = nn.constant dense<0x7F800000> : tensor<f32>
  %0 = nn.mul %x, %none : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.maximum %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.mul %x, %flat : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.minimum %x, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.mul %x, %infinite : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = nn.minimum %x, %4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @otherValues(
// CHECK-NOT: prelu
// CHECK-NOT: leaky_relu
// CHECK: return
func.func @otherValues(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.clamp relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.minimum %y, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.clamp relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.minimum %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = nn.mul %4, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.add %3, %5 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2, %6 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @clamped(
// CHECK: nn.add {{.*}} activation relu6
func.func @clamped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.clamp relu %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.minimum %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.add %0, %1 activation relu6 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @quantized(
// CHECK: nn.mul
// CHECK: nn.maximum
func.func @quantized(%x: tensor<4x!q>) -> tensor<4x!q> {
  %slope = nn.constant dense<1> : tensor<1xi8> as tensor<1x!q>
  %0 = nn.mul %x, %slope : (tensor<4x!q>, tensor<1x!q>) -> tensor<4x!q>
  %1 = nn.maximum %x, %0 : (tensor<4x!q>, tensor<4x!q>) -> tensor<4x!q>
  return %1 : tensor<4x!q>
}

// CHECK-LABEL: func.func @integers(
// CHECK: nn.maximum
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %slope = nn.constant dense<1> : tensor<1xi32>
  %0 = nn.mul %x, %slope : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
  %1 = nn.maximum %x, %0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
