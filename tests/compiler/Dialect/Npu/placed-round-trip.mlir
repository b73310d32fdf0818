// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --mlir-print-op-generic | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --npu-verify-placed | FileCheck %s

// A layer with a long name has a line of its own.
// CHECK: #layer = {name = "a layer with a long name", op = "CONV_2D"}
// CHECK-LABEL: func.func @main
// CHECK-SAME: npu.layers = [#layer, {name = "b", op = "ADD"}]
func.func @main(%in: tensor<5x4x8xi8>, %f: tensor<1x1x4xf32>) -> (tensor<1x1x320xi8>, tensor<1x1x4xf32>)
    attributes {npu.layers = [{name = "a layer with a long name", op = "CONV_2D"}, {name = "b", op = "ADD"}]} {
  // CHECK: npu.constant dense<1> : tensor<1152xi8> : tensor<1152xi8>
  %w = npu.constant dense<1> : tensor<1152xi8> : tensor<1152xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %t = npu.constant dense<0> : tensor<256xi8> : tensor<256xi8>
  // CHECK: npu.conv %{{.*}}, %{{.*}}, %{{.*}} {input = {zeroPoint = 3}, window = {kernelHeight = 3, kernelWidth = 3, padTop = 1, padLeft = 1}, clamp = {min = -128, max = 127}} pad_bottom 1 pad_right 1 layer 0 :
  %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}, input = {zeroPoint = 3}, window = {kernelHeight = 3, kernelWidth = 3, padTop = 1, padLeft = 1}} pad_bottom 1 pad_right 1 layer 0 : tensor<5x4x8xi8>, tensor<1152xi8>, tensor<192xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.pool %{{[0-9]+}} {kind = average} layer 0 :
  %1 = npu.pool %0 {kind = average} layer 0 : tensor<5x4x16xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.eltwise %{{[0-9]+}}, %{{[0-9]+}} {leftShift = 20} layer 1 :
  %2 = npu.eltwise %0, %1 {leftShift = 20} layer 1 : tensor<5x4x16xi8>, tensor<5x4x16xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.lookup %{{[0-9]+}}, %{{[0-9]+}} {} layer 1 :
  %3 = npu.lookup %2, %t {} layer 1 : tensor<5x4x16xi8>, tensor<256xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.view
  %4 = npu.view %3 : tensor<5x4x16xi8> -> tensor<1x1x320xi8>
  // CHECK: npu.dsp "softmax"(%{{.*}}) parameters [0, 0, 0, 1065353216, 0, 0, 0] zero_points [0] -> [0] layer 1 :
  %5 = npu.dsp "softmax"(%f) parameters [0, 0, 0, 1065353216, 0, 0, 0] zero_points [0] -> [0] layer 1 : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  // CHECK: npu.dsp "rearrange"(%{{.*}}) zero_points [3] -> [4] fills [-1] row_wise layer 1 :
  %6 = npu.dsp "rearrange"(%2) zero_points [3] -> [4] fills [-1] row_wise layer 1 : (tensor<5x4x16xi8>) -> tensor<5x4x16xi8>
  // An addend without address, as in all placed commands.
  // CHECK: npu.conv %{{.*}}, %{{.*}}, %{{.*}} add %{{.*}} {window = {kernelHeight = 3, kernelWidth = 3, padTop = 1, padLeft = 1}, residual = {addend = {address = none, zeroPoint = 5}, leftShift = 20}} pad_bottom 1 pad_right 1 layer 0 :
  %7 = npu.conv %in, %w, %r add %0 {window = {kernelHeight = 3, kernelWidth = 3, padTop = 1, padLeft = 1}, residual = {addend = {address = none, zeroPoint = 5}, leftShift = 20}} pad_bottom 1 pad_right 1 layer 0 : tensor<5x4x8xi8>, tensor<1152xi8>, tensor<192xi8> add tensor<5x4x16xi8> -> tensor<5x4x16xi8>
  return %4, %5 : tensor<1x1x320xi8>, tensor<1x1x4xf32>
}
