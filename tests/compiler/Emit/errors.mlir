// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs with invalid attributes or accesses are refused and never become artefacts.
// RUN: not avocet-translate --cmd-to-avom %s --split-input-file 2>&1 | FileCheck %s

// CHECK: header.modelName must be a string
cmd.program @kind attributes {header = {modelName = 3 : i64}, semaphores = 0 : i32, inputs = [], outputs = [],
                              layers = [], plan = [], sources = []} {
}

// -----

// CHECK: header has an unknown field
cmd.program @unknown attributes {header = {color = "red"}, semaphores = 0 : i32, inputs = [], outputs = [],
                                 layers = [], plan = [], sources = []} {
}

// -----

// CHECK: inputs[0].type must be one of i8, u8
cmd.program @type attributes {header = {}, semaphores = 0 : i32, inputs = [{type = "i9"}], outputs = [], layers = [],
                              plan = [], sources = []} {
}

// -----

// CHECK: plan[0].region must be a number that its field can hold
cmd.program @narrow attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                plan = [{region = 4294967296 : i64}], sources = []} {
}

// -----

// A transfer that exceeds its region.
// CHECK: error: 'cmd.program' op the model cache
cmd.program @reach attributes {header = {compilerVersion = "0", modelName = "m", targetName = "e256",
                                         sramPeakBytes = 64 : i64}, semaphores = 0 : i32,
                               inputs = [], outputs = [], layers = [], plan = [], sources = []} {
  cmd.region scratch 0 bytes 64
  cmd.stream dma 0 {
    cmd.dma {destination = {region = 1, offset = 60}, runBytes = 8}
    cmd.end
  }
}
