//===- Plugin.cpp - The exported functions ----------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/Factory.h"

#include "avocet/base/Version.h"

using namespace avocet;
using namespace avocet::ort;

/// "0.1.0": a semantic version has no commit.
static std::string releaseText() {
  const std::string_view text = versionAndCommit();
  return std::string(text.substr(0, text.find(' ')));
}

/// Called by the runtime when an application registers the library. An error if the runtime is too old.
extern "C" abi::Status *CreateEpFactories(const char *, const abi::ApiBase *base, const abi::Logger *,
                                          abi::Factory **factories, size_t most, size_t *count) {
  *count = 0;
  const Result<Runtime> runtime = Runtime::open(*base);
  if (!runtime)
    return Runtime::errorOf(*base, runtime.status());
  return runtime->guarded([&]() -> Status {
    if (most == 0)
      return invalidArgument("the runtime has no place for a factory");
    AVOCET_ASSIGN_OR_RETURN(std::unique_ptr<Factory> factory, Factory::make(*runtime, releaseText()));
    factories[0] = factory.release();
    *count = 1;
    return Status::ok();
  });
}

extern "C" abi::Status *ReleaseEpFactory(abi::Factory *factory) {
  delete Factory::of(factory);
  return nullptr;
}
