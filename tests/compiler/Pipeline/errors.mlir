// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of phase checks, phase names and targets.
// RUN: not avocet-opt %s --avocet-compile="target=e1" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not avocet-opt %s --avocet-compile="start-at=plaice" 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not avocet-opt %s --avocet-compile="stop-after=end" 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not avocet-opt %s --avocet-compile 2>&1 | FileCheck %s --check-prefix=NOTED
// RUN: not avocet-opt %s --avocet-border="phase=import" 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: not avocet-opt %s --avocet-border="phase=schedule" 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not avocet-opt %s --avocet-border="phase=cmd" 2>&1 | FileCheck %s --check-prefix=CMD
// RUN: not avocet-opt %s --avocet-border="phase=place" 2>&1 | FileCheck %s --check-prefix=PLACE

// TARGET: error: {{.*}}e1
// PHASE: error: '{{plaice|end}}' is not a phase; the phases are import, nn, place, schedule, allocate, cmd
// NOTED: error: has no attribute for the phase that wrote it (avocet.phase)
// IMPORT: error: 'cmd.program' op is not allowed after the phase import
// SCHEDULE: error: 'func.func' op is not allowed after the phase schedule
// CMD: error: 'func.func' op is not allowed after the phase cmd
// PLACE: error: 'cmd.program' op is not allowed after the phase place
module {
  func.func @main() {
    return
  }
  cmd.program @p attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [],
                             sources = []} {
  }
}
