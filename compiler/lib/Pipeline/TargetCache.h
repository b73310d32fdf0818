//===- TargetCache.h - Targets that were loaded once -*- C++ -*-===//
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

/// As firmware::Target::load(), but each name or path is loaded once in the life of the process: a program that gives
/// up its right to open files can compile for the targets that it compiled for before. Failures are not kept.
/// Thread-safe.
Result<std::shared_ptr<const firmware::Target>> cachedTarget(const std::string &nameOrPath);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_PIPELINE_TARGETCACHE_H
