// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all families share; their forms are in recognize-*.mlir. A recognized operator has the name of its last step,
// the names of all steps, and a kind of its own. What is left changes no more.
// RUN: avocet-opt %s --nn-recognize-operators --mlir-print-debuginfo | FileCheck %s
// RUN: avocet-opt %s --nn-recognize-operators > %t.once
// RUN: avocet-opt %t.once --nn-recognize-operators | diff %t.once -

// A rectifier, whose relu would otherwise become the activation of the convolution, and a batch normalization before it.
// CHECK-LABEL: func.func @main
// CHECK: nn.conv_2d {{.*}} loc(#[[LAYER:.*]])
// CHECK-NEXT: nn.unary leaky_relu {{.*}} loc(#[[RECTIFIER:.*]])
// CHECK-NEXT: return
func.func @main(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> {
  %w = nn.constant dense<1.0> : tensor<2x1x1x2xf32>
  %scale = nn.constant dense<[2.0, 0.5]> : tensor<2xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %slope = nn.constant dense<0.25> : tensor<f32>
  %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2xf32>, tensor<2x1x1x2xf32>) -> tensor<1x4x4x2xf32> loc("conv")
  %1 = nn.mul %0, %scale : (tensor<1x4x4x2xf32>, tensor<2xf32>) -> tensor<1x4x4x2xf32> loc("scale")
  %2 = nn.clamp relu %1 : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("relu")
  %3 = nn.minimum %1, %zero : (tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<1x4x4x2xf32> loc("minimum")
  %4 = nn.mul %3, %slope : (tensor<1x4x4x2xf32>, tensor<f32>) -> tensor<1x4x4x2xf32> loc("product")
  %5 = nn.add %2, %4 : (tensor<1x4x4x2xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("sum")
  return %5 : tensor<1x4x4x2xf32>
}

// CHECK-DAG: #[[CONV:.*]] = loc("conv")
// CHECK-DAG: #[[SCALE:.*]] = loc("scale")
// CHECK-DAG: #[[RELU:.*]] = loc("relu")
// CHECK-DAG: #[[MINIMUM:.*]] = loc("minimum")
// CHECK-DAG: #[[PRODUCT:.*]] = loc("product")
// CHECK-DAG: #[[SUM:.*]] = loc("sum")
// CHECK-DAG: #[[LAYER]] = loc(fused<"scale">[#[[CONV]], #[[SCALE]]])
// CHECK-DAG: #[[ONE:.*]] = loc(fused[#[[SUM]], #[[RELU]]])
// CHECK-DAG: #[[TWO:.*]] = loc(fused[#[[ONE]], #[[PRODUCT]]])
// CHECK-DAG: #[[THREE:.*]] = loc(fused[#[[TWO]], #[[MINIMUM]]])
// CHECK-DAG: #[[RECTIFIER]] = loc(fused<{kind = "PRELU"}>[#[[THREE]]])
