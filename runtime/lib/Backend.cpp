//===- Backend.cpp - Back ends by name --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Backend.h"

#include "NullBackend.h"
#include "RecorderBackend.h"

#include <fmt/format.h>
#include <map>
#include <mutex>

namespace avocet::runtime {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, BackendFactory, std::less<>> factories = {{"null", openNullBackend},
                                                                  {"recorder", openRecorderBackend}};
};

Registry &registry() {
  static Registry instance;
  return instance;
}

} // namespace

void registerBackend(std::string_view name, BackendFactory factory) {
  std::lock_guard lock(registry().mutex);
  registry().factories.insert_or_assign(std::string(name), std::move(factory));
}

std::vector<std::string> backendNames() {
  std::lock_guard lock(registry().mutex);
  std::vector<std::string> names;
  for (const auto &[name, factory] : registry().factories)
    names.push_back(name);
  return names;
}

Result<std::unique_ptr<Backend>> openBackend(std::string_view specification, const BackendOptions &options) {
  if (options.target == nullptr)
    return invalidArgument("open: no target was given");
  size_t colon = specification.find(':');
  std::string_view name = specification.substr(0, colon);
  std::string_view argument = colon == std::string_view::npos ? "" : specification.substr(colon + 1);
  BackendFactory factory;
  {
    std::lock_guard lock(registry().mutex);
    if (auto entry = registry().factories.find(name); entry != registry().factories.end())
      factory = entry->second;
  }
  if (!factory)
    return notFound(fmt::format("there is no back end '{}'; known: {}", name, fmt::join(backendNames(), ", ")));
  return factory(options, argument);
}

} // namespace avocet::runtime
