// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{must close with an end instruction}}
cmd.control [run]

// -----

// expected-error @below {{instruction 0: jump: jumps back to 0, which must be a loop_check}}
cmd.control [jump, end]

// -----

// expected-error @below {{word 0: instruction code is 9, must be 0 to 5}}
"cmd.control"() <{words = array<i32: 265>}> : () -> ()

// -----

// expected-error @below {{'walk' is none of end, run, jump, jump_if_false, loop_enter, loop_check}}
cmd.control [walk, end]

// -----

// expected-error @below {{command has no field 'layer'}}
cmd.control [run {layer = 3}, end]

// -----

cmd.program @waitForOtherSection attributes {header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [],
                                             plan = [], sources = []} {
  cmd.control [run, run {section = 1}, end]
  cmd.stream mac 0 {
    cmd.signal
    cmd.end
  }
  cmd.stream mac 0 section 1 {
    // expected-error @below {{is never satisfied}}
    cmd.wait {value = 1}
    cmd.end
  }
}

// -----

cmd.program @twoPrograms attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [],
                                     sources = []} {
  cmd.control [end]
  // expected-error @below {{is the second one of the program}}
  cmd.control [end]
}
