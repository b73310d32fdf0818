# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a fuzz target with a fixed number of inputs, or fewer if SECONDS pass before:
#   cmake -DFUZZER= -DRUNS= -DCORPUS= -DWORK= -DMAX_BYTES= [-DFLAGS=] [-DSECONDS=60] [-DSEED=1] -P AvocetFuzzRun.cmake
# Two runs use the same inputs, on machines of any speed. Entropic scheduling and comparison tracing are off: both make
# the order of inputs depend on addresses.
# New inputs go to a fresh WORK directory and never into the tree. SEED 0: a random seed. The log stays in WORK.

if(NOT DEFINED SECONDS)
  set(SECONDS 60)
endif()
if(NOT DEFINED SEED)
  set(SEED 1)
endif()
if(NOT RUNS)
  message(FATAL_ERROR "the fuzz target has no number of inputs to run (RUNS)")
endif()
file(GLOB seeds "${CORPUS}/*")
if(NOT seeds)
  message(FATAL_ERROR "no seeds in ${CORPUS}")
endif()
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}/new")
execute_process(
  COMMAND "${FUZZER}" -seed=${SEED} -entropic=0 -use_cmp=0 -runs=${RUNS} -max_total_time=${SECONDS} -timeout=10
          -rss_limit_mb=2048 -max_len=${MAX_BYTES} ${FLAGS}
          -print_final_stats=1 "-artifact_prefix=${WORK}/" "${WORK}/new" "${CORPUS}"
  RESULT_VARIABLE result ERROR_VARIABLE log OUTPUT_VARIABLE log)
file(WRITE "${WORK}/log" "${log}")
if(NOT result EQUAL 0)
  message("${log}")
  file(GLOB inputs "${WORK}/crash-*" "${WORK}/leak-*" "${WORK}/oom-*" "${WORK}/timeout-*")
  if(inputs)
    message(FATAL_ERROR "the fuzz target found an input that breaks it: ${inputs}")
  endif()
  message(FATAL_ERROR "the fuzz target ended (${result}) and kept no input; its log: ${WORK}/log")
endif()
string(REGEX MATCHALL "stat::[^\n]*" figures "${log}")
string(REPLACE ";" "\n" figures "${figures}")
message("${figures}")
