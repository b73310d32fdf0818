// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-npu-to-cmd | FileCheck %s

// Two look-ups of 64 x 512 bytes, the second one in place. e256 moves one byte and looks up one byte in each cycle; at most
// 20,000 cycles may lie between yields. Transfers and look-ups are therefore halved, with yield points (|) between them:
//   table 0, x0 | 1 | x1, table 1, first0 | 2 | first1 | 3 | second0 | 4 | second1, store0 | 5 | store1
// Live: tables until their last half, halves of the input until they are read, of the result until they are stored. The
// second table is fetched early and is live from then on. The first stream that has a point carries its ranges. A stream
// without commands between two points has only the later one.

// CHECK:      cmd.stream mac 0 {
// CHECK-NEXT:   cmd.yield {point = 1, live = [0+256, 512+16384]}
// CHECK-NEXT:   cmd.wait {semaphore = 1, value = 1} layer 0
// CHECK-NEXT:   cmd.lookup {input = {32x512x1xi8 at 512, ringRows = 64}, {{.*}}} layer 0
// CHECK-NEXT:   cmd.yield {point = 2, live = [0+512, 16896+32768]}
// CHECK-NEXT:   cmd.wait {semaphore = 1, value = 2} layer 0
// CHECK-NEXT:   cmd.lookup {input = {32x512x1xi8 at 512, ringRows = 64, firstRow = 32}, {{.*}}firstRow = 32}, {{.*}}} layer 0
// CHECK-NEXT:   cmd.yield {point = 3, live = [256+256, 33280+32768]}
// CHECK-NEXT:   cmd.wait {semaphore = 1, value = 3} layer 1
// CHECK-NEXT:   cmd.lookup {input = {32x512x1xi8 at 33280, ringRows = 64}, {{.*}}} layer 1
// CHECK-NEXT:   cmd.signal layer 1
// CHECK-NEXT:   cmd.yield {point = 4, live = [256+256, 33280+32768]}
// CHECK-NEXT:   cmd.lookup {input = {32x512x1xi8 at 33280, ringRows = 64, firstRow = 32}, {{.*}}} layer 1
// CHECK-NEXT:   cmd.signal layer 1
// CHECK-NEXT:   cmd.end
// CHECK:      cmd.stream dma 0 {
// CHECK-NEXT:   cmd.dma {source = {region = 3}, runBytes = 256} layer 0
// CHECK-NEXT:   cmd.dma {source = {region = 1}, destination = {offset = 512}, runBytes = 16384}
// CHECK-NEXT:   cmd.signal {semaphore = 1}
// CHECK-NEXT:   cmd.yield {point = 1}
// CHECK-NEXT:   cmd.dma {source = {region = 1, offset = 16384}, destination = {offset = 16896}, runBytes = 16384}
// CHECK-NEXT:   cmd.signal {semaphore = 1}
// CHECK-NEXT:   cmd.dma {source = {region = 3, offset = 256}, destination = {offset = 256}, runBytes = 256} layer 1
// CHECK-NEXT:   cmd.signal {semaphore = 1} layer 1
// CHECK-NEXT:   cmd.yield {point = 4}
// CHECK-NEXT:   cmd.wait {value = 1}
// CHECK-NEXT:   cmd.dma {source = {offset = 33280}, destination = {region = 2}, runBytes = 16384}
// CHECK-NEXT:   cmd.yield {point = 5, live = [49664+16384]}
// CHECK-NEXT:   cmd.wait {value = 2}
// CHECK-NEXT:   cmd.dma {source = {offset = 49664}, destination = {region = 2, offset = 16384}, runBytes = 16384}
// CHECK-NEXT:   cmd.end
npu.program @main attributes {
    target = "e256", sramBytes = 66048 : i64, scratchBytes = 0 : i64, constantsBytes = 512 : i64,
    inputs = [{nn.name = "x", type = tensor<64x512x1xi8>}], outputs = [{nn.name = "y", type = tensor<64x512x1xi8>}],
    layers = [{name = "first", op = "LOGISTIC", engine = "mac"}, {name = "second", op = "TANH", engine = "mac"}]} {
  %x = npu.buffer input 32768 "x" at 0
  %y = npu.buffer output 32768 "y" at 0
  %a = npu.buffer sram 32768 "a" at 512
  %b = npu.buffer sram 32768 "b" at 33280
  %t0 = npu.buffer constants 256 at 0 contents [dense<1> : tensor<256xi8> [0+256]]
  %t1 = npu.buffer constants 256 at 256 contents [dense<2> : tensor<256xi8> [0+256]]
  %s0 = npu.buffer sram 256 at 0
  %s1 = npu.buffer sram 256 at 256
  npu.dma %t0, %s0 {runBytes = 256} layer 0
  npu.dma %x, %a {runBytes = 32768}
  npu.dma %t1, %s1 {runBytes = 256} layer 1
  npu.tile_lookup %a, %b, %s0 {
      input = {64x512x1xi8},
      output = {64x512x1xi8},
      block = {height = 8, width = 64, channels = 1}} layer 0
  npu.tile_lookup %b, %b, %s1 {
      input = {64x512x1xi8},
      output = {64x512x1xi8},
      block = {height = 8, width = 64, channels = 1}} layer 1
  npu.dma %b, %y {runBytes = 32768}
}
