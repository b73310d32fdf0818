//===- InterpreterVersion.cpp - Which TensorFlow Lite calls -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/InterpreterVersion.h"

#include <cstdio>
#include <dlfcn.h>
#include <utility>

namespace avocet::delegate {

bool isInterpreterSince(const abi::Context &context, int major, int minor) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(context.getExecutionPlan), &info) == 0 || info.dli_fname == nullptr)
    return false;
  // Already loaded, perhaps where dlsym(RTLD_DEFAULT) does not look.
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr)
    return false;
  int found[2] = {0, 0};
  if (auto version = reinterpret_cast<const char *(*)()>(dlsym(library, "TfLiteVersion")))
    if (std::sscanf(version(), "%d.%d", &found[0], &found[1]) != 2) // NOLINT(cert-err34-c): two numbers or nothing
      found[0] = 0;
  dlclose(library);
  return std::pair(found[0], found[1]) >= std::pair(major, minor);
}

} // namespace avocet::delegate
