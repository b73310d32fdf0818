# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The driver's own sources as user code: Kernel.h stands for every header of the kernel that they include.
set(driver "${CMAKE_SOURCE_DIR}/firmware_iface/kmod")
set(headers "${CMAKE_CURRENT_BINARY_DIR}/headers")
file(GLOB sources CONFIGURE_DEPENDS "${driver}/*.c" "${driver}/*.h")
foreach(source IN LISTS sources)
  file(STRINGS "${source}" includes REGEX "^#include <(linux|drm|trace)/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include <(.*)>.*" "\\1" header "${include}")
    if(NOT header MATCHES "^linux/(types|ioctl)\\.h$") # those of user space do
      file(CONFIGURE OUTPUT "${headers}/${header}" CONTENT "#include \"Kernel.h\"\n")
    endif()
  endforeach()
endforeach()

set(logic context device gate job mailbox map sched submit usage wait)
list(TRANSFORM logic REPLACE "(.+)" "${driver}/avocet_\\1.c")
add_library(avocetKmodLogic STATIC ${logic} unit/Kernel.c unit/Harness.c)
set_target_properties(avocetKmodLogic PROPERTIES C_STANDARD 23 C_EXTENSIONS ON)
target_include_directories(avocetKmodLogic PRIVATE "${headers}" "${CMAKE_CURRENT_SOURCE_DIR}/unit"
                           PUBLIC "${driver}" "${CMAKE_SOURCE_DIR}/firmware_iface/uapi")
# The interfaces of Debian's 6.12, which the probes of Kbuild find.
target_compile_definitions(avocetKmodLogic PRIVATE AVOCET_HAS_SCHED_ARGS AVOCET_HAS_JOB_CLIENT AVOCET_HAS_STAT_NOMINAL)
target_compile_options(avocetKmodLogic PRIVATE -include Kernel.h -Wno-sign-compare -Wno-missing-field-initializers)

avocet_unit_test(avocetKmodLogicTests SOURCES ContextTest.cpp MailboxTest.cpp RingTest.cpp SubmitTest.cpp DEPENDS avocetKmodLogic)
