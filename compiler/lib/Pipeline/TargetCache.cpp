//===- TargetCache.cpp - Cache of loaded targets ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetCache.h"

#include <map>
#include <mutex>

namespace avocet::compiler {

Result<std::shared_ptr<const firmware::Target>> cachedTarget(const std::string &nameOrPath) {
  static std::mutex mutex; // guards targets; held while a file is read, because all callers need the result
  static std::map<std::string, std::shared_ptr<const firmware::Target>> targets;
  std::lock_guard lock(mutex);
  std::shared_ptr<const firmware::Target> &target = targets[nameOrPath];
  if (target == nullptr) {
    Result<std::shared_ptr<const firmware::Target>> loaded = firmware::Target::load(nameOrPath);
    if (!loaded) {
      targets.erase(nameOrPath);
      return loaded;
    }
    target = *loaded;
  }
  return target;
}

} // namespace avocet::compiler
