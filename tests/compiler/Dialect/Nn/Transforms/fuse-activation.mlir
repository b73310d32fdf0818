// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-fuse-activation))" | FileCheck %s
// RUN: avocet-opt %s --pass-pipeline="builtin.module(func.func(nn-fuse-activation))" --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-DAG: [Passed] activation | Category:fusion | Choice="the operation before it clamps its result itself"
// REMARK-DAG: [Failure] activation | Category:fusion | Reason="its input has another reader"
// REMARK-DAG: [Failure] activation | Category:fusion | Reason="the element type changes"
// REMARK-DAG: [Failure] activation | Category:fusion | Reason="its range and that of the operation before it are apart"

!x = !quant.uniform<i8:f32, 0.5>
!y = !quant.uniform<i8:f32, 0.25>

// CHECK-LABEL: func.func @fused(
func.func @fused(%x: tensor<4x!x>) -> tensor<4x!y> {
  // CHECK: %[[R:.*]] = nn.add %{{.*}}, %{{.*}} activation relu6 :
  // CHECK-NEXT: return %[[R]]
  %0 = nn.add %x, %x : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!y>
  %1 = nn.clamp relu6 %0 : (tensor<4x!y>) -> tensor<4x!y>
  return %1 : tensor<4x!y>
}

// CHECK-LABEL: func.func @otherUse(
func.func @otherUse(%x: tensor<4x!x>) -> (tensor<4x!x>, tensor<4x!x>) {
  // CHECK: nn.add %{{.*}}, %{{.*}} :
  // CHECK: nn.clamp
  %0 = nn.add %x, %x : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!x>
  %1 = nn.clamp relu %0 : (tensor<4x!x>) -> tensor<4x!x>
  return %0, %1 : tensor<4x!x>, tensor<4x!x>
}

// CHECK-LABEL: func.func @otherScale(
func.func @otherScale(%x: tensor<4x!x>) -> tensor<4x!y> {
  // CHECK: nn.clamp
  %0 = nn.add %x, %x : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!x>
  %1 = nn.clamp relu %0 : (tensor<4x!x>) -> tensor<4x!y>
  return %1 : tensor<4x!y>
}

// CHECK-LABEL: func.func @rangesApart(
func.func @rangesApart(%x: tensor<4x!x>) -> tensor<4x!x> {
  // CHECK: nn.add {{.*}} activation relu :
  // CHECK: nn.clamp to -1.000000e+00
  %0 = nn.add %x, %x activation relu : (tensor<4x!x>, tensor<4x!x>) -> tensor<4x!x>
  %1 = nn.clamp to -1.0 %0 : (tensor<4x!x>) -> tensor<4x!x>
  return %1 : tensor<4x!x>
}

// CHECK-LABEL: func.func @activatedAlready(
func.func @activatedAlready(%x: tensor<1x2x2x4xf32>) -> tensor<1x1x1x4xf32> {
  // CHECK: %[[R:.*]] = nn.max_pool_2d {{.*}} activation relu_0_to_1 :
  // CHECK-NEXT: return %[[R]]
  %0 = nn.max_pool_2d %x kernel [2, 2] activation relu6 : (tensor<1x2x2x4xf32>) -> tensor<1x1x1x4xf32>
  %1 = nn.clamp relu_n1_to_1 %0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
  return %1 : tensor<1x1x1x4xf32>
}
