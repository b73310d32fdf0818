//===- Division.h - Networks with operators on the host ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_NETWORK_DIVISION_H
#define AVOCET_NETWORK_DIVISION_H

#include "avocet/network/ModelSource.h"
#include "avocet/session/DividedNetwork.h"

namespace avocet::network {

/// Divides a network that the target refuses, and compiles its parts (compiler/docs/Partition.md). Operators that
/// `choice.operators` names are the application's, others the CPU's. Unsupported: an operator is neither's; the message
/// names it and says what to do. Only operators that the target refuses leave the device.
Result<session::LoadedModel> loadDivided(const ModelChoice &choice, Observer &observer);

/// Whether `avocet compile --partition` wrote the folder.
bool isDivisionDir(const std::string &path);

/// The same of the files in such a folder. DataLoss: they contradict each other.
Result<session::LoadedModel> loadDivisionDir(const ModelChoice &choice, Observer &observer);

} // namespace avocet::network

#endif // AVOCET_NETWORK_DIVISION_H
