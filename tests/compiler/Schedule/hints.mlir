// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --npu-schedule=target=e256 --split-input-file --remarks-filter=schedule -o %t.mlir 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=AFTER --input-file %t.mlir

// Hints fix a part of the schedule, which takes them off the module. Remarks have the hints that fix each choice.

// AFTER-NOT: avocet.hints
// AFTER: npu.tile_conv
// AFTER-SAME: block = {height = 2, width = 8, channels = 8}

// CHECK: remark: [Passed] cascade {{.*}}Choice="with the next operation, 4 of 16 rows at a time", {{.*}}Hint="{"cascade":["conv1","conv2"],"rows":4,"ahead":false,"spill":[]}", {{.*}}Reason="hint 1 says so"
// CHECK: remark: [Passed] cascade {{.*}}Choice="alone, 8 of 16 rows at a time; 1 result goes off chip", {{.*}}Hint="{"cascade":["conv3"],"rows":8,"spill":["conv3"]}"
// CHECK: remark: [Passed] cascade {{.*}}Choice="alone, 8 of 16 rows at a time", {{.*}}Hint="{"cascade":["conv4"],"rows":8,"spill":[]}"
// CHECK: remark: [Passed] block {{.*}}Choice="2 x 8 x 8", {{.*}}Hint="{"block":"conv1","extents":[2,8,8]}", {{.*}}Reason="hint 2 says so"
// CHECK: remark: [Missed] block {{.*}}Hint="{"block":"conv1","extents":[
// CHECK: remark: [Passed] transfers {{.*}}Choice="slack of 1 tile", Hint="{"transfers":"conv1","slack":1}"
module attributes {avocet.hints = [{cascade = ["conv1", "conv2"], rows = 4, ahead = false}, {block = "conv1", extents = [2, 8, 8]},
                                   {result = "conv3", memory = "dram"}, {cut = "conv3"}, {transfers = "conv2", slack = 1}]} {
  func.func @main(%in: tensor<16x16x8xi8> {nn.name = "image"}) -> tensor<16x16x8xi8>
      attributes {npu.layers = [{name = "conv1"}, {name = "conv2"}, {name = "conv3"}, {name = "conv4"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<16x16x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<16x16x8xi8>
    %1 = npu.conv %0, %w, %r {clamp = {min = -128, max = 127}} layer 1 : tensor<16x16x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<16x16x8xi8>
    %2 = npu.conv %1, %w, %r {clamp = {min = -128, max = 127}} layer 2 : tensor<16x16x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<16x16x8xi8>
    %3 = npu.conv %2, %w, %r {clamp = {min = -128, max = 127}} layer 3 : tensor<16x16x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<16x16x8xi8>
    return %3 : tensor<16x16x8xi8>
  }
}

// -----

// A hint on an operator that was fused into a layer is about the layer. Numbers are those of layers.

// CHECK: remark: loc(fused["relu1", "pad1"]): [Passed] cascade {{.*}}Choice="alone, 8 of 16 rows at a time", {{.*}}Hint="{"cascade":["relu1"],"rows":8,"spill":[]}"
// CHECK: [Passed] block {{.*}}Hint="{"block":"relu1","doublings":[-1,0,0]}"
module attributes {avocet.hints = [{cascade = ["pad1"], rows = 8}, {block = 0, doublings = [-1, 0, 0]}]} {
  func.func @main(%in: tensor<16x16x8xi8> {nn.name = "image"}) -> tensor<16x16x8xi8> attributes {npu.layers = [{name = "relu1"}]} {
    %w = npu.constant dense<1> : tensor<64xi8> : tensor<64xi8>
    %r = npu.constant dense<0> : tensor<96xi8> : tensor<96xi8>
    %0 = npu.conv %in, %w, %r {clamp = {min = -128, max = 127}} layer 0 : tensor<16x16x8xi8>, tensor<64xi8>, tensor<96xi8> -> tensor<16x16x8xi8> loc(fused["relu1", "pad1"])
    return %0 : tensor<16x16x8xi8>
  }
}
