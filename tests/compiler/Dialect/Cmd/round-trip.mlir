// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --mlir-print-op-generic | avocet-opt | FileCheck %s
// RUN: avocet-opt %s --emit-bytecode | avocet-opt | FileCheck %s

// Fields with their default value are not printed, even if the input has them.

// CHECK-LABEL: cmd.program @everything
cmd.program @everything attributes {
    header = {targetName = "e256", modelName = "hand", sramPeakBytes = 4096 : i64}, semaphores = 2 : i32,
    inputs = [{name = "x", type = "i8", shape = array<i32: 1, 4>, bytes = 4 : i64}],
    outputs = [{name = "y", type = "i8", shape = array<i32: 1, 4>, bytes = 4 : i64}],
    layers = [{name = "a", operation = "CONV_2D"}], plan = [], sources = []} {
  // CHECK: cmd.region input 0 bytes 4
  cmd.region input 0 bytes 4
  // CHECK: cmd.region output 0 bytes 4
  cmd.region output 0 bytes 4
  // CHECK: cmd.region constants 0 bytes 16
  cmd.region constants 0 bytes 16
  // CHECK: cmd.region scratch 0 bytes 128
  cmd.region scratch 0 bytes 128
  // CHECK: cmd.data dense<7> : tensor<16xi8>
  cmd.data dense<7> : tensor<16xi8>
  // CHECK: cmd.stream mac 0 {
  cmd.stream mac 0 {
    // CHECK-NEXT: cmd.wait {semaphore = 1, value = 1}{{$}}
    cmd.wait {semaphore = 1, value = 1}
    // CHECK-NEXT: cmd.conv {kind = depthwise, input = {3x3x8xu8 at 64, zeroPoint = 128}, window = {kernelHeight = 3, padTop = 1}, lookupTable = 17} layer 0
    cmd.conv {kind = depthwise, scaling = requantize, lookupTable = 17,
              input = {zeroPoint = 128, type = u8, address = 64, height = 3, width = 3, channels = 8, ringRows = 3,
                       rowStride = 24, pixelStride = 8},
              window = {kernelHeight = 3, kernelWidth = 1, padTop = 1}} layer 0
    // CHECK-NEXT: cmd.pool {kind = average, clamp = {min = -128, max = 127}}
    cmd.pool {kind = average, clamp = {min = -128, max = 127}}
    // CHECK-NEXT: cmd.eltwise {kind = mul, leftShift = 20, rescaleB = {multiplier = 1073741824, shift = -3}}
    cmd.eltwise {kind = mul, leftShift = 20, rescaleB = {multiplier = 1073741824, shift = -3}}
    // CHECK-NEXT: cmd.lookup {table = 256}
    cmd.lookup {table = 256}
    // CHECK-NEXT: cmd.signal{{$}}
    cmd.signal {semaphore = 0}
    // CHECK-NEXT: cmd.yield{{$}}
    cmd.yield
    // CHECK-NEXT: cmd.yield {point = 1, live = [0+16, 64+32]}
    cmd.yield {point = 1, live = [{bytes = 16}, 64+32]}
    // CHECK-NEXT: cmd.conv {residual = {addend = {4x4x8xi8 at 64, ringRows = 8}, leftShift = 20}} layer 0
    cmd.conv {residual = {addend = {4x4x8xi8 at 64, ringRows = 8}, leftShift = 20}} layer 0
    // CHECK-NEXT: cmd.end{{$}}
    cmd.end
  }
  // CHECK: cmd.stream dsp 0 {
  cmd.stream dsp 0 {
    // CHECK-NEXT: cmd.wait {value = 1}
    cmd.wait {value = 1}
    // CHECK-NEXT: cmd.dsp {kernel = 3, inputs = [{height = 1}, {height = 2}], parameters = [1, 4294967295]} layer 0
    cmd.dsp {kernel = 3, inputs = [{height = 1}, {height = 2}], outputs = [], parameters = [1, 4294967295]} layer 0
    cmd.end
  }
  // CHECK: cmd.stream dma 1 {
  cmd.stream dma 1 {
    // CHECK-NEXT: cmd.dma {source = {region = 3, offset = 1099511627776}, runBytes = 16}
    cmd.dma {source = {region = 3, offset = 1099511627776}, runBytes = 16}
    // CHECK-NEXT: cmd.dma {kind = fill, destination = {offset = 32, stride0 = 8}, runBytes = 4, count0 = 2, fillValue = 255}
    cmd.dma {kind = fill, destination = {offset = 32, stride0 = 8}, runBytes = 4, count0 = 2, fillValue = 255}
    cmd.signal {semaphore = 1}
    cmd.end
  }
}
