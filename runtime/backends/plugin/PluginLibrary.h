//===- PluginLibrary.h - Loads the table of a plug-in -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINLIBRARY_H
#define AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINLIBRARY_H

#include "avocet/base/Status.h"
#include "avocet/runtime/BackendPlugin.h"

#include <string>

namespace avocet::runtime::plugin {

/// The table of a library, checked: version, size, name, and that no required function is missing. The library stays
/// loaded until the process ends, and a path is loaded once. Messages begin with the path and end with what to do.
/// Thread-safe. NotFound: there is no such file. FailedPrecondition: it is no plug-in for this process.
Result<const AvocetBackendTable *> loadTable(const std::string &path);

/// Whether `table` has all that a host of this version needs. `path` is for messages.
Status checkTable(const AvocetBackendTable *table, const std::string &path);

/// InvalidArgument: the file is no complete shared library for this processor; the message begins with "it". The
/// dynamic linker does not detect a truncated file: the process then ends with a signal.
Status checkElfLibrary(const std::string &path);

} // namespace avocet::runtime::plugin

#endif // AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINLIBRARY_H
