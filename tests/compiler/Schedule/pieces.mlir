// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256s --split-input-file | FileCheck %s
// RUN: avocet-opt %s --npu-schedule=target=e256s --npu-allocate=target=e256s --npu-verify-allocated=target=e256s --split-input-file | FileCheck %s

// One row that does not fit on chip runs in pieces, with two buffers for each operand. The next piece is loaded before
// the current one is stored.

// CHECK-LABEL: npu.program @line
// CHECK-DAG: %[[A:.*]] = npu.buffer input 524288
// CHECK-DAG: %[[B:.*]] = npu.buffer input 524288 {{.*}}index 1
// CHECK-DAG: %[[OUT:.*]] = npu.buffer output 524288
// CHECK: npu.dma %[[A]], %[[A0:[^ ]*]] {runBytes = 65536}
// CHECK: npu.dma %[[B]], %[[B0:[^ ]*]] {runBytes = 65536}
// CHECK: npu.dma %[[A]], %[[A1:[^ ]*]] {source = {offset = 65536}, runBytes = 65536}
// CHECK: npu.dma %[[B]], %[[B1:[^ ]*]] {source = {offset = 65536}, runBytes = 65536}
// CHECK: npu.tile_eltwise %[[A0]], %[[B0]], %[[R0:[^ ]*]] {{{.*}}inputA = {32x
// CHECK: npu.dma %[[A]], %[[A0]]
// CHECK: npu.dma %[[R0]], %[[OUT]] {runBytes = 65536}
// CHECK: npu.tile_eltwise %[[A1]], %[[B1]], %[[R1:[^ ]*]] {
func.func @line(%a: tensor<1x1x131072xf32>, %b: tensor<1x1x131072xf32>) -> tensor<1x1x131072xf32>
    attributes {npu.layers = [{name = "sum", op = "ADD"}]} {
  %0 = npu.eltwise %a, %b {clamp = {min = -8388608, max = 2139095040}} layer 0 : tensor<1x1x131072xf32>, tensor<1x1x131072xf32> -> tensor<1x1x131072xf32>
  return %0 : tensor<1x1x131072xf32>
}

// -----

// A transposition: columns are loaded in runs of one burst, and stored as rows.

// CHECK-LABEL: npu.program @transpose
// CHECK-DAG: %[[IN:.*]] = npu.buffer input 2097152
// CHECK-DAG: %[[OUT:.*]] = npu.buffer output 2097152
// CHECK: npu.dma %[[IN]], %[[X:[^ ]*]] {source = {stride0 = 4096}, destination = {stride0 = 128}, runBytes = 128, count0 = 512}
// CHECK: npu.tile_dsp %[[X]], %[[Y:[^ ]*]] {
// CHECK: npu.dma %[[Y]], %[[OUT]] {runBytes = 65536}
func.func @transpose(%in: tensor<1x512x1024xi32>) -> tensor<1x1024x512xi32> attributes {npu.layers = [{name = "t", op = "TRANSPOSE"}]} {
  %0 = npu.dsp "rearrange"(%in) parameters [0, 0, 0, 0, 0, 2, 1024, 1, 512, 512, 1024, 1] zero_points [0] -> [0] layer 0 : (tensor<1x512x1024xi32>) -> tensor<1x1024x512xi32>
  return %0 : tensor<1x1024x512xi32>
}

// -----

// A result that is a network output and is read again is spilled to scratch; the output is written as well.

// CHECK-LABEL: npu.program @readBack
// CHECK-DAG: %[[SCRATCH:.*]] = npu.buffer scratch 524288
// CHECK-DAG: %[[SUM:.*]] = npu.buffer output 524288 {{.*}}index 1
// CHECK: npu.dma %[[R:[^ ]*]], %[[SCRATCH]]
// CHECK: npu.dma %[[R]], %[[SUM]]
// CHECK: npu.dma %[[SCRATCH]], %{{.*}} {
func.func @readBack(%a: tensor<1x1x131072xf32>, %b: tensor<1x1x131072xf32>) -> (tensor<1x1x131072xf32>, tensor<1x1x131072xf32>)
    attributes {npu.layers = [{name = "sum", op = "ADD"}]} {
  %0 = npu.eltwise %a, %b {clamp = {min = -8388608, max = 2139095040}} layer 0 : tensor<1x1x131072xf32>, tensor<1x1x131072xf32> -> tensor<1x1x131072xf32>
  %1 = npu.eltwise %0, %b {clamp = {min = -8388608, max = 2139095040}} layer 0 : tensor<1x1x131072xf32>, tensor<1x1x131072xf32> -> tensor<1x1x131072xf32>
  return %1, %0 : tensor<1x1x131072xf32>, tensor<1x1x131072xf32>
}
