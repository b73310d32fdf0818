# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets `variable` to a Python that has numpy, with which tests compute answers. numpy is Debian's; another Python that comes
# first in the path may not have it.
function(avocet_find_numpy variable)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(candidate "${Python3_EXECUTABLE}" /usr/bin/python3)
    execute_process(COMMAND "${candidate}" -c "import numpy" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${variable} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "The tests need a Python with numpy; scripts/setup installs python3-numpy.")
endfunction()
