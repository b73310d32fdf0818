//===- LibraryFolder.h - Where this library lies -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_LIBRARYFOLDER_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_LIBRARYFOLDER_H

#include <string>

namespace avocet::nnapi {

/// The folder of the file that holds this code; "." if the system does not tell.
std::string libraryFolder();

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_LIBRARYFOLDER_H
