# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Commands and checks of the tests of installations.

# step(WHAT COMMAND...): runs a command without the variables that lead programs to this build; its output is in `output`.
function(step what)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=AVOCET_COMPILER_LIBRARY --unset=LD_LIBRARY_PATH ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()

# expect(PATTERN): the last output matches.
function(expect pattern)
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "this output does not match '${pattern}':\n${output}")
  endif()
endfunction()
