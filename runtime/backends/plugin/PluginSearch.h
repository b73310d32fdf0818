//===- PluginSearch.h - Plug-ins by name and by path ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINSEARCH_H
#define AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINSEARCH_H

#include "avocet/runtime/BackendPlugin.h"
#include "avocet/runtime/Plugins.h"

namespace avocet::runtime::plugin {

struct FoundPlugin {
  Plugin plugin;
  const AvocetBackendTable *table = nullptr; ///< null: it is not usable
};

/// A usable one, by its name or, if `name` has a slash or ends in ".so", by its path. FailedPrecondition: this process
/// is restricted, or the library is no plug-in. NotFound: there is none; the message says why others are not usable.
Result<FoundPlugin> findPlugin(std::string_view name);

} // namespace avocet::runtime::plugin

#endif // AVOCET_RUNTIME_BACKENDS_PLUGIN_PLUGINSEARCH_H
