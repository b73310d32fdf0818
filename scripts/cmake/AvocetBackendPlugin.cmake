# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of the package Avocet.

# avocet_add_backend(NAME SOURCE...): declares the plug-in NAME.so (avocet/runtime/BackendPlugin.h). Link Avocet::Runtime
# for a back end in C++, Avocet::BackendPlugin for one in C. Nothing but the plug-in's table leaves the library: the
# program that loads it may contain the same archives in another version.
function(avocet_add_backend name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                        VISIBILITY_INLINES_HIDDEN ON)
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
endfunction()
