//===- Registry.h - Services by name ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A registry is a folder of sockets: the service NAME listens at FOLDER/NAME, as the instance NAME of IDevice does on
// Android. Services of several vendors and versions run beside each other.
//
// The folder must be trusted (avocet/base/TrustedFolder.h): only root and the user of the process can change it. So the
// owner of the folder decided about each socket in it, and a socket may belong to any user. The services themselves are
// not trusted.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WIRE_REGISTRY_H
#define AVOCET_HAL_WIRE_REGISTRY_H

#include "avocet/hal/types/Result.h"

#include <string>
#include <vector>

namespace avocet::hal {

/// Most services that a client looks at.
inline constexpr size_t kMostServices = 64;

/// Whether a client's path denotes a registry; otherwise it is that of a service's socket.
bool isRegistry(const std::string &path);

/// Where the service `name` listens. Needs no socket there. InvalidArgument: the name has other characters than
/// letters, digits, '.', '_' and '-', begins with a dot, or has more than 64; or the folder is not trusted, or absent.
Result<std::string> registryPath(const std::string &folder, const std::string &name);

/// An entry of a registry.
struct RegistryEntry {
  std::string name;
  std::string socket;  ///< its path
  std::string problem; ///< why it is not used; empty: it is a socket
};

/// All entries in byte order of their names, also those that are not used; hidden files are left out. Connects to none:
/// a socket whose service has ended is found by connecting. InvalidArgument: the folder is not trusted, or absent.
Result<std::vector<RegistryEntry>> readRegistry(const std::string &folder);

/// The socket of one service. InvalidArgument: as registryPath(), or it has no usable entry.
Result<std::string> registeredSocket(const std::string &folder, const std::string &name);

} // namespace avocet::hal

#endif // AVOCET_HAL_WIRE_REGISTRY_H
