//===- PluginSearch.cpp - Plug-ins by name and by path ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginSearch.h"

#include "PluginLibrary.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/TrustedFolder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <optional>
#include <sys/auxv.h>

namespace avocet::runtime {
namespace plugin {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kMostListBytes = 1 << 20;

using Found = std::vector<FoundPlugin>;

/// What restrictPlugins() has set.
struct Restriction {
  std::mutex mutex;
  std::optional<Found> found; ///< nothing: the process is not restricted, or has not looked yet
  std::string list = kPluginList;
};

Restriction &restriction() {
  static Restriction instance;
  return instance;
}

/// Whether the process was started with more rights than its user has.
bool hasForeignRights() { return ::getauxval(AT_SECURE) != 0; }

FoundPlugin described(const std::string &path, const std::string &origin, const AvocetBackendTable &table) {
  return {.plugin = {.path = path,
                     .origin = origin,
                     .usable = Status::ok(),
                     .name = table.name,
                     .version = cleanLine(table.version),
                     .description = cleanLine(table.description),
                     .nodes = table.nodes == nullptr ? "" : table.nodes,
                     .requests = static_cast<char>(table.requests)},
          .table = &table};
}

FoundPlugin refused(const std::string &path, const std::string &origin, Status why) {
  FoundPlugin found;
  found.plugin.path = path;
  found.plugin.origin = origin;
  found.plugin.usable = std::move(why);
  return found;
}

/// Adds a library of a list. Names must be unique, since the first one of a name is opened.
void add(const std::string &path, const std::string &origin, Found &found) {
  const Result<const AvocetBackendTable *> table = loadTable(path);
  if (!table) {
    found.push_back(refused(path, origin, table.status()));
    return;
  }
  const std::string name = (*table)->name;
  const std::vector<std::string> builtIn = backendNames();
  if (std::ranges::find(builtIn, name) != builtIn.end()) {
    found.push_back(
        refused(path, origin,
                failedPrecondition(fmt::format("{} has the name '{}' of a built-in back end; open it by its "
                                               "path, or give it another name",
                                               path, name))));
    return;
  }
  for (const FoundPlugin &other : found)
    if (other.table != nullptr && other.plugin.name == name) {
      if (other.table != *table)
        found.push_back(
            refused(path, origin,
                    failedPrecondition(fmt::format("{} has the name '{}' of {}; open it by its path, or give "
                                                   "it another name",
                                                   path, name, other.plugin.path))));
      return;
    }
  found.push_back(described(path, origin, **table));
}

/// The libraries of a folder in the order of their names; the path itself if it is no folder.
std::vector<std::string> librariesOf(const std::string &path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    return {path};
  std::vector<std::string> paths;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".so")
      paths.push_back(entry->path().string());
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end != 0)
      parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// The folder of a file, which only root can change.
Result<TrustedFolder> folderOfRoot(const fs::path &path) {
  return TrustedFolder::open(path.parent_path().string(), TrustedFolder::Missing::Error, TrustedFolder::Owners::Root);
}

/// The line without its comment and the spaces around it.
std::string_view pathIn(std::string_view line) {
  constexpr std::string_view kSpaces = " \t\r";
  line = line.substr(0, line.find('#'));
  const size_t begin = line.find_first_not_of(kSpaces);
  return begin == std::string_view::npos ? "" : line.substr(begin, line.find_last_not_of(kSpaces) - begin + 1);
}

Status checkOfRoot(const std::string &path) {
  if (!fs::path(path).is_absolute())
    return invalidArgument(fmt::format("'{}' is no absolute path; write the whole path", path));
  AVOCET_ASSIGN_OR_RETURN(const TrustedFolder folder, folderOfRoot(path));
  return folder.openFile(fs::path(path).filename().string(), TrustedFolder::Access::Read).status();
}

Status addOfRoot(const std::string &list, Found &found) {
  AVOCET_ASSIGN_OR_RETURN(const TrustedFolder folder, folderOfRoot(list));
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                          folder.readFile(fs::path(list).filename().string(), kMostListBytes));
  for (const std::string &line : split({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, '\n')) {
    const std::string path(pathIn(line));
    if (path.empty())
      continue;
    if (Status status = checkOfRoot(path); !status.isOk())
      found.push_back(refused(path, list, std::move(status)));
    else
      add(path, list, found);
  }
  return Status::ok();
}

/// The libraries of root's list. A list that is not there is empty; one that others can change is not used.
Found searchListOfRoot(const std::string &list, Found found) {
  if (Status status = addOfRoot(list, found); !status.isOk() && status.code() != StatusCode::NotFound)
    found.push_back(refused(list, list, std::move(status)));
  return found;
}

Found search() {
  std::lock_guard lock(restriction().mutex);
  if (restriction().found)
    return *restriction().found;
  if (hasForeignRights()) {
    restriction().found = searchListOfRoot(kPluginList, {});
    return *restriction().found;
  }
  Found found;
  for (const std::string &entry : split(knobText(knobs::kBackends), ':'))
    for (const std::string &path : librariesOf(entry))
      add(path, std::string(knobs::kBackends.name), found);
  return searchListOfRoot(kPluginList, std::move(found));
}

bool isRestricted() {
  std::lock_guard lock(restriction().mutex);
  return restriction().found.has_value() || hasForeignRights();
}

std::string listOfRoot() {
  std::lock_guard lock(restriction().mutex);
  return restriction().list;
}

bool isPath(std::string_view name) { return name.find('/') != std::string_view::npos || name.ends_with(".so"); }

Status absence(std::string_view name, const Found &found) {
  std::vector<std::string> names = backendNames();
  std::string unusable;
  for (const FoundPlugin &each : found)
    if (each.table != nullptr)
      names.push_back(each.plugin.name);
    else
      unusable += fmt::format("; not usable: {}", each.plugin.usable.message());
  return notFound(fmt::format("there is no back end '{}'; known: {}; a plug-in is given by its path, or by its name if "
                              "{} has its path{}",
                              name, fmt::join(names, ", "), knobs::kBackends.name, unusable));
}

Result<FoundPlugin> findByPath(const std::string &path) {
  if (!isRestricted()) {
    AVOCET_ASSIGN_OR_RETURN(const AvocetBackendTable *table, loadTable(path));
    return described(path, path, *table);
  }
  for (const FoundPlugin &each : search())
    if (each.table != nullptr && each.plugin.path == path)
      return each;
  return failedPrecondition(
      fmt::format("back end {}: this process uses no plug-ins but those that root has listed; add "
                  "the path to {} as root, and give the name of the back end",
                  path, listOfRoot()));
}

} // namespace

Result<FoundPlugin> findPlugin(std::string_view name) {
  if (isPath(name))
    return findByPath(std::string(name));
  Found found = search();
  for (FoundPlugin &each : found)
    if (each.table != nullptr && each.plugin.name == name)
      return std::move(each);
  return absence(name, found);
}

} // namespace plugin

std::vector<Plugin> findPlugins() {
  std::vector<Plugin> plugins;
  for (plugin::FoundPlugin &each : plugin::search())
    plugins.push_back(std::move(each.plugin));
  return plugins;
}

Status restrictPlugins(const std::string &list) {
  plugin::Found found;
  Status status = plugin::addOfRoot(list, found);
  if (status.code() == StatusCode::NotFound && list == kPluginList)
    status = Status::ok();
  std::lock_guard lock(plugin::restriction().mutex);
  plugin::restriction().found = std::move(found);
  plugin::restriction().list = list;
  return status;
}

Result<Plugin> pluginFor(std::string_view specification) {
  const std::string_view name = specification.substr(0, specification.find(':'));
  const std::vector<std::string> builtIn = backendNames();
  if (std::ranges::find(builtIn, name) != builtIn.end())
    return notFound(fmt::format("back end '{}' is no plug-in", name));
  AVOCET_ASSIGN_OR_RETURN(plugin::FoundPlugin found, plugin::findPlugin(name));
  return std::move(found.plugin);
}

} // namespace avocet::runtime
