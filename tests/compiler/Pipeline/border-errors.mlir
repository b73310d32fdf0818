// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each phase accepts its own dialects only, and allocate checks addresses.
// RUN: not avocet-opt %s --avocet-border="phase=import" 2>&1 | FileCheck %s --check-prefix=IMPORT
// RUN: not avocet-opt %s --avocet-border="phase=place" 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not avocet-opt %s --avocet-border="phase=schedule" 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not avocet-opt %s --avocet-border="phase=cmd" 2>&1 | FileCheck %s --check-prefix=CMD
// RUN: echo 'npu.program @p attributes {target = "e256", inputs = [], outputs = [], layers = []} {}' \
// RUN:   | not avocet-opt --avocet-border="phase=allocate" 2>&1 | FileCheck %s --check-prefix=ALLOCATE

// IMPORT: error: 'cmd.program' op is not allowed after the phase import
// PLACE: error: 'cmd.program' op is not allowed after the phase place
// SCHEDULE: error: 'func.func' op is not allowed after the phase schedule
// CMD: error: 'func.func' op is not allowed after the phase cmd
// ALLOCATE: error: has no sizes: it was not allocated
module {
  func.func @main() {
    return
  }
  cmd.program @p attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [],
                             sources = []} {
  }
}
