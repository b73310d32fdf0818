# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# avocet_source_hash(OUTPUT NAME FOLDERS...)
# Generates OUTPUT, a C++ source with `extern const char NAME[]`: a hash over all sources in FOLDERS (of the tree). It
# differs between builds of different sources. With -P this file is the generating script.

set(AVOCET_HASHED_FILES "*.h" "*.cpp" "*.td" "*.fbs" "*.toml" "CMakeLists.txt")

if(CMAKE_SCRIPT_MODE_FILE)
  set(hashes "")
  string(REPLACE "," ";" folders "${FOLDERS}")
  foreach(folder IN LISTS folders)
    list(TRANSFORM AVOCET_HASHED_FILES PREPEND "${ROOT}/${folder}/" OUTPUT_VARIABLE patterns)
    file(GLOB_RECURSE files RELATIVE "${ROOT}" ${patterns})
    list(SORT files)
    foreach(file IN LISTS files)
      file(SHA256 "${ROOT}/${file}" hash)
      string(APPEND hashes "${file}:${hash}\n")
    endforeach()
  endforeach()
  string(SHA256 hash "${hashes}")
  string(SUBSTRING "${hash}" 0 16 hash)
  file(WRITE "${OUT}" "// Generated from the sources in ${FOLDERS}.
extern const char ${NAME}[];
const char ${NAME}[] = \"${hash}\";
")
  return()
endif()

set(AVOCET_SOURCE_HASH_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(avocet_source_hash output name)
  set(sources "")
  foreach(folder IN LISTS ARGN)
    list(TRANSFORM AVOCET_HASHED_FILES PREPEND "${CMAKE_SOURCE_DIR}/${folder}/" OUTPUT_VARIABLE patterns)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${patterns})
    list(APPEND sources ${files})
  endforeach()
  list(JOIN ARGN "," folders)
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR} -DFOLDERS=${folders} -DNAME=${name} -DOUT=${output}
            -P "${AVOCET_SOURCE_HASH_SCRIPT}"
    DEPENDS ${sources} "${AVOCET_SOURCE_HASH_SCRIPT}" VERBATIM)
endfunction()
