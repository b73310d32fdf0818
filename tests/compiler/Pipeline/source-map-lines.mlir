// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands of the DSP that are divided after the schedule keep places in the operation's result.
// RUN: avocet-opt %s --avocet-compile="stop-after=cmd target=e256" --mlir-print-debuginfo | FileCheck %s

// Each pixel is a line of 21 elements. Each row of 400 pixels is divided into 320 and 80.
// CHECK: cmd.dsp {kernel = 1, {{.*}}outputs = [{320x1x21xi8
// CHECK-DAG: array<i32: {{[0-9]+}}, 0, 0, 0, 0>
// CHECK-DAG: array<i32: {{[0-9]+}}, 0, 0, 320, 0>
// CHECK-DAG: array<i32: {{[0-9]+}}, 0, 1, 0, 0>
// CHECK-DAG: array<i32: {{[0-9]+}}, 0, 1, 320, 0>
// CHECK-DAG: array<i32: {{[0-9]+}}, 0, 4, 0, 0>
// CHECK-DAG: array<i32: {{[0-9]+}}, 0, 4, 320, 0>

!x = !quant.uniform<i8:f32, 0.05:3>
!y = !quant.uniform<i8:f32, 3.906250e-03:-128>
module attributes {avocet.phase = "import", avocet.source_map} {
  func.func @main(%x: tensor<1x5x400x21x!x> {nn.name = "x"}) -> (tensor<1x5x400x21x!y> {nn.name = "y"}) {
    %y = nn.softmax %x : (tensor<1x5x400x21x!x>) -> tensor<1x5x400x21x!y> loc("scores")
    return %y : tensor<1x5x400x21x!y>
  }
}
