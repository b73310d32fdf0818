//===- ExportBackend.h - A C++ back end as a plug-in ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the table of BackendPlugin.h from a factory of Backend objects. A plug-in in C++ links Avocet::Runtime, derives
// its class from Backend, or from MemoryBackend if its buffers are memory of this process, and has one line:
//
//   AVOCET_EXPORT_BACKEND("mine", "1.0", "An example", openMine)
//
// The table is all that the plug-in and its host share: they may be built from different releases of Avocet, with
// different compilers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_EXPORTBACKEND_H
#define AVOCET_RUNTIME_EXPORTBACKEND_H

#include "avocet/runtime/Backend.h"
#include "avocet/runtime/BackendPlugin.h"

namespace avocet::runtime {

/// As the members of AvocetBackendTable. The texts live as long as the process.
struct ExportedBackend {
  const char *name;
  const char *version;
  const char *description;
  BackendFactory open;
  const char *nodes = nullptr;
  char requests = 0;
};

/// The table of a library's back end, always the same one: the first call makes it. Exceptions of the back end become
/// AVOCET_BACKEND_INTERNAL.
const AvocetBackendTable *exportBackend(const ExportedBackend &backend);

} // namespace avocet::runtime

/// Defines the function that a plug-in exports. The arguments are those of ExportedBackend.
#define AVOCET_EXPORT_BACKEND(...)                                                                                     \
  extern "C" const AvocetBackendTable *avocetBackendTable(void) {                                                      \
    static const AvocetBackendTable *const table = avocet::runtime::exportBackend({__VA_ARGS__});                      \
    return table;                                                                                                      \
  }

#endif // AVOCET_RUNTIME_EXPORTBACKEND_H
