# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# avocet_embed_targets(OUTPUT NAMES...)
# Generates OUTPUT, a C++ source that contains targets/NAME.toml for every NAME and defines shippedTargets(). With -P
# this file is the generating script.

if(CMAKE_SCRIPT_MODE_FILE)
  set(entries "")
  string(REPLACE "," ";" names "${NAMES}")
  foreach(name IN LISTS names)
    file(READ "${DIR}/${name}.toml" text)
    string(APPEND entries "    {\"${name}\", R\"AvocetTarget(${text})AvocetTarget\"},\n")
  endforeach()
  file(WRITE "${OUT}" "// Generated from targets/*.toml.
#include \"ShippedTargets.h\"

namespace avocet::firmware {
namespace {
constexpr ShippedTarget kTargets[] = {
${entries}};
} // namespace

std::span<const ShippedTarget> shippedTargets() { return kTargets; }
} // namespace avocet::firmware
")
  return()
endif()

set(AVOCET_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(avocet_embed_targets output)
  set(dir "${CMAKE_CURRENT_SOURCE_DIR}/targets")
  list(TRANSFORM ARGN PREPEND "${dir}/" OUTPUT_VARIABLE files)
  list(TRANSFORM files APPEND ".toml")
  list(JOIN ARGN "," names)
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DNAMES=${names} -DOUT=${output} -P "${AVOCET_EMBED_SCRIPT}"
    DEPENDS ${files} "${AVOCET_EMBED_SCRIPT}" VERBATIM)
endfunction()
