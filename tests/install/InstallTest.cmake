# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The test install.consumer; see CMakeLists.txt for the variables.

include("${CMAKE_CURRENT_LIST_DIR}/Steps.cmake")

file(REMOVE_RECURSE "${WORK}")
set(prefix "${WORK}/prefix")
step("the installation" "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

foreach(program avocet ${SUBCOMMANDS} avocetd avocetCompileWorker avocetApplication)
  step("${program} --version" "${prefix}/${BINDIR}/${program}" --version)
  expect("^${program} ${VERSION} \\([0-9a-z-]+\\)\n$")
endforeach()
step("avocetReferenceApplication --help" "${prefix}/${BINDIR}/avocetReferenceApplication" --help)
expect("^Runs a network with the reference kernels")
step("avocet run" "${prefix}/${BINDIR}/avocet" run "${MODEL}" --report json)
expect("\"cycles\"")
step("avocet conformance" "${prefix}/${BINDIR}/avocet" conformance --help)
expect("^Run test vectors with known results")
file(READ "${prefix}/share/man/man1/avocet.1" output)
expect("case.-limit")

file(READ "${prefix}/lib/systemd/system/avocetd.service" output)
expect("ExecStart=${prefix}/${BINDIR}/avocetd --socket-activation")
file(GLOB_RECURSE output "${prefix}/*")
foreach(path share/avocet/targets/e256.toml share/avocet/schemas/run.schema.json share/bash-completion/completions/avocet
        share/zsh/vendor-completions/_avocet share/fish/vendor_completions.d/avocet.fish man/man1/avocet.1)
  expect("${path}")
endforeach()
step("bash with the completion" bash -n "${prefix}/share/bash-completion/completions/avocet")
file(GLOB_RECURSE package "${prefix}/*/avocet-neuralnetworks.pc")
cmake_path(GET package PARENT_PATH folder)
step("pkg-config" PKG_CONFIG_PATH=${folder} pkg-config --print-errors --modversion avocet-neuralnetworks)
expect("^${VERSION}\n$")
step("pkg-config" PKG_CONFIG_PATH=${folder} pkg-config --cflags --libs avocet-neuralnetworks)
string(STRIP "${output}" flags)
separate_arguments(flags)
step("a program built with pkg-config" "${CCOMPILER}" "${SOURCE}/Nnapi.c" ${flags} -o "${WORK}/byPackage")

step("the consumer's configuration" "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/consumer" -G "${GENERATOR}"
     "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_C_COMPILER=${CCOMPILER}" "-DAVOCET_EXPECTED_VERSION=${VERSION}")
step("the consumer's build" "${CMAKE_COMMAND}" --build "${WORK}/consumer")
step("the consumer" "${WORK}/consumer/consumer" "${MODEL}" "${prefix}/${BINDIR}/avocetCompileWorker")
expect("avocet-e256 runs digits_int8 in [1-9][0-9]* cycles\n")
step("the consumer of NNAPI" AVOCET_NNAPI_DEVICES=embedded "${WORK}/consumer/nnapiConsumer")
expect("avocet-e256\nnnapi-reference\n$")

# The program's copy of the build tree must not be what made it work.
file(GLOB_RECURSE files "${prefix}/lib*/cmake/Avocet/*.cmake" "${prefix}/include/*.h")
foreach(file IN LISTS files)
  file(STRINGS "${file}" lines REGEX "${BUILD}/(lib|bin)/")
  if(lines)
    message(FATAL_ERROR "${file} names the build folder: ${lines}")
  endif()
endforeach()
