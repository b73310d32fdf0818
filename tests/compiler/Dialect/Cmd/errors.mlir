// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: avocet-opt %s --split-input-file --verify-diagnostics

cmd.program @semaphoreOutOfRange attributes {header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [],
                                             plan = [], sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{names semaphore 1, the program has 1}}
    cmd.signal {semaphore = 1}
    cmd.end
  }
}

// -----

cmd.program @waitWithoutSignal attributes {header = {}, semaphores = 1 : i32, inputs = [], outputs = [], layers = [],
                                       plan = [], sources = []} {
  cmd.stream mac 0 {
    cmd.signal
    cmd.end
  }
  cmd.stream dsp 0 {
    // expected-error @below {{is never satisfied}}
    cmd.wait {value = 2}
    cmd.end
  }
}

// -----

cmd.program @waitForEachOther attributes {header = {}, semaphores = 2 : i32, inputs = [], outputs = [], layers = [],
                                          plan = [], sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{is never satisfied}}
    cmd.wait {semaphore = 0, value = 1}
    cmd.signal {semaphore = 1}
    cmd.end
  }
  cmd.stream dsp 0 {
    cmd.wait {semaphore = 1, value = 1}
    cmd.signal {semaphore = 0}
    cmd.end
  }
}

// -----

cmd.program @wrongEngine attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                     plan = [], sources = []} {
  cmd.stream dsp 0 {
    // expected-error @below {{is not a command of the dsp engine}}
    cmd.conv
    cmd.end
  }
}

// -----

cmd.program @secondStream attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                      plan = [], sources = []} {
  cmd.stream dma 1 { cmd.end }
  // expected-error @below {{is the second one of its engine}}
  cmd.stream dma 1 { cmd.end }
}

// -----

cmd.program @streamIndex attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                     plan = [], sources = []} {
  // expected-error @below {{index is 2, must be 0 for mac}}
  cmd.stream mac 2 { cmd.end }
}

// -----

cmd.program @unknownRegion attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                       plan = [], sources = []} {
  cmd.region scratch 0 bytes 64
  cmd.stream dma 0 {
    // expected-error @below {{names region 2, the program has 1}}
    cmd.dma {destination = {region = 2}}
    cmd.end
  }
}

// -----

cmd.program @unknownLayer attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [{}],
                                      plan = [], sources = []} {
  cmd.stream dma 0 {
    // expected-error @below {{names layer 1, the program has 1}}
    cmd.dma layer 1
    cmd.end
  }
}

// -----

cmd.program @stranger attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                  plan = [], sources = []} {
  // expected-error @below {{is not allowed in a cmd.program}}
  builtin.module {}
}

// -----

// expected-error @below {{needs 70000 semaphores}}
cmd.program @tooMany attributes {header = {}, semaphores = 70000 : i32, inputs = [], outputs = [], layers = [],
                                 plan = [], sources = []} {
}

// -----

cmd.program @unknownField attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                      plan = [], sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{command has no field 'color'}}
    cmd.pool {color = 3}
    cmd.end
  }
}

// -----

cmd.program @twice attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [],
                               sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{field 'kind' is set twice}}
    cmd.pool {kind = max, kind = average}
    cmd.end
  }
}

// -----

cmd.program @unknownWord attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                     plan = [], sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{'median' is none of max, average}}
    cmd.pool {kind = median}
    cmd.end
  }
}

// -----

cmd.program @tooLarge attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [], plan = [],
                                  sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{integer value too large}}
    cmd.lookup {table = 4294967296}
    cmd.end
  }
}

// -----

cmd.program @attributeForm attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                       plan = [], sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{command has no field 'height'}}
    "cmd.lookup"() <{command = {height = 3 : i64}}> : () -> ()
    cmd.end
  }
}

// -----

cmd.program @rangeWithoutPlus attributes {header = {}, semaphores = 0 : i32, inputs = [], outputs = [], layers = [],
                                          plan = [], sources = []} {
  cmd.stream mac 0 {
    // expected-error @below {{a range is BEGIN+BYTES, '+' is missing}}
    cmd.yield {live = [64, 32]}
    cmd.end
  }
}
