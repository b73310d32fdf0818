# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# MLIR from Debian's archive: link mode, include paths, precompiled header and the functions for dialects.

find_package(MLIR 22.1 REQUIRED CONFIG)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(AVOCET_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

# Static mode: every MLIR archive names the shared LLVM; replace it by the static libraries, linked once.
if(NOT AVOCET_SHARED_MLIR)
  add_library(avocetLlvm INTERFACE)
  target_link_libraries(avocetLlvm INTERFACE LLVMCore LLVMBitReader LLVMAsmParser LLVMRemarks LLVMTargetParser
                                             LLVMSupportLSP LLVMSupport LLVMDemangle)
  foreach(target IN LISTS MLIR_EXPORTED_TARGETS)
    if(TARGET ${target})
      get_target_property(deps ${target} INTERFACE_LINK_LIBRARIES)
      if(deps)
        list(TRANSFORM deps REPLACE "^LLVM$" "avocetLlvm")
        set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${deps}")
      endif()
    endif()
  endforeach()
endif()

# avocet_mlir_libraries(OUT lib...): the libraries to link for these MLIR components in the current link mode.
function(avocet_mlir_libraries out)
  if(AVOCET_SHARED_MLIR)
    set(${out} MLIR LLVM PARENT_SCOPE)
  else()
    set(${out} ${ARGN} PARENT_SCOPE)
  endif()
endfunction()

# Flags and include paths for code that includes MLIR headers.
add_library(avocetMlirHeaders INTERFACE)
target_include_directories(avocetMlirHeaders SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(avocetMlirHeaders INTERFACE ${AVOCET_LLVM_DEFINITIONS})
