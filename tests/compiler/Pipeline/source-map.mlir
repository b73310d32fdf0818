// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module with the attribute records where tiles and commands come from: operations from the phase schedule on, tables
// and commands in the phase cmd. Without it, nothing is recorded.
// RUN: avocet-opt %s --avocet-compile="stop-after=schedule" --mlir-print-debuginfo | FileCheck %s --check-prefix=TILE
// RUN: avocet-opt %s --avocet-compile="stop-after=cmd" --mlir-print-debuginfo | FileCheck %s --check-prefix=COMMAND
// RUN: sed -e 's/, avocet.source_map//' %s | avocet-opt --avocet-compile="stop-after=cmd" --mlir-print-debuginfo | FileCheck %s --check-prefix=NONE

!x = !quant.uniform<i8:f32, 0.5:-3>
!w = !quant.uniform<i8:f32, 0.125>

// TILE: npu.tile_conv {{.*}} loc(#[[FIRST:loc[0-9]+]])
// TILE-DAG: #[[NAME:loc[0-9]+]] = loc("conv")
// TILE-DAG: #[[PLACED:loc[0-9]+]] = loc(fused<{operation = 0 : i64, result = tensor<4x4x2xi8>}>[#[[NAME]]])
// TILE-DAG: #[[FIRST]] = loc(fused<array<i32: 0, 0, 0, 1>>[#[[PLACED]]])

// COMMAND: cmd.program
// COMMAND: operations = [
// COMMAND-NEXT: {channels = 2 : i64, height = 4 : i64, name = "conv", width = 4 : i64},
// COMMAND-NEXT: {channels = 2 : i64, height = 4 : i64, layer = 1 : i64, name = "pool", width = 4 : i64}]
// COMMAND-SAME: plan = [
// COMMAND: operation = 0 : i64
// COMMAND: sources = [
// COMMAND-NEXT: {location = "conv"},
// COMMAND-NEXT: {layer = 1 : i64, location = "pool"}]
// COMMAND: cmd.conv {{.*}} loc(#[[CONV:loc[0-9]+]])
// COMMAND: #[[CONV]] = loc(fused<array<i32: {{[0-9]+}}, 0, 0, 0, 0>>

// NONE-NOT: operation = {{[0-9]}}
// NONE-NOT: fused<
module attributes {avocet.phase = "import", avocet.source_map} {
  func.func @main(%x: tensor<1x4x4x2x!x> {nn.name = "x"}) -> (tensor<1x4x4x2x!x> {nn.name = "y"}) {
    %w = nn.constant dense<1> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!w>
    %0 = nn.conv_2d %x, %w : (tensor<1x4x4x2x!x>, tensor<2x1x1x2x!w>) -> tensor<1x4x4x2x!x> loc("conv")
    %1 = nn.max_pool_2d %0 kernel [1, 1] : (tensor<1x4x4x2x!x>) -> tensor<1x4x4x2x!x> loc("pool")
    return %1 : tensor<1x4x4x2x!x>
  }
}
