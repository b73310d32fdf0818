# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUTPUT: AVOCET_KERNEL(function) for each function in SOURCES that returns a kernel. Used at build time:
# cmake -DOUTPUT=... "-DSOURCES=..." -P ListKernels.cmake. Leaves a list that is up to date as it is.
set(text "// Written by kernels/ListKernels.cmake.\n")
foreach(source IN LISTS SOURCES)
  file(STRINGS "${source}" functions REGEX "^const Kernel &[A-Za-z0-9]+Kernel\\(\\) {$")
  foreach(function IN LISTS functions)
    string(REGEX REPLACE "^const Kernel &([A-Za-z0-9]+).*" "AVOCET_KERNEL(\\1)\n" line "${function}")
    string(APPEND text "${line}")
  endforeach()
endforeach()
string(APPEND text "#undef AVOCET_KERNEL\n")
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT "${text}" @ONLY)
