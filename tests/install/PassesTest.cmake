# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The test install.passes; see CMakeLists.txt for the variables. Nothing is installed but the component PassDevelopment.

include("${CMAKE_CURRENT_LIST_DIR}/Steps.cmake")

file(REMOVE_RECURSE "${WORK}")
set(prefix "${WORK}/prefix")
step("the installation" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}" --component PassDevelopment)

# What an installed file includes is installed.
file(GLOB_RECURSE files "${prefix}/include/*")
foreach(file IN LISTS files)
  file(STRINGS "${file}" lines REGEX "^#?include \"avocet/")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "avocet/[^\"]+" included "${line}")
    if(NOT EXISTS "${prefix}/include/${included}")
      message(FATAL_ERROR "${file} includes ${included}, which is not installed")
    endif()
  endforeach()
endforeach()
foreach(header Dialect/Nn/NnDialect.h Dialect/Nn/NnOps.td Dialect/Npu/NpuOps.h.inc Pipeline/Phases.h Support/Refusal.h)
  if(NOT EXISTS "${prefix}/include/avocet/compiler/${header}")
    message(FATAL_ERROR "${header} is not installed")
  endif()
endforeach()

step("the configuration" "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/passes" -G "${GENERATOR}"
     "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_C_COMPILER=${CCOMPILER}" "-DAVOCET_EXPECTED_VERSION=${VERSION}")
step("the build" "${CMAKE_COMMAND}" --build "${WORK}/passes")

set(opt "${prefix}/${BINDIR}/avocet-opt" "--load-pass-plugin=${WORK}/passes/dropDoubleNegation.so" "${SOURCE}/network.mlir")
step("the pass" ${opt} "--pass-pipeline=builtin.module(func.func(example-drop-double-negation))" --remarks-filter=fusion)
expect("double-negation [^\n]*second")
expect("\n    %0 = nn.unary abs %arg0 ")
step("the pass before phases" ${opt}
     "--pass-pipeline=builtin.module(func.func(example-drop-double-negation),avocet-compile{start-at=nn stop-after=place})")
expect("%0 = npu.dsp \"unary\"\\(%arg0\\)[^\n]*\n    return %0")
