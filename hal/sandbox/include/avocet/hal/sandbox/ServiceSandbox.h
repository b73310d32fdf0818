//===- ServiceSandbox.h - Rights that the service drops -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps of a service for untrusted clients before it serves: it drops root, then all rights that it does not need. Each
// step is final for the process and its children.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SANDBOX_SERVICESANDBOX_H
#define AVOCET_HAL_SANDBOX_SERVICESANDBOX_H

#include "avocet/base/Status.h"

#include <string>
#include <vector>

namespace avocet::hal {

/// Switches to another user, with that user's groups; for processes that root started. NotFound: there is no such user.
/// FailedPrecondition: this process may not switch to another user.
avocet::Status becomeUser(const std::string &user);

/// Disables core files, which would contain the memory of clients.
void limitResources();

struct SandboxPaths {
  std::vector<std::string> readable;  ///< files and folders to be read later, with all contents
  std::vector<std::string> writable;  ///< folders in which files are made, written, renamed and deleted, recursively
  std::vector<std::string> removable; ///< folders from which files are deleted
  std::vector<std::string> devices;   ///< device nodes that are opened, or folders of them
};

/// Restricts which files the process may open from now on; descriptors that it holds or receives stay usable. TCP and
/// abstract sockets are restricted where the kernel can do so. Call it before threads start. Paths that do not exist
/// are skipped. Unsupported: the kernel has no Landlock. Does nothing in sanitizer builds, whose run-time libraries
/// open files.
avocet::Status restrictFiles(const SandboxPaths &paths);

/// Letters of ioctl requests (_IOC_TYPE), which name their driver: none; those of graphics and accelerators (DRM).
inline constexpr char kNoRequests = 0, kDrmRequests = 'd';

/// Whether the process may load code later. None: no executable mapping can be added, so no library can be loaded.
enum class NewCode { None, Loaded };

/// Stops all system calls but those of the service, for all threads: no new programs and processes, only Unix-domain
/// sockets, no tracing, mounting, loading of modules and the like. A stopped call fails with EPERM; the first of each
/// kind is named on the standard error stream. `requests`: the letter of ioctl requests that stay allowed. Unsupported:
/// the kernel has no seccomp.
avocet::Status restrictSystemCalls(NewCode newCode, char requests = kNoRequests);

} // namespace avocet::hal

#endif // AVOCET_HAL_SANDBOX_SERVICESANDBOX_H
