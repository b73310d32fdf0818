//===- Plugins.h - Where back ends in shared libraries come from --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plug-ins (BackendPlugin.h) are opened by path, or by the name that their table gives. Names are those of the
// libraries in the variable AVOCET_BACKENDS, and of the libraries in root's list, in this order; names of built-in back
// ends come first.
//
// Restricted processes have rights that a user of them does not have. They accept nothing but the libraries of root's
// list: neither paths nor the variable. The list, each library, and all folders and links on the way to them must
// belong to root, and be writable for no one else. A process that was started with the rights of a file (setuid,
// setgid, file capabilities) is always restricted; the driver service restricts itself.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_PLUGINS_H
#define AVOCET_RUNTIME_PLUGINS_H

#include "avocet/runtime/Backend.h"

#include <string>
#include <string_view>
#include <vector>

namespace avocet::runtime {

/// Root's list: one path of a library in each line, without "#..." at its end.
inline constexpr const char *kPluginList = "/etc/avocet/backends.conf";

/// A library of AVOCET_BACKENDS or of root's list.
struct Plugin {
  std::string path;
  std::string origin; ///< "AVOCET_BACKENDS", or the path of root's list
  Status usable;      ///< why it cannot be opened by name; the members below are then empty
  std::string name;
  std::string version;
  std::string description;
  std::string nodes; ///< device nodes that it needs, or empty
  char requests = 0; ///< letter of its ioctl requests, or 0
};

/// All of them, in the order in which names are looked up; loads them.
std::vector<Plugin> findPlugins();

/// Restricts this process, and loads the libraries of root's list `list`: they stay those of this moment, so that a
/// sandbox can be entered afterwards. Call it before other threads open back ends. FailedPrecondition: others can
/// change the list; NotFound: there is none, except at its usual place. The process is then restricted and has no
/// plug-in.
Status restrictPlugins(const std::string &list = kPluginList);

/// The plug-in that openBackend() would use; NotFound if it would use none, such as for a built-in back end.
Result<Plugin> pluginFor(std::string_view specification);

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_PLUGINS_H
