//===- Findings.h - What a check of the machine found -------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DOCTOR_FINDINGS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DOCTOR_FINDINGS_H

#include <chrono>
#include <string>
#include <vector>

namespace avocet::tool {

enum class Health {
  Good,
  Absent, ///< not there; only some uses need it
  Note,   ///< harms nothing, and may not be what the user meant
  Bad,    ///< there, and does not work
};

struct Finding {
  std::string subject; ///< "compiler", "service"
  Health health = Health::Good;
  std::string found;  ///< one line
  std::string advice; ///< what to do; empty: nothing
};

/// Programs and libraries of this installation, and the versions of their formats.
std::vector<Finding> checkInstalledFiles();

/// Nodes of the kernel driver in `folder`.
std::vector<Finding> checkKernelDevices(const std::string &folder);

/// Back ends in libraries of their own: those of AVOCET_BACKENDS and of root's list.
std::vector<Finding> checkPlugins();

/// The service at a socket, or the services of a registry. Each answer is waited for at most `patience`.
std::vector<Finding> checkServices(const std::string &place, std::chrono::milliseconds patience);

/// Environment variables.
std::vector<Finding> checkEnvironment();

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DOCTOR_FINDINGS_H
