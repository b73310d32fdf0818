//===- ServiceSandbox.h - Rights that the service gives up -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a service for untrusted clients does before it serves: it gives up root, then everything that it does not need.
// Each step is final for the process and what it starts.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_SERVICESANDBOX_H
#define AVOCET_HAL_SERVICESANDBOX_H

#include "avocet/base/Status.h"

#include <string>
#include <vector>

namespace avocet::hal {

/// Becomes another user, with that user's groups: for processes that root started. NotFound: there is no such user.
/// FailedPrecondition: this process may not become another user.
avocet::Status becomeUser(const std::string &user);

/// No core files, which would hold the memory of clients.
void limitResources();

struct SandboxPaths {
  std::vector<std::string> readable;  ///< files and folders to be read later, with what is below
  std::vector<std::string> writable;  ///< folders in which files are made, written, renamed and deleted, with all below
  std::vector<std::string> removable; ///< folders from which files are deleted
};

/// Restricts which files the process may open from now on; descriptors that it has or gets stay usable. TCP and
/// abstract sockets are restricted where the kernel can do so. Call it before threads start. Paths that do not exist
/// are skipped. Unsupported: the kernel has no Landlock. Does nothing in sanitizer builds, which open files of their
/// own.
avocet::Status restrictFiles(const SandboxPaths &paths);

/// How the process makes its code: with None no code can be added to it, so that nothing can be loaded.
enum class NewCode { None, Loaded };

/// Stops all system calls but those of the service, for all threads: no new programs and processes, no sockets but
/// those of Unix, no tracing, mounting, loading of modules and the like. A stopped call fails with EPERM; the first of
/// each kind is named on the standard error stream. Unsupported: the kernel has no seccomp.
avocet::Status restrictSystemCalls(NewCode newCode);

} // namespace avocet::hal

#endif // AVOCET_HAL_SERVICESANDBOX_H
