//===- PluginLibrary.cpp - Loads the table of a plug-in ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginLibrary.h"

#include "avocet/base/File.h"
#include "avocet/base/Log.h"

#include <algorithm>
#include <cstddef>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <string_view>

namespace avocet::runtime::plugin {
namespace {

constexpr const char *kSymbol = "avocetBackendTable";
constexpr size_t kMostName = 32;
constexpr const char *kAdvice = "see avocet/runtime/BackendPlugin.h";

/// The size of the struct in version 1.0.
constexpr uint32_t kFirstSize = offsetof(AvocetBackendTable, finish) + sizeof(void *);

Status refusal(const std::string &path, const std::string &what) {
  return failedPrecondition(fmt::format("{} cannot be used as a back end: {}", path, what));
}

/// Texts come from the library's memory: at most `most` bytes are read.
bool isName(const char *name) {
  if (name == nullptr)
    return false;
  const std::string_view text(name, ::strnlen(name, kMostName + 1));
  return !text.empty() && text.size() <= kMostName && std::ranges::all_of(text, [](char each) {
    return (each >= 'a' && each <= 'z') || (each >= '0' && each <= '9') || each == '-' || each == '_';
  });
}

struct Required {
  const char *name;
  bool isMissing;
};

Status checkFunctions(const AvocetBackendTable &table, const std::string &path) {
  for (const Required &each : {Required{"open", !table.open},
                               {"close", !table.close},
                               {"properties", !table.properties},
                               {"createContext", !table.createContext},
                               {"destroyContext", !table.destroyContext},
                               {"createBuffer", !table.createBuffer},
                               {"importBuffer", !table.importBuffer},
                               {"exportBuffer", !table.exportBuffer},
                               {"destroyBuffer", !table.destroyBuffer},
                               {"map", !table.map},
                               {"unmap", !table.unmap},
                               {"submit", !table.submit},
                               {"cancel", !table.cancel},
                               {"wait", !table.wait},
                               {"reset", !table.reset}})
    if (each.isMissing)
      return refusal(path, fmt::format("its table has no function '{}'; only importMemory, drive and finish may be "
                                       "NULL; {}",
                                       each.name, kAdvice));
  return Status::ok();
}

Result<const AvocetBackendTable *> load(const std::string &path) {
  if (const Status status = checkElfLibrary(path); !status.isOk())
    return refusal(path, status.message());
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return refusal(path, fmt::format("the dynamic linker says: {}", ::dlerror()));
  const auto getTable = reinterpret_cast<AvocetBackendTableFunction>(::dlsym(library, kSymbol));
  if (getTable == nullptr)
    return refusal(path, fmt::format("it exports no function {}; {}", kSymbol, kAdvice));
  const AvocetBackendTable *table = getTable();
  AVOCET_RETURN_IF_ERROR(checkTable(table, path));
  logMessage(LogLevel::Debug, "runtime", "loaded the back end {} {} from {}", table->name, table->version, path);
  return table;
}

} // namespace

Status checkTable(const AvocetBackendTable *table, const std::string &path) {
  if (table == nullptr)
    return refusal(path, "it says that it cannot work in this process");
  const uint32_t major = table->abi >> 16, minor = table->abi & 0xFFFFu;
  if (major != AVOCET_BACKEND_ABI_MAJOR)
    return refusal(path,
                   fmt::format("its table has version {}.{}, this program uses {}.{}; build it with the header of "
                               "this release",
                               major, minor, AVOCET_BACKEND_ABI_MAJOR, AVOCET_BACKEND_ABI_MINOR));
  if (table->size < kFirstSize)
    return refusal(path, fmt::format("its table has {} bytes, at least {} are needed; set `size` to "
                                     "sizeof(AvocetBackendTable)",
                                     table->size, kFirstSize));
  if (!isName(table->name))
    return refusal(path, fmt::format("its table has no valid name: 1 to {} of a to z, 0 to 9, '-' and '_'", kMostName));
  if (table->version == nullptr || table->description == nullptr)
    return refusal(path, fmt::format("its table has no version or description; {}", kAdvice));
  return checkFunctions(*table, path);
}

Result<const AvocetBackendTable *> loadTable(const std::string &path) {
  static std::mutex mutex;
  static std::map<std::string, const AvocetBackendTable *> loaded; ///< by path without links
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  if (error)
    return errnoStatus(error.value(), "cannot open the back end " + path);
  std::lock_guard lock(mutex);
  if (const auto entry = loaded.find(real); entry != loaded.end())
    return entry->second;
  AVOCET_ASSIGN_OR_RETURN(const AvocetBackendTable *table, load(real));
  loaded.emplace(real, table);
  return table;
}

} // namespace avocet::runtime::plugin
