# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that declare libraries, tests and generated headers the same way in every folder.

# What most files outside the compiler's dialects include. Parsing these headers costs more than the rest of such a file.
set(AVOCET_COMMON_HEADERS
  <algorithm> <array> <atomic> <bit> <cerrno> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque>
  <filesystem> <fmt/format.h> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <string>
  <string_view> <thread> <type_traits> <unordered_map> <utility> <variant> <vector>)

# precompile_headers(NAME [<header>...]): precompiles the common headers and these for one target. A header belongs here
# only if most files of the target include it. Files still include what they use: builds without AVOCET_PCH check it.
function(precompile_headers name)
  if(AVOCET_PCH)
    target_precompile_headers(${name} PRIVATE ${AVOCET_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

# reuse_headers(NAME OWNER): uses the precompiled header of another target, which must have the same compiler flags.
function(reuse_headers name owner)
  if(AVOCET_PCH)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  endif()
endfunction()

# avocet_library(NAME SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...] [BUILD_DEPENDS ...] [OPTIONS flag ...]
#                [PRECOMPILE <header> ... | PRECOMPILED_BY library] [INSTALL api|archive])
# A static library whose public headers live in include/ beside the CMakeLists.txt. BUILD_DEPENDS: header-only libraries
# that only the sources use, so that users of the installed library do not need them. INSTALL: see avocet_install_library().
# The precompiled header is the common one; a library with compiler flags of its own (OPTIONS), or with headers that most of
# its files include (PRECOMPILE), has its own, which others can share (PRECOMPILED_BY).
function(avocet_library name)
  cmake_parse_arguments(ARG "" "INSTALL;PRECOMPILED_BY" "SOURCES;DEPENDS;PRIVATE_DEPENDS;BUILD_DEPENDS;OPTIONS;PRECOMPILE"
                        ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>"
                                     PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/lib")
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  foreach(dependency IN LISTS ARG_BUILD_DEPENDS)
    target_link_libraries(${name} PRIVATE "$<BUILD_INTERFACE:${dependency}>")
  endforeach()
  if(ARG_OPTIONS OR ARG_PRECOMPILE)
    target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
    precompile_headers(${name} ${ARG_PRECOMPILE})
  elseif(ARG_PRECOMPILED_BY)
    reuse_headers(${name} ${ARG_PRECOMPILED_BY})
  else()
    reuse_headers(${name} avocetPch)
  endif()
  if(ARG_INSTALL)
    avocet_install_library(${name} ${ARG_INSTALL})
  endif()
endfunction()

# avocet_plugin(NAME ARCHIVE)
# The shared library NAME that a framework loads: the objects of ARCHIVE, and lib/plugin/Plugin.cpp with the functions that
# FOLDER.map exports.
function(avocet_plugin name archive)
  get_filename_component(folder "${CMAKE_CURRENT_SOURCE_DIR}" NAME)
  set(symbols "${CMAKE_CURRENT_SOURCE_DIR}/${folder}.map")
  add_library(${name} SHARED lib/plugin/Plugin.cpp)
  reuse_headers(${name} avocetPch)
  target_include_directories(${name} PRIVATE lib)
  target_link_libraries(${name} PRIVATE ${archive} avocetVersion)
  target_link_options(${name} PRIVATE "-Wl,--version-script,${symbols}" -Wl,--exclude-libs,ALL)
  set_target_properties(${name} PROPERTIES LINK_DEPENDS "${symbols}")
  install(TARGETS ${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Runtime)
endfunction()

# Sanitizer builds prefix the name of each test, so that one ctest run can contain several builds.
set(AVOCET_TEST_PREFIX "")
if(AVOCET_SANITIZE MATCHES "address")
  set(AVOCET_TEST_PREFIX "asan.")
elseif(AVOCET_SANITIZE MATCHES "thread")
  set(AVOCET_TEST_PREFIX "tsan.")
endif()

# avocet_unit_test(NAME SOURCES ... [DEPENDS ...] [SEPARATE] [SYSTEM])
# A GoogleTest program; each of its suites becomes a CTest test, with SEPARATE each of its tests (AvocetTestSuites.cmake).
# SYSTEM: its subject is a shipped program, optimized code, or nothing that a sanitizer build has. Builds with
# AVOCET_UNIT_TESTS_IN have no others.
function(avocet_unit_test name)
  cmake_parse_arguments(ARG "SEPARATE;SYSTEM" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} avocetTestSkips GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    AVOCET_SHARED_DATA="${AVOCET_SHARED_DATA}" AVOCET_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(TARGET avocetTestPch)
    target_precompile_headers(${name} REUSE_FROM avocetTestPch)
  endif()
  if(AVOCET_UNIT_TESTS_IN AND NOT ARG_SYSTEM)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    return()
  endif()
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${name}Include.cmake")
  file(GENERATE OUTPUT "${include}" CONTENT
    "include([==[${CMAKE_SOURCE_DIR}/scripts/cmake/AvocetTestSuites.cmake]==])
avocet_add_suites([==[$<TARGET_FILE:${name}>]==] ${name} \"${AVOCET_TEST_PREFIX}\" [==[${CMAKE_CURRENT_BINARY_DIR}]==] ${ARG_SEPARATE})
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()

# avocet_flatbuffer(TARGET SCHEMA [flatc options])
# An interface library that generates SCHEMA's header at build time and adds its folder to the include path.
function(avocet_flatbuffer target schema)
  get_filename_component(stem "${schema}" NAME_WE)
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/generated")
  set(header "${dir}/${stem}_generated.h")
  add_custom_command(OUTPUT "${header}"
    COMMAND flatbuffers::flatc --cpp --gen-object-api --reflect-names --cpp-std c++17 --scoped-enums
            ${ARGN} -o "${dir}" "${CMAKE_CURRENT_SOURCE_DIR}/${schema}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${schema}" VERBATIM)
  add_custom_target(${target}Generate DEPENDS "${header}")
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}Generate)
  target_include_directories(${target} SYSTEM INTERFACE "${dir}")
  target_link_libraries(${target} INTERFACE flatbuffers::flatbuffers)
endfunction()

# avocet_protobuf(TARGET SCHEMA)
# A static library with the classes of SCHEMA, which is of protobuf's lite runtime. Warnings of generated code are off.
function(avocet_protobuf target schema)
  get_filename_component(stem "${schema}" NAME_WE)
  set(dir "${CMAKE_CURRENT_BINARY_DIR}/generated")
  set(files "${dir}/${stem}.pb.cc" "${dir}/${stem}.pb.h")
  add_custom_command(OUTPUT ${files}
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${dir}"
    COMMAND protobuf::protoc "--cpp_out=${dir}" -I "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/${schema}"
    DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${schema}" VERBATIM)
  add_library(${target} STATIC ${files})
  target_compile_options(${target} PRIVATE -w)
  target_include_directories(${target} SYSTEM PUBLIC "${dir}")
  target_link_libraries(${target} PUBLIC protobuf::libprotobuf-lite)
endfunction()
