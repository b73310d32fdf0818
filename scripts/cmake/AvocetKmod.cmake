# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The component Kmod of the installation: the kernel driver's sources for dkms, and the files that give its devices to
# users. Call avocet_install_kmod() with the folder of the driver.

function(avocet_install_kmod folder)
  set(sources "src/avocet-${PROJECT_VERSION}")
  set(PREFIX "@PREFIX@") # known when the files are installed
  foreach(file dkms.conf avocet-accel.4)
    configure_file("${folder}/kmod/package/${file}.in" "${CMAKE_CURRENT_BINARY_DIR}/${file}.in" @ONLY)
    install(CODE "
      set(PREFIX \"\${CMAKE_INSTALL_PREFIX}\")
      configure_file(\"${CMAKE_CURRENT_BINARY_DIR}/${file}.in\" \"${CMAKE_CURRENT_BINARY_DIR}/${file}\" @ONLY)"
      COMPONENT Kmod)
  endforeach()
  install(DIRECTORY "${folder}/kmod" "${folder}/uapi" DESTINATION "${sources}" COMPONENT Kmod
          FILES_MATCHING PATTERN "*.[ch]" PATTERN "Kbuild" PATTERN "package" EXCLUDE)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/dkms.conf" "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${sources}" COMPONENT Kmod)
  install(FILES "${folder}/kmod/package/60-avocet.rules" DESTINATION lib/udev/rules.d COMPONENT Kmod)
  install(FILES "${folder}/kmod/package/avocet.conf" DESTINATION lib/modprobe.d COMPONENT Kmod)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/avocet-accel.4" DESTINATION "${CMAKE_INSTALL_MANDIR}/man4" COMPONENT Kmod)
endfunction()
