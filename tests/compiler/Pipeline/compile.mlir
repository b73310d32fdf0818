// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --avocet-compile="start-at=import stop-after=nn" | FileCheck %s --check-prefix=NN
// RUN: avocet-opt %s --avocet-compile="start-at=import stop-after=nn" | avocet-opt --avocet-compile="stop-after=place" | FileCheck %s --check-prefix=PLACE
// RUN: avocet-opt %s --avocet-compile="start-at=import target=e256s" | FileCheck %s --check-prefix=COMMANDS
// RUN: not avocet-opt %s --avocet-compile="target=e1" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not avocet-opt %s --avocet-compile="start-at=plaice" 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not avocet-opt %s --avocet-compile="stop-after=end" 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not avocet-opt %s --avocet-compile 2>&1 | FileCheck %s --check-prefix=NOTED

// NN: module attributes {avocet.phase = "nn"}
// NN: nn.add {{.*}} activation relu6

// The module attribute is the start of the second command.
// PLACE: module attributes {avocet.phase = "place"}
// PLACE: npu.eltwise

// COMMANDS: module attributes {avocet.phase = "cmd"}
// COMMANDS: cmd.program {{.*}}targetName = "e256s"

// TARGET: error: {{.*}}e1
// PHASE: error: '{{plaice|end}}' is not a phase; the phases are import, nn, place, schedule, allocate, cmd
// NOTED: error: has no attribute for the phase that wrote it (avocet.phase)
func.func @main(%x: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = nn.add %x, %x : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = nn.clamp relu6 %0 : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}
