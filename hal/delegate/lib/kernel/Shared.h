//===- Shared.h - What the partitions of a delegate share - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_KERNEL_SHARED_H
#define AVOCET_HAL_DELEGATE_LIB_KERNEL_SHARED_H

#include "avocet/hal/plugin/Area.h"
#include "avocet/hal/plugin/Counters.h"
#include "avocet/hal/plugin/Engine.h"
#include "kernel/Profile.h"

#include <map>
#include <mutex>
#include <vector>

namespace avocet::delegate {

using plugin::Area, plugin::Areas, plugin::Engine, plugin::Network, plugin::Place, plugin::Prepared;

/// Compiled partitions of a graph, by their nodes.
using PlannedNetworks = std::map<std::vector<int32_t>, Prepared>;

struct Shared {
  std::unique_ptr<Engine> engine;
  Areas areas;
  plugin::Counters counters;
  Profile profile;

  std::mutex planning;     ///< held while the interpreter replaces nodes; guards `planned`
  PlannedNetworks planned; ///< of the graph whose nodes are being replaced
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_KERNEL_SHARED_H
