// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of a tensor that is larger than SRAM have copies with rows of their own. Their divided commands begin inside the result.
// RUN: avocet-opt %s --avocet-compile="stop-after=cmd target=e256s" --mlir-print-debuginfo | FileCheck %s

// CHECK: cmd.dsp
// CHECK-NOT: array<i32: {{[0-9]+, 0, (3[1-9]|[4-9][0-9]|[0-9]{3,}), }}
// CHECK: array<i32: {{[0-9]+, 0, [0-9]+, [0-9]+, [0-9]+}}>
// CHECK-NOT: array<i32: {{[0-9]+, 0, (3[1-9]|[4-9][0-9]|[0-9]{3,}), }}

module attributes {avocet.phase = "import", avocet.source_map} {
  func.func @main(%x: tensor<1x31x61x24xf32> {nn.name = "x"}) -> (tensor<1x31x61x28xf32> {nn.name = "y"}) {
    %y = nn.pad %x low [0, 0, 0, 0] high [0, 0, 0, 4] : (tensor<1x31x61x24xf32>) -> tensor<1x31x61x28xf32> loc("padded")
    return %y : tensor<1x31x61x28xf32>
  }
}
