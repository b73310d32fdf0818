// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program becomes a model cache, the cache becomes a program again, and that program becomes the same model cache. Locations contain
// the source map of the commands.
// RUN: avocet-translate --cmd-to-avom %s -o %t.avom
// RUN: avocet-translate --avom-to-cmd %t.avom --mlir-print-debuginfo -o %t.mlir
// RUN: avocet-translate --cmd-to-avom %t.mlir | cmp - %t.avom
// RUN: FileCheck %s < %t.mlir
// RUN: FileCheck %s --check-prefix=ORIGIN < %t.mlir
// RUN: avocet-translate --cmd-to-avod %s | od -An -tx1 | FileCheck %s --check-prefix=DATA
// RUN: not avocet-translate --cmd-to-avod %t.mlir 2>&1 | FileCheck %s --check-prefix=NODATA

// RUN: sed -e 's/dense<.*> : tensor<8xi8>/dense<9> : tensor<8xi8>/' %s | avocet-translate --cmd-to-avod | od -An -tx1 | FileCheck %s --check-prefix=SPLAT

// SPLAT: 09 09 09 09 09 09 09 09
// ORIGIN: cmd.eltwise {{.*}} loc(#[[TILE:loc[0-9]*]])
// ORIGIN: #[[TILE]] = loc(fused<array<i32: 3, 0, 0, 0, 5>>

// DATA: 01 02 03 04 05 06 07 08
// NODATA: has 0 bytes of constants, its region has 8

// CHECK: module attributes {avocet.phase = "cmd"}
// CHECK: cmd.program @main attributes {header = {compilerVersion = "0.1.0", deviceCycles = 19 : i64, leastDramBytes = 16 : i64, modelName = "hand", predictedCycles = 23 : i64, rooflineCycles = 17 : i64, sramPeakBytes = 64 : i64, targetFingerprint = -2 : i64, targetName = "e256"}
// CHECK-SAME: inputs = [{bytes = 8 : i64, name = "x", quantization = {scales = array<f32: 5.000000e-01>, zeroPoints = array<i32: -3>}, shape = array<i32: 1, 8>}]
// CHECK-SAME: layers = [{computeCycles = 5 : i64, deviceCycles = 7 : i64, inputBytes = 8 : i64, macs = 12 : i64, name = "add", operation = "ADD", outputBytes = 8 : i64, rooflineCycles = 6 : i64, weightBytes = 8 : i64}]
// CHECK-SAME: operations = [{channels = 8 : i64, height = 1 : i64, name = "y", width = 1 : i64}]
// CHECK-SAME: plan = [{address = 16 : i64, bytes = 8 : i64, firstStep = 1 : i64, lastStep = 4 : i64, name = "ring", operation = 0 : i64}]
// CHECK-SAME: semaphores = 2 : i32
// CHECK-SAME: sources = [{kind = "ADD", location = "model.tflite:add", operation = 4 : i64}]
cmd.program @main attributes {
    header = {compilerVersion = "0.1.0", modelName = "hand", targetName = "e256", targetFingerprint = -2 : i64,
              sramPeakBytes = 64 : i64, rooflineCycles = 17 : i64, deviceCycles = 19 : i64, leastDramBytes = 16 : i64, predictedCycles = 23 : i64},
    semaphores = 2 : i32,
    inputs = [{name = "x", type = "i8", shape = array<i32: 1, 8>, bytes = 8 : i64,
               quantization = {scales = array<f32: 0.5>, zeroPoints = array<i32: -3>}}],
    outputs = [{name = "y", type = "i8", shape = array<i32: 1, 8>, bytes = 8 : i64}],
    operations = [{name = "y", type = "i8", height = 1 : i64, width = 1 : i64, channels = 8 : i64}],
    layers = [{name = "add", operation = "ADD", engine = "mac", macs = 12 : i64, computeCycles = 5 : i64, deviceCycles = 7 : i64, rooflineCycles = 6 : i64,
               weightBytes = 8 : i64, inputBytes = 8 : i64, outputBytes = 8 : i64}],
    plan = [{name = "ring", region = 0 : i64, address = 16 : i64, bytes = 8 : i64, firstStep = 1 : i64,
             lastStep = 4 : i64, operation = 0 : i64}],
    sources = [{layer = 0 : i64, operation = 4 : i64, location = "model.tflite:add", kind = "ADD"}]} {
  cmd.region input 0 bytes 8
  cmd.region output 0 bytes 8
  cmd.region constants 0 bytes 8
  cmd.data dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xi8>
  // CHECK: cmd.stream mac 0
  cmd.stream mac 0 {
    cmd.wait {semaphore = 1, value = 1} layer 0
    // CHECK: cmd.eltwise {
    cmd.eltwise {kind = max,
                 inputA = {address = 0, height = 1, width = 1, channels = 8, ringRows = 1, rowStride = 8, pixelStride = 8},
                 inputB = {address = 8, height = 1, width = 1, channels = 8, ringRows = 1, rowStride = 8, pixelStride = 8},
                 output = {address = 16, height = 1, width = 1, channels = 8, ringRows = 1, rowStride = 8, pixelStride = 8},
                 block = {channels = 8}} layer 0 loc(fused<array<i32: 3, 0, 0, 0, 5>>["add"])
    cmd.signal layer 0
    cmd.end
  }
  // CHECK: cmd.stream dma 0
  cmd.stream dma 0 {
    // CHECK-NEXT: cmd.dma {source = {region = 1}, runBytes = 8} layer 0
    cmd.dma {source = {region = 1}, runBytes = 8} layer 0
    cmd.dma {source = {region = 3}, destination = {offset = 8}, runBytes = 8} layer 0
    cmd.signal {semaphore = 1} layer 0
    cmd.wait {value = 1} layer 0
    cmd.dma {source = {offset = 16}, destination = {region = 2}, runBytes = 8} layer 0
    // CHECK: cmd.end
    cmd.end
  }
}
