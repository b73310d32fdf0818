# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `cmake --install` copies, and the CMake packages that it writes. Five components: Runtime (programs, the compiler's
# library, units, target files), Validation (programs that test a driver: tests/validation), Development (headers, archives,
# the package Avocet), PassDevelopment (for authors of passes, with the package AvocetPasses; complete by itself), Kmod
# (AvocetKmod.cmake).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(AVOCET_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/Avocet")
set(AVOCET_DATA_DIR "${CMAKE_INSTALL_DATADIR}/avocet")
set(AVOCET_PACKAGE_CONFIG "${CMAKE_CURRENT_LIST_DIR}/AvocetConfig.cmake.in")
set(AVOCET_PASSES_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/AvocetPasses")
set(AVOCET_PASSES_PACKAGE_CONFIG "${CMAKE_CURRENT_LIST_DIR}/AvocetPassesConfig.cmake.in")

# Installed programs and libraries open libavocetCompiler.so by its name; this path leads from bin/ to it.
file(RELATIVE_PATH AVOCET_LIBRARIES_FROM_PROGRAMS "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")

# avocet_install_library(NAME api|archive [HEADERS files...])
# Exports a library as Avocet::<Name without the prefix avocet>. "api": with the headers of include/, or with HEADERS, by
# their paths below include/. "archive": without headers, since only installed libraries use it.
function(avocet_install_library name kind)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  string(REGEX REPLACE "^avocet" "" exported "${name}")
  set_target_properties(${name} PROPERTIES EXPORT_NAME "${exported}")
  install(TARGETS ${name} EXPORT AvocetTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  if(ARG_HEADERS)
    foreach(header IN LISTS ARG_HEADERS)
      cmake_path(GET header PARENT_PATH folder)
      string(REGEX REPLACE "^.*/include/" "" folder "${folder}")
      install(FILES "${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}" COMPONENT Development)
    endforeach()
  elseif(kind STREQUAL "api")
    # These are for the programs of this tree: their libraries are not installed.
    install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT Development
            FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "CommandLine.h" EXCLUDE PATTERN "Version.h" EXCLUDE)
  endif()
endfunction()

# avocet_install_program(NAME [COMPONENT]): into bin/, where programs find each other. Without a component: Runtime.
function(avocet_install_program name)
  set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/${AVOCET_LIBRARIES_FROM_PROGRAMS}")
  set(component Runtime ${ARGN})
  list(GET component -1 component)
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT ${component})
endfunction()

# avocet_install_package(): writes the files of find_package(Avocet). Call it after all libraries are declared.
function(avocet_install_package)
  set(config "${CMAKE_BINARY_DIR}/AvocetConfig.cmake")
  set(version "${CMAKE_BINARY_DIR}/AvocetConfigVersion.cmake")
  configure_package_config_file("${AVOCET_PACKAGE_CONFIG}" "${config}" INSTALL_DESTINATION "${AVOCET_PACKAGE_DIR}")
  write_basic_package_version_file("${version}" COMPATIBILITY SameMinorVersion)
  install(FILES "${config}" "${version}" "${CMAKE_SOURCE_DIR}/scripts/cmake/AvocetBackendPlugin.cmake"
          DESTINATION "${AVOCET_PACKAGE_DIR}" COMPONENT Development)
  install(EXPORT AvocetTargets NAMESPACE Avocet:: DESTINATION "${AVOCET_PACKAGE_DIR}" COMPONENT Development)
  install(FILES "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Runtime)
endfunction()

# avocet_install_pass_development(PROGRAM HEADERS files...): the component PassDevelopment: the program that loads passes, the
# headers and TableGen files of the compiler without those of its facade, the generated headers, and HEADERS, those of lower
# layers that these include (the test install.passes finds one that is missing).
function(avocet_install_pass_development program)
  cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
  avocet_install_program(${program} PassDevelopment)
  set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON) # for a shared MLIR
  install(DIRECTORY "${CMAKE_SOURCE_DIR}/compiler/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT PassDevelopment
          FILES_MATCHING PATTERN "*.h" PATTERN "*.td" REGEX "/avocet/compiler/[A-Za-z]+\\.h$" EXCLUDE)
  install(DIRECTORY "${CMAKE_BINARY_DIR}/compiler/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT PassDevelopment
          FILES_MATCHING PATTERN "*.h.inc")
  foreach(header IN LISTS ARG_HEADERS)
    cmake_path(GET header PARENT_PATH folder)
    string(REGEX REPLACE "^.*/include/" "" folder "${folder}")
    install(FILES "${CMAKE_SOURCE_DIR}/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/${folder}" COMPONENT PassDevelopment)
  endforeach()
  set(config "${CMAKE_BINARY_DIR}/AvocetPassesConfig.cmake")
  set(version "${CMAKE_BINARY_DIR}/AvocetPassesConfigVersion.cmake")
  configure_package_config_file("${AVOCET_PASSES_PACKAGE_CONFIG}" "${config}" INSTALL_DESTINATION "${AVOCET_PASSES_PACKAGE_DIR}"
                                PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
  write_basic_package_version_file("${version}" COMPATIBILITY SameMinorVersion)
  install(FILES "${config}" "${version}" DESTINATION "${AVOCET_PASSES_PACKAGE_DIR}" COMPONENT PassDevelopment)
endfunction()
