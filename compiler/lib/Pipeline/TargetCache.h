//===- TargetCache.h - Cache of loaded targets ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_PIPELINE_TARGETCACHE_H
#define AVOCET_COMPILER_LIB_PIPELINE_TARGETCACHE_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/Target.h"

#include <memory>
#include <string>

namespace avocet::compiler {

/// As firmware::Target::load(), but loads each name or path once per process. A process that has given up its right to
/// open files can still compile for targets loaded before. Failures are not cached. Thread-safe.
Result<std::shared_ptr<const firmware::Target>> cachedTarget(const std::string &nameOrPath);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_TARGETCACHE_H
