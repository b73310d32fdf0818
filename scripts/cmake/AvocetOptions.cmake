# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Options, compiler flags and third-party packages of the whole tree.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

set(AVOCET_SHARED_DATA "" CACHE PATH
    "Folder that holds models/ and conformance/; empty: tests that need it say that they were skipped")
if(DEFINED ENV{AVOCET_CLIENTS})
  set(clients "$ENV{AVOCET_CLIENTS}")
else()
  set(clients "${CMAKE_SOURCE_DIR}/build/clients")
endif()
set(AVOCET_CLIENTS "${clients}" CACHE PATH
    "Folder of optional programs of third parties (scripts/setup --clients); tests that need one that is missing are skipped")
set(AVOCET_SANITIZE "" CACHE STRING "Value for -fsanitize= (for example address,undefined), or empty")
option(AVOCET_SHARED_MLIR "Link libMLIR.so and libLLVM.so instead of the static archives" OFF)
set(AVOCET_COMPILER_LIBRARY "" CACHE FILEPATH
    "libavocetCompiler.so of another build of the same sources, taken instead of building the compiler; empty: build it")
option(AVOCET_FUZZ "Build the libFuzzer targets (needs clang)" ON)
option(AVOCET_BENCH "Build the benchmarks" ON)
set(AVOCET_UNIT_TESTS_IN "" CACHE PATH
    "Folder of the build that has the tests of units, as one with sanitizers, which find more with the same tests; empty: this build")
option(AVOCET_COMMANDS "Build the programs that avocet executes for subcommands, and the tests of what its users see" ON)
option(AVOCET_PCH "Precompile what most libraries and the avocet program include; a build without it finds missing includes" ON)
option(AVOCET_TEST_PCH "Precompile what most tests include: pays where all of them are built, not for an edit of one" OFF)
set(AVOCET_PART_OPTIMIZATION "" CACHE STRING
    "Optimization of parts, for example tests-O0;compiler-Os;tools-Os: they cost the compiler most and run for a small part of the time")

# Shadowing is clang's to report: g++ also reports constructors' parameters, and needs a pragma that clang does not know.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(AVOCET_WARN_SHADOW -Wshadow)
endif()
# One -fPIC for everything, so that all targets can share one precompiled header.
add_compile_options(-fPIC -ffunction-sections -fdata-sections -Wall -Wextra ${AVOCET_WARN_SHADOW} -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
if(AVOCET_SANITIZE)
  add_compile_options(-fsanitize=${AVOCET_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${AVOCET_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 takes members that std::optional and FailureOr leave without a value for uninitialized ones that are used, and
  # the "else" in GoogleTest's macros for one of the test.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized> $<$<COMPILE_LANGUAGE:CXX>:-Wno-dangling-else>)
  add_link_options(-B/usr/lib/llvm-22/bin)
endif()
add_link_options(-fuse-ld=lld -Wl,--gc-sections -Wl,--as-needed)

find_package(FlatBuffers CONFIG REQUIRED)
find_package(GTest CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)
find_package(Protobuf REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(sodium REQUIRED IMPORTED_TARGET libsodium)
pkg_check_modules(seccomp REQUIRED IMPORTED_TARGET libseccomp)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(turbojpeg REQUIRED IMPORTED_TARGET libturbojpeg)
pkg_check_modules(zip REQUIRED IMPORTED_TARGET libzip)

# optimize_part(PART): compiles the rest of this folder as AVOCET_PART_OPTIMIZATION says for the part: tests, compiler (what
# uses MLIR) or tools. (Without the prefix avocet_, which marks declarations of targets for scripts/checkLayering.)
macro(optimize_part part)
  foreach(entry IN LISTS AVOCET_PART_OPTIMIZATION)
    if(entry MATCHES "^${part}(-O.)$")
      add_compile_options(${CMAKE_MATCH_1})
    endif()
  endforeach()
endmacro()
