# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The test install.backend; see CMakeLists.txt for the variables. Uses the installation of the test install.consumer.

include("${CMAKE_CURRENT_LIST_DIR}/Steps.cmake")

# Both are of that test.
set(prefix "${WORK}/prefix")
set(hello "${WORK}/hello")

set(build "${WORK}/backend")
file(REMOVE_RECURSE "${build}")
step("the configuration" "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${build}" -G "${GENERATOR}"
     "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_C_COMPILER=${CCOMPILER}" "-DAVOCET_EXPECTED_VERSION=${VERSION}")
step("the build" "${CMAKE_COMMAND}" --build "${build}")
set(mine "${build}/libmine.so")
step("the symbols" nm -D --defined-only "${mine}")
expect("^[0-9a-f]+ T avocetBackendTable\n$")

# By path and by name; the values are those of the simulator in the program.
set(avocet "${prefix}/${BINDIR}/avocet")
foreach(run sim:sim path:${mine} name:mine)
  string(REGEX MATCH "^[a-z]+" place "${run}")
  string(REGEX REPLACE "^[a-z]+:" "" backend "${run}")
  step("avocet run --backend ${backend}" "AVOCET_BACKENDS=${mine}" "${avocet}" run "${MODEL}" --backend "${backend}"
       --report json -o "${build}/${place}")
  if(NOT place STREQUAL "sim")
    expect("\"backend\": \"mine\"")
    file(SHA256 "${build}/sim/out0.bin" expected)
    file(SHA256 "${build}/${place}/out0.bin" found)
    if(NOT found STREQUAL expected)
      message(FATAL_ERROR "the outputs with --backend ${backend} are not those of the simulator")
    endif()
  endif()
endforeach()

# What avocet doctor finds bad besides is not the subject.
execute_process(COMMAND "${CMAKE_COMMAND}" -E env "AVOCET_BACKENDS=${build}" "${avocet}" doctor --json OUTPUT_VARIABLE output)
expect("\"subject\": \"back end mine\"")
expect("\"subject\": \"back end nodevice\"")

# The conformance suite of the tree.
step("the conformance suite" "AVOCET_TEST_PLUGIN=${mine}" "${CONFORMANCE}")
expect("\\[  PASSED  \\] [1-9][0-9]+ tests")

# Programs that know nothing of plug-ins: the C library, the driver of the HAL, NNAPI's library.
step("a program of the C library" "AVOCET_BACKEND=${mine}" AVOCET_LOG=debug "${hello}" "${MODEL}")
expect("loaded the back end mine 1.0")
expect("-113 113 (-128 )+")
set(chosen "AVOCET_BACKENDS=${mine}" AVOCET_BACKEND=mine AVOCET_NNAPI_DEVICES=embedded AVOCET_LOG=debug)
foreach(through process nnapi)
  step("avocet benchmark --through ${through}" ${chosen} "${avocet}" benchmark "${MODEL}" --runs 2 --through ${through})
  expect("loaded the back end mine 1.0")
endforeach()
