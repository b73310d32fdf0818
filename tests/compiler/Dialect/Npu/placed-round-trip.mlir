// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --mlir-print-op-generic | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --npu-verify-placed | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%in: tensor<5x4x8xi8>, %f: tensor<1x1x4xf32>) -> (tensor<1x1x320xi8>, tensor<1x1x4xf32>)
    attributes {npu.layers = [{name = "a"}, {name = "b"}]} {
  // CHECK: npu.constant dense<1> : tensor<1152xi8> : tensor<1152xi8>
  %w = npu.constant dense<1> : tensor<1152xi8> : tensor<1152xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %t = npu.constant dense<0> : tensor<256xi8> : tensor<256xi8>
  // CHECK: npu.conv %{{.*}}, %{{.*}}, %{{.*}} <{command = {clamp = {max = 127 : i64, min = -128 : i64}, input = {zeroPoint = 3 : i64}, window = {kernelHeight = 3 : i64, kernelWidth = 3 : i64, padLeft = 1 : i64, padTop = 1 : i64}}, layer = 0 : i32, padBottom = 1 : i32, padRight = 1 : i32}>
  %0 = npu.conv %in, %w, %r <{command = {clamp = {min = -128, max = 127}, input = {zeroPoint = 3}, window = {kernelHeight = 3, kernelWidth = 3, padTop = 1, padLeft = 1}}, padBottom = 1 : i32, padRight = 1 : i32, layer = 0 : i32}> : tensor<5x4x8xi8>, tensor<1152xi8>, tensor<192xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.pool {{.*}} <{command = {kind = "average"}, layer = 0 : i32}>
  %1 = npu.pool %0 <{command = {kind = "average"}, layer = 0 : i32}> : tensor<5x4x16xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.eltwise
  %2 = npu.eltwise %0, %1 <{command = {leftShift = 20}, layer = 1 : i32}> : tensor<5x4x16xi8>, tensor<5x4x16xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.lookup
  %3 = npu.lookup %2, %t <{command = {}, layer = 1 : i32}> : tensor<5x4x16xi8>, tensor<256xi8> -> tensor<5x4x16xi8>
  // CHECK: npu.view
  %4 = npu.view %3 : tensor<5x4x16xi8> -> tensor<1x1x320xi8>
  // CHECK: npu.dsp "softmax"(%{{.*}}) <{
  %5 = npu.dsp "softmax"(%f) <{parameters = array<i32: 0, 0, 0, 1065353216>, inputZeroPoints = array<i32: 0>, outputZeroPoints = array<i32: 0>, layer = 1 : i32}> : (tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  return %4, %5 : tensor<1x1x320xi8>, tensor<1x1x4xf32>
}
