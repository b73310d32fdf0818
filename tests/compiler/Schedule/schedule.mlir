// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256 | FileCheck %s
// RUN: avocet-opt %s --npu-schedule=target=e256 | avocet-opt --npu-verify-scheduled | FileCheck %s

// Input and constants are loaded, one tile computes, the result is stored; the layer table keeps its figures and gets an engine.

// CHECK-LABEL: npu.program @main
// CHECK-SAME: layers = [{engine = "mac", inputBytes = 128 : i64, macs = 2048 : i64, name = "conv1", op = "CONV_2D", outputBytes = 256 : i64}]
// CHECK-DAG: %[[IN:.*]] = npu.buffer input 128
// CHECK-DAG: %[[OUT:.*]] = npu.buffer output 256
// CHECK-DAG: npu.buffer constants 320 {{.*}}contents [dense<0> : tensor<192xi8> [0+192], dense<1> : tensor<128xi8> [0+128]]
// CHECK: npu.tile_conv
// CHECK: npu.dma %{{.*}}, %[[OUT]]
func.func @main(%in: tensor<4x4x8xi8> {nn.name = "image"}) -> tensor<4x4x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D", macs = 2048 : i64}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}, input = {zeroPoint = 3}} layer 0 : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}
