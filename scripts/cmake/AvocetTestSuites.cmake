# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Read by ctest, not at configuration time: the tests of a GoogleTest program become known when ctest starts.

# avocet_add_suites(PROGRAM NAME PREFIX FOLDER SEPARATE)
# Adds the tests of PROGRAM to ctest, their names with PREFIX before them; they run in FOLDER. A suite is one test of
# ctest, because a process of its own costs most tests more than the test itself (a sanitizer build with MLIR starts in
# 0.15 s). Of a suite with more than 40 tests each part of 40 is one. With SEPARATE each test is one: for long tests,
# which should run at the same time as others, and for tests that need a process of their own.
# FOLDER keeps the list in NAMESuites.cmake until PROGRAM changes.
function(avocet_add_suites program name prefix folder separate)
  set(mostTests 40)
  set(script "${folder}/${name}Suites.cmake")
  if(NOT EXISTS "${program}")
    add_test("${prefix}${name}_NOT_BUILT" "${program}")
    return()
  endif()
  if("${program}" IS_NEWER_THAN "${script}" OR "${CMAKE_CURRENT_FUNCTION_LIST_FILE}" IS_NEWER_THAN "${script}")
    avocet_list_tests("${program}" "${folder}" tests)
    set(text "")
    set(suite "")
    set(group "")
    foreach(test IN LISTS tests ITEMS "end.")
      # Instance/Suite.Test/Parameter: no part but the suite ends with a dot.
      string(REGEX REPLACE "[.][^.]*$" "" next "${test}")
      list(LENGTH group count)
      if(count GREATER 0 AND (separate OR count EQUAL mostTests OR NOT next STREQUAL suite))
        avocet_describe_test("${program}" "${prefix}${entry}" "${group}" "${folder}" calls)
        string(APPEND text "${calls}")
        set(group "")
      endif()
      if(separate)
        set(entry "${test}")
      elseif(NOT next STREQUAL suite)
        set(entry "${next}")
        set(part 1)
      elseif(NOT group)
        math(EXPR part "${part} + 1")
        set(entry "${next}.part${part}")
      endif()
      set(suite "${next}")
      list(APPEND group "${test}")
    endforeach()
    file(WRITE "${script}" "${text}")
  endif()
  include("${script}")
endfunction()

# Sets RESULT to the full names of the tests of PROGRAM.
function(avocet_list_tests program folder result)
  execute_process(COMMAND "${program}" --gtest_list_tests WORKING_DIRECTORY "${folder}" TIMEOUT 60
                  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${program} --gtest_list_tests ended with ${code}:\n${output}")
  endif()
  # The values of parameters, in comments, may contain what separates or joins items of a list.
  string(REGEX REPLACE "[][;]" "_" output "${output}")
  string(REGEX REPLACE "\n" ";" lines "${output}")
  set(tests "")
  set(suite "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE " +#.*$" "" line "${line}")
    if(line MATCHES "^  ([^ ]+)$")
      list(APPEND tests "${suite}${CMAKE_MATCH_1}")
    elseif(line MATCHES "^[^ ]+[.]$")
      set(suite "${line}")
    endif()
  endforeach()
  set(${result} "${tests}" PARENT_SCOPE)
endfunction()

# Sets RESULT to the calls that add one test of ctest, TEST, which runs the tests of GROUP.
function(avocet_describe_test program test group folder result)
  list(JOIN group ":" filter)
  string(CONCAT calls
    "add_test([==[${test}]==] [==[${program}]==] --gtest_brief=1 [==[--gtest_filter=${filter}]==])\n"
    "set_tests_properties([==[${test}]==] PROPERTIES TIMEOUT 900 WORKING_DIRECTORY [==[${folder}]==]\n"
    "  SKIP_REGULAR_EXPRESSION [==[SKIPPED . all [0-9]+ tests]==])\n")
  set(${result} "${calls}" PARENT_SCOPE)
endfunction()
