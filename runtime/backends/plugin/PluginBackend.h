//===- PluginBackend.h - The table of a plug-in as a back end ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINBACKEND_H
#define AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINBACKEND_H

#include "avocet/runtime/Backend.h"
#include "avocet/runtime/BackendPlugin.h"

namespace avocet::runtime::plugin {

/// Opens a device of a plug-in. `table` has passed checkTable() and lives as long as the process. FailedPrecondition:
/// what the device says about itself breaks a limit of the table, or it has another target.
Result<std::unique_ptr<Backend>> openPluginBackend(const AvocetBackendTable &table, const BackendOptions &options,
                                                   std::string_view argument);

} // namespace avocet::runtime::plugin

#endif // AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINBACKEND_H
