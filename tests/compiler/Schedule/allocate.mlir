// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-allocate=target=e256 --npu-verify-allocated=target=e256 --split-input-file | FileCheck %s

// Valid proposals become the addresses, and a buffer without uses is removed.
// CHECK-LABEL: npu.program @proposed
// CHECK-SAME: constantsBytes = 0 : i64
// CHECK-SAME: scratchBytes = 0 : i64, sramBytes = 72 : i64
// CHECK-NEXT: npu.buffer sram 8 at 64
// CHECK-NEXT: npu.buffer input 8 at 0
// CHECK-NEXT: npu.buffer output 8 at 0
// CHECK-NEXT: npu.dma
npu.program @proposed attributes {target = "e256", inputs = [{type = tensor<8xi8>}], outputs = [{type = tensor<8xi8>}], layers = []} {
  %tile = npu.buffer sram 8 proposed 64
  %unused = npu.buffer sram 8 proposed 0
  %in = npu.buffer input 8
  %out = npu.buffer output 8
  npu.dma %in, %tile {runBytes = 8}
  npu.dma %tile, %out {runBytes = 8}
}

// -----

// Both buffers are live at the same time, so their equal proposals are discarded.
// CHECK-LABEL: npu.program @conflict
// CHECK-SAME: sramBytes = 24 : i64
// CHECK-NEXT: npu.buffer sram 8 "a" at 0
// CHECK-NEXT: npu.buffer sram 8 "b" at 16
npu.program @conflict attributes {target = "e256", inputs = [{type = tensor<8xi8>}], outputs = [{type = tensor<8xi8>}], layers = []} {
  %a = npu.buffer sram 8 "a" proposed 64
  %b = npu.buffer sram 8 "b" proposed 64
  %in = npu.buffer input 8
  %out = npu.buffer output 8
  npu.dma %in, %a {runBytes = 8}
  npu.dma %in, %b {runBytes = 8}
  npu.dma %a, %out {runBytes = 8}
  npu.dma %b, %out {runBytes = 8}
}

// -----

// Constants are laid out in order of first use, each at a multiple of 16 bytes.
// CHECK-LABEL: npu.program @constants
// CHECK-SAME: constantsBytes = 24 : i64
// CHECK: npu.buffer constants 8 "second" at 16
// CHECK: npu.buffer constants 8 "first" at 0
npu.program @constants attributes {target = "e256", inputs = [], outputs = [], layers = []} {
  %second = npu.buffer constants 8 {name = "second", contents = [#npu.segment<data = dense<2> : tensor<8xi8>, source = 0, size = 8, offset = 0>]}
  %first = npu.buffer constants 8 {name = "first", contents = [#npu.segment<data = dense<1> : tensor<8xi8>, source = 0, size = 8, offset = 0>]}
  %tile = npu.buffer sram 8
  npu.dma %first, %tile {runBytes = 8}
  npu.dma %second, %tile {runBytes = 8}
}
