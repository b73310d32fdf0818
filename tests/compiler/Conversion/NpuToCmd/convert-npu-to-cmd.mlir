// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --convert-npu-to-cmd | FileCheck %s

// Two layers of one look-up each. The second table is fetched while the first layer computes; it overwrites the first
// table, so its transfer waits for the first look-up. Implied waits are omitted: the second look-up reads the result of
// the first one in the same stream, and the last transfer waits only for the second look-up.

// CHECK-LABEL: cmd.program @main
// CHECK-SAME: header = {compilerVersion = "{{[0-9.]+}}", deviceCycles = 448 : i64, leastDramBytes = 384 : i64, modelName = "main", predictedCycles = 700 : i64, rooflineCycles = 384 : i64, sramPeakBytes = 576 : i64, targetFingerprint = {{-?[0-9]+}} : i64, targetName = "e256"}
// CHECK-SAME: inputs = [{bytes = 64 : i64, name = "x", quantization = {scales = array<f32: 5.000000e-01>, zeroPoints = array<i32: 3>}, shape = array<i32: 1, 8, 8, 1>}]
// CHECK-SAME: layers = [
// CHECK-NEXT: {inputBytes = 64 : i64, name = "first", operation = "LOGISTIC", outputBytes = 64 : i64, rooflineCycles = 64 : i64, weightBytes = 256 : i64},
// CHECK-NEXT: {engine = "dsp", name = "second", operation = "TANH"}]
// CHECK-SAME: plan = [
// CHECK-NEXT: {bytes = 64 : i64, name = "x", region = 1 : i64},
// CHECK-NEXT: {bytes = 64 : i64, firstStep = 5 : i64, lastStep = 5 : i64, name = "y", region = 2 : i64},
// CHECK-NEXT: {address = 256 : i64, bytes = 64 : i64, lastStep = 2 : i64, name = "a"}
// CHECK: semaphores = 2 : i32
// CHECK-NEXT: cmd.region input 0 bytes 64
// CHECK-NEXT: cmd.region output 0 bytes 64
// CHECK-NEXT: cmd.region constants 0 bytes 512
// CHECK-NEXT: cmd.data dense_resource<constants> : tensor<512xi8>
// CHECK-NEXT: cmd.stream mac 0 {
// CHECK-NEXT:   cmd.wait {semaphore = 1, value = 1} layer 0
// CHECK-NEXT:   cmd.lookup {input = {8x8x1xi8 at 256}, output = {8x8x1xi8 at 320}} layer 0
// CHECK-NEXT:   cmd.signal layer 0
// CHECK-NEXT:   cmd.wait {semaphore = 1, value = 2} layer 1
// CHECK-NEXT:   cmd.lookup {input = {8x8x1xi8 at 320}, output = {8x8x1xi8 at 256}} layer 1
// CHECK-NEXT:   cmd.signal layer 1
// CHECK-NEXT:   cmd.end
// CHECK:      cmd.stream dma 0 {
// CHECK-NEXT:   cmd.dma {source = {region = 1}, destination = {offset = 256}, runBytes = 64}
// CHECK-NEXT:   cmd.dma {source = {region = 3}, runBytes = 256} layer 0
// CHECK-NEXT:   cmd.signal {semaphore = 1} layer 0
// CHECK-NEXT:   cmd.wait {value = 1} layer 1
// CHECK-NEXT:   cmd.dma {source = {region = 3, offset = 256}, runBytes = 256} layer 1
// CHECK-NEXT:   cmd.signal {semaphore = 1} layer 1
// CHECK-NEXT:   cmd.wait {value = 2}
// CHECK-NEXT:   cmd.dma {source = {offset = 256}, destination = {region = 2}, runBytes = 64}
// CHECK-NEXT:   cmd.end
npu.program @main attributes {
    target = "e256", sramBytes = 576 : i64, scratchBytes = 0 : i64, constantsBytes = 512 : i64, predictedCycles = 700 : i64,
    inputs = [{nn.name = "x", npu.network_type = tensor<1x8x8x1x!quant.uniform<i8:f32, 0.5:3>>, type = tensor<8x8x1xi8>}],
    outputs = [{nn.name = "y", type = tensor<8x8x1xi8>}],
    layers = [{name = "first", op = "LOGISTIC", engine = "mac", rooflineCycles = 64 : i64, weightBytes = 256 : i64,
               inputBytes = 64 : i64, outputBytes = 64 : i64},
              {name = "second", op = "TANH", engine = "dsp"}]} {
  %x = npu.buffer input 64 "x" at 0
  %y = npu.buffer output 64 "y" at 0
  %a = npu.buffer sram 64 "a" at 256
  %b = npu.buffer sram 64 "b" at 320
  %c = npu.buffer sram 64 "c" at 256
  %t0 = npu.buffer constants 256 at 0 contents [dense<1> : tensor<256xi8> [0+256]]
  %t1 = npu.buffer constants 256 at 256 contents [dense<2> : tensor<256xi8> [0+256]]
  %s0 = npu.buffer sram 256 at 0
  %s1 = npu.buffer sram 256 at 0
  npu.dma %x, %a {runBytes = 64}
  npu.dma %t0, %s0 {runBytes = 256} layer 0
  npu.tile_lookup %a, %b, %s0 {
      input = {8x8x1xi8},
      output = {8x8x1xi8}} layer 0
  npu.dma %t1, %s1 {runBytes = 256} layer 1
  npu.tile_lookup %b, %c, %s1 {
      input = {8x8x1xi8},
      output = {8x8x1xi8}} layer 1
  npu.dma %c, %y {runBytes = 64}
}
