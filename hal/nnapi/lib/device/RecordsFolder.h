//===- RecordsFolder.h - Where the embedded device keeps its records -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_DEVICE_RECORDSFOLDER_H
#define AVOCET_HAL_NNAPI_LIB_DEVICE_RECORDSFOLDER_H

#include <string>

namespace avocet::nnapi {

/// The folder for the embedded driver's records about cache files: one for each target, below the knob
/// AVOCET_NNAPI_RECORDS or .cache/avocet in the user's home. Empty: there is none, so nothing is cached.
std::string recordsFolder(const std::string &target);

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_DEVICE_RECORDSFOLDER_H
