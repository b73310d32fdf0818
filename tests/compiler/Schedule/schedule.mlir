// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256 | FileCheck %s --check-prefix=SCHEDULE
// RUN: avocet-opt %s --npu-schedule=target=e256 | avocet-opt --npu-verify-scheduled | FileCheck %s --check-prefix=SCHEDULE
// RUN: avocet-opt %s --npu-schedule=target=e256 --npu-allocate=target=e256 --npu-verify-allocated=target=e256 | FileCheck %s --check-prefix=ALLOCATE

// Input and constants are loaded, one tile computes, the result is stored; the layer table has the roofline cycles.

// SCHEDULE-LABEL: npu.program @main
// SCHEDULE-SAME: engine = "mac"
// SCHEDULE-SAME: macs = 2048 : i64
// SCHEDULE-SAME: name = "conv1"
// SCHEDULE-DAG: %[[IN:.*]] = npu.buffer input 128
// SCHEDULE-DAG: %[[OUT:.*]] = npu.buffer output 256
// SCHEDULE-DAG: npu.buffer constants 320 {contents = [#npu.segment<{{.*}}size = 192, offset = 0>, #npu.segment<{{.*}}size = 128, offset = 192>]
// SCHEDULE: npu.tile_conv
// SCHEDULE: npu.dma %{{.*}}, %[[OUT]]

// ALLOCATE-LABEL: npu.program @main
// ALLOCATE-SAME: constantsBytes = 320 : i64
// ALLOCATE-SAME: scratchBytes = 0 : i64
// ALLOCATE-NOT: proposal
// ALLOCATE: npu.buffer {{.*}}address =
func.func @main(%in: tensor<4x4x8xi8> {nn.name = "image"}) -> tensor<4x4x16xi8>
    attributes {npu.layers = [{name = "conv1", op = "CONV_2D"}]} {
  %w = npu.constant dense<1> : tensor<128xi8> : tensor<128xi8>
  %r = npu.constant dense<0> : tensor<192xi8> : tensor<192xi8>
  %0 = npu.conv %in, %w, %r <{command = {clamp = {min = -128, max = 127}, input = {zeroPoint = 3}}, layer = 0 : i32}> : tensor<4x4x8xi8>, tensor<128xi8>, tensor<192xi8> -> tensor<4x4x16xi8>
  return %0 : tensor<4x4x16xi8>
}
