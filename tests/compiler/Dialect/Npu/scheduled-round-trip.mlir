// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | FileCheck %s
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --mlir-print-op-generic | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

// A table of several entries has a line for each, one entry stays in its line.

// CHECK: npu.program @main attributes {inputs = [{type = tensor<8x1x1xi8>}], layers = [
// CHECK-NEXT: {engine = "mac", name = "first layer with a long name", op = "CONV_2D"},
// CHECK-NEXT: {name = "b", op = "ADD"}], outputs = [], target = "e256"} {
npu.program @main attributes {target = "e256", inputs = [{type = tensor<8x1x1xi8>}], outputs = [],
                              layers = [{engine = "mac", name = "first layer with a long name", op = "CONV_2D"},
                                        {name = "b", op = "ADD"}]} {
  // CHECK-NEXT: %input = npu.buffer input 8 index 1{{$}}
  %in = npu.buffer input 8 index 1
  // CHECK-NEXT: %tile = npu.buffer sram 512 "tile" at 64{{$}}
  %x = npu.buffer sram 512 {name = "tile", address = 64 : i64}
  // CHECK-NEXT: %later = npu.buffer sram 64 "later" proposed 128 {color = "red"}
  %y = npu.buffer sram 64 "later" proposed 128 {color = "red"}
  // The second segment of a constant lies elsewhere in it, the third one elsewhere in the buffer; a constant may come back.
  // CHECK-NEXT: %constants = npu.buffer constants 64 contents [dense<1> : tensor<16xi8> [0+8, 12+4], dense<2> : tensor<16xi8> [0+16 at 32], dense<1> : tensor<16xi8> [8+4]]
  %c = npu.buffer constants 64 {contents = [
      #npu.segment<data = dense<1> : tensor<16xi8>, source = 0, size = 8, offset = 0>,
      #npu.segment<data = dense<1> : tensor<16xi8>, source = 12, size = 4, offset = 8>,
      #npu.segment<data = dense<2> : tensor<16xi8>, source = 0, size = 16, offset = 32>,
      #npu.segment<data = dense<1> : tensor<16xi8>, source = 8, size = 4, offset = 48>]}
  // CHECK-NEXT: npu.dma %input, %tile {runBytes = 8} channel 1{{$}}
  npu.dma %in, %x {runBytes = 8} channel 1
  // CHECK-NEXT: npu.dma %tile {kind = fill, runBytes = 8} layer 1{{$}}
  npu.dma %x {kind = fill, runBytes = 8} layer 1
  // Ring rows and strides of a dense tensor are left out.
  // CHECK-NEXT: npu.tile_pool %tile, %later {input = {4x2x8xi8}, output = {4x2x8xi8, ringRows = 6, firstRow = 2, rowStride = 32, pixelStride = 16}} layer 0{{$}}
  npu.tile_pool %x, %y {
      input = {height = 4, width = 2, channels = 8, ringRows = 4, rowStride = 16, pixelStride = 8},
      output = {4x2x8xi8, ringRows = 6, firstRow = 2, rowStride = 32, pixelStride = 16}} layer 0
  // A broadcast has a stride of 0, which is not that of a dense tensor.
  // CHECK-NEXT: npu.tile_eltwise %tile, %tile, %later {inputA = {1x4x8xf32, pixelStride = 0}, inputB = {1x4x8xf32}, output = {1x4x8xf32}} layer 1{{$}}
  npu.tile_eltwise %x, %x, %y {inputA = {1x4x8xf32, pixelStride = 0}, inputB = {1x4x8xf32},
                               output = {type = f32, height = 1, width = 4, channels = 8, ringRows = 1, rowStride = 128,
                                         pixelStride = 32}} layer 1
}
