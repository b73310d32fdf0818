# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fuzz targets: programs of libFuzzer with ASan and UBSan, independent of the sanitizers of the rest of the build.

# Whether this build can have them: libFuzzer comes with clang, and ASan cannot be combined with TSan.
if(AVOCET_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT AVOCET_SANITIZE MATCHES "thread")
  set(AVOCET_CAN_FUZZ ON)
else()
  set(AVOCET_CAN_FUZZ OFF)
endif()
set(AVOCET_FUZZ_FLAGS -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
set(AVOCET_FUZZ_RUNNER "${CMAKE_CURRENT_LIST_DIR}/AvocetFuzzRun.cmake")

# In an ASan build the libraries themselves are compiled with coverage, once for tests and fuzz targets. (Not with
# -fsanitize=fuzzer-no-link: a precompiled header requires the sanitizers that it was made with.)
if(AVOCET_SANITIZE MATCHES "address")
  set(AVOCET_FUZZ_IN_PLACE ON)
else()
  set(AVOCET_FUZZ_IN_PLACE OFF)
endif()
set(AVOCET_FUZZ_COVERAGE -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls,trace-cmp)

# Called for each library that a fuzz target names; adds the flags once.
function(avocet_fuzz_in_place library)
  get_target_property(options ${library} COMPILE_OPTIONS)
  if(NOT AVOCET_FUZZ_COVERAGE IN_LIST options)
    target_compile_options(${library} PRIVATE ${AVOCET_FUZZ_COVERAGE})
  endif()
endfunction()

# Compiles the objects of one of our libraries again, instrumented: <library>Fuzz.
function(avocet_fuzz_objects library)
  if(TARGET ${library}Fuzz)
    return()
  endif()
  get_target_property(sources ${library} SOURCES)
  get_target_property(dir ${library} SOURCE_DIR)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${dir}")
    list(APPEND absolute "${source}")
  endforeach()
  add_library(${library}Fuzz OBJECT EXCLUDE_FROM_ALL ${absolute})
  add_dependencies(${library}Fuzz ${library})
  target_compile_options(${library}Fuzz PRIVATE ${AVOCET_FUZZ_FLAGS})
  target_include_directories(${library}Fuzz PRIVATE $<TARGET_PROPERTY:${library},INCLUDE_DIRECTORIES>)
  target_include_directories(${library}Fuzz SYSTEM PRIVATE $<TARGET_PROPERTY:${library},SYSTEM_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${library}Fuzz PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
endfunction()

# avocet_fuzz_target(NAME RUNS n SOURCES ... INSTRUMENT ... [DEPENDS ...] [MAX_BYTES n] [FLAGS flag])
# INSTRUMENT names all libraries under test; DEPENDS names libraries that are linked unchanged; FLAGS is one more flag
# of libFuzzer. Seeds are in corpus/ beside the CMakeLists.txt. The CTest test fuzz.NAME runs RUNS inputs, the seeds first:
# as many as take about ten seconds. By hand:
#   NAME -max_total_time=300 <scratch directory> <corpus directory>
function(avocet_fuzz_target name)
  if(NOT AVOCET_CAN_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "RUNS;MAX_BYTES;FLAGS" "SOURCES;INSTRUMENT;DEPENDS" ${ARGN})
  if(NOT ARG_MAX_BYTES)
    set(ARG_MAX_BYTES 4096)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES AVOCET_FUZZ_TARGET ON)
  foreach(library IN LISTS ARG_INSTRUMENT)
    if(AVOCET_FUZZ_IN_PLACE)
      avocet_fuzz_in_place(${library})
    else()
      avocet_fuzz_objects(${library})
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${library}Fuzz>)
    endif()
  endforeach()
  # With instrumented objects the plain archives are linked as well, for their include paths and dependencies only: the
  # linker finds every symbol in the objects first.
  target_link_libraries(${name} PRIVATE ${ARG_INSTRUMENT} ${ARG_DEPENDS})
  target_compile_options(${name} PRIVATE ${AVOCET_FUZZ_FLAGS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
  add_test(NAME fuzz.${name} COMMAND ${CMAKE_COMMAND} -DFUZZER=$<TARGET_FILE:${name}> -DRUNS=${ARG_RUNS} -DMAX_BYTES=${ARG_MAX_BYTES}
    -DFLAGS=${ARG_FLAGS} -DCORPUS=${CMAKE_CURRENT_SOURCE_DIR}/corpus -DWORK=${CMAKE_CURRENT_BINARY_DIR}/work -P "${AVOCET_FUZZ_RUNNER}")
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120)
endfunction()
