// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics --avocet-border=phase=nn | FileCheck %s --check-prefix=RECORDED
// RUN: not avocet-opt %s --avocet-border=phase=plaice 2>&1 | FileCheck %s --check-prefix=PHASE
// RUN: not avocet-opt %s --avocet-border="phase=nn target=e1" 2>&1 | FileCheck %s --check-prefix=TARGET

// PHASE: error: 'plaice' is not a phase; the phases are import, nn, place, schedule, allocate, cmd
// TARGET: error: {{.*}}e1

// The pass records the phase.
// RECORDED: module attributes {avocet.phase = "nn"}
func.func @main() {
  return
}

// -----

func.func @otherDialect() {
  return
}
// expected-error @below {{'cmd.program' op is not allowed after the phase nn}}
cmd.program @p attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [], sources = []} {
}

// -----

// expected-error @below {{must hold one func.func and no other operation}}
module {
  func.func @first() {
    return
  }
  func.func @second() {
    return
  }
}

// -----

module {
  func.func @main() {
    return
  }
  // expected-error @below {{'cmd.control' op is not allowed after the phase nn}}
  cmd.control [end] {inputs = [], outputs = []}
}
