// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --nn-recognize-operators | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators --nn-fuse-activation | FileCheck %s --check-prefix=FUSED
// RUN: avocet-opt %s --nn-recognize-operators --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] clamp | Category:fusion | Choice="one clamp instead of a minimum or a maximum, or of two clamps"
// REMARK-DAG: [Failure] clamp | Category:fusion | Reason="another operation reads the result of one of its steps"
// REMARK-DAG: [Failure] clamp | Category:fusion | Reason="its range and that of the clamp before it have nothing in common"
// REMARK-DAG: [Failure] clamp | Category:fusion | Reason="its result has another shape than its input"

!q = !quant.uniform<i8:f32, 0.5>

// CHECK-LABEL: func.func @clip(
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>
// CHECK-NEXT: %[[Y:.*]] = nn.clamp from -5.000000e-01 to 2.000000e+00 %[[X]]
// CHECK-NEXT: return %[[Y]]
func.func @clip(%x: tensor<4xf16>) -> tensor<4xf16> {
  %low = nn.constant dense<-0.5> : tensor<f16>
  %high = nn.constant dense<2.0> : tensor<1xf16>
  %0 = nn.minimum %high, %x : (tensor<1xf16>, tensor<4xf16>) -> tensor<4xf16>
  %1 = nn.maximum %0, %low : (tensor<4xf16>, tensor<f16>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// The activations of the graph formats come of it too.
// CHECK-LABEL: func.func @relu6(
// CHECK: nn.clamp relu6
// FUSED-LABEL: func.func @relu6(
// FUSED: %[[SUM:.*]] = nn.add {{.*}} activation relu6
// FUSED-NEXT: return %[[SUM]]
func.func @relu6(%x: tensor<4xf32>) -> tensor<4xf32> {
  %six = nn.constant dense<6.0> : tensor<f32>
  %0 = nn.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.clamp relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.minimum %1, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Two readers, no range in common, another shape, a computed bound, quantized numbers.
// CHECK-LABEL: func.func @others(
// CHECK: %[[FIRST:.*]] = nn.clamp to 1.000000e+00
// CHECK: nn.clamp relu %[[FIRST]]
// CHECK: nn.clamp from 3.000000e+00
// CHECK: nn.clamp relu_n1_to_1
// CHECK: nn.minimum
// CHECK: nn.maximum
// CHECK: nn.maximum
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>, %q: tensor<4x!q>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4x!q>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %three = nn.constant dense<3.0> : tensor<f32>
  %many = nn.constant dense<1.0> : tensor<2x1xf32>
  %0 = nn.minimum %x, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = nn.clamp relu %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.maximum %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.clamp relu_n1_to_1 %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.minimum %x, %many : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %5 = nn.maximum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = nn.constant dense<2> : tensor<1xi8> as tensor<1x!q>
  %8 = nn.maximum %q, %7 : (tensor<4x!q>, tensor<1x!q>) -> tensor<4x!q>
  return %0, %1, %3, %4, %5, %8 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>, tensor<4xf32>, tensor<4x!q>
}
