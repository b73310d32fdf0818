//===- Record.cpp - The result of one design point --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Record.h"

#include "avocet/base/Checksum.h"
#include "model/Networks.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/file.h>
#include <unistd.h>

namespace avocet::tool {
namespace {

using Json = nlohmann::ordered_json;

/// Part of every key: results of another form are computed again.
constexpr int kFormVersion = 2;

constexpr std::array<std::string_view, 3> kStates = {"ok", "refused", "failed"};

/// Calls visit(key, field) for each figure of a record, in the order of the file.
void visitFigures(auto &record, auto &&visit) {
  visit("cycles", record.cycles);
  visit("roofline_cycles", record.rooflineCycles);
  visit("device_cycles", record.deviceCycles);
  visit("energy_picojoules", record.energyPicojoules);
  visit("sram_peak_bytes", record.sramPeakBytes);
  visit("sram_traffic_bytes", record.sramTrafficBytes);
  visit("dram_bytes", record.dramBytes);
  visit("refetched_bytes", record.refetchedBytes);
  visit("spilled_bytes", record.spilledBytes);
  visit("bound", record.bound);
}

/// The same for the columns of a layer.
void visitColumns(auto &layer, auto &&visit) {
  visit("name", layer.name);
  visit("operation", layer.operation);
  visit("engine", layer.engine);
  visit("tiles", layer.tiles);
  visit("largest_tile", layer.largestTile);
  visit("sram_bytes", layer.sramBytes);
  visit("dram_bytes", layer.dramBytes);
  visit("cycles", layer.cycles);
}

/// Columns, not rows: the names of the columns would be most of the file.
Json layersToJson(const std::vector<LayerSchedule> &layers) {
  Json columns = Json::object();
  for (const LayerSchedule &layer : layers)
    visitColumns(layer, [&](const char *key, const auto &field) { columns[key].push_back(field); });
  return columns;
}

std::vector<LayerSchedule> layersFromJson(const Json &columns) {
  std::vector<LayerSchedule> layers(columns.contains("name") ? columns.at("name").size() : 0);
  for (size_t i = 0; i < layers.size(); ++i)
    visitColumns(layers[i], [&](const char *key, auto &field) { columns.at(key).at(i).get_to(field); });
  return layers;
}

Record recordFromJson(const Json &json) {
  Record record;
  json.at("key").get_to(record.key);
  const std::string state = json.at("state").get<std::string>();
  const auto found = std::ranges::find(kStates, state);
  if (found == kStates.end())
    throw std::out_of_range(state);
  record.state = static_cast<PointState>(found - kStates.begin());
  if (record.state != PointState::Ok) {
    json.at("reason").get_to(record.reason);
    return record;
  }
  visitFigures(record, [&](const char *key, auto &field) { json.at(key).get_to(field); });
  record.layers = layersFromJson(json.at("layers"));
  return record;
}

} // namespace

std::string_view toString(PointState state) { return kStates[static_cast<size_t>(state)]; }

bool LayerSchedule::hasSameSchedule(const LayerSchedule &other) const {
  const auto decisions = [](const LayerSchedule &layer) {
    return std::tie(layer.operation, layer.engine, layer.tiles, layer.largestTile, layer.sramBytes, layer.dramBytes);
  };
  return decisions(*this) == decisions(other);
}

std::string recordLine(const Record &record) {
  Json json = {{"key", record.key}, {"state", toString(record.state)}};
  if (record.state == PointState::Ok) {
    visitFigures(record, [&](const char *key, const auto &field) { json[key] = field; });
    json["layers"] = layersToJson(record.layers);
  } else {
    json["reason"] = record.reason;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Record> parseRecord(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object())
    return std::nullopt;
  try {
    return recordFromJson(json);
  } catch (const std::exception &) { // a member is absent or has another type
    return std::nullopt;
  }
}

std::string pointKey(const std::string &modelChecksum, uint64_t targetFingerprint, const std::string &build,
                     const std::string &options) {
  const std::string text =
      fmt::format("{}\n{}\n{:016x}\n{}\n{}", kFormVersion, modelChecksum, targetFingerprint, build, options);
  return hexText(checksumOf({{reinterpret_cast<const uint8_t *>(text.data()), text.size()}}));
}

namespace {

namespace files = std::filesystem;

Result<std::set<std::string>> resultFiles(const std::string &folder) {
  std::set<std::string> paths; // sorted: the order of reading does not depend on the file system
  std::error_code error;
  for (files::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".jsonl")
      paths.insert(entry->path().string());
  if (error)
    return errnoStatus(error.value(), "cannot read the folder " + folder);
  return paths;
}

Status writeAll(const FileDescriptor &file, std::string_view text, const std::string &path) {
  while (!text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return errnoStatus(errno, "cannot write " + path);
    text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(written, 0)));
  }
  return Status::ok();
}

/// Whether the last line of a file has no end, because its writer was killed.
Result<bool> endsInLine(const FileDescriptor &file, const std::string &path) {
  AVOCET_ASSIGN_OR_RETURN(const uint64_t size, fileSize(file, path));
  char last = '\n';
  if (size > 0 && ::pread(file.get(), &last, 1, static_cast<off_t>(size - 1)) != 1)
    return errnoStatus(errno, "cannot read " + path);
  return last != '\n';
}

} // namespace

Result<ResultStore> ResultStore::open(const std::string &folder) {
  std::error_code error;
  files::create_directories(folder, error);
  if (error)
    return errnoStatus(error.value(), "cannot create the folder " + folder);
  ResultStore store(folder);
  AVOCET_RETURN_IF_ERROR(store.refresh());
  return store;
}

Status ResultStore::startWriting(const std::string &writer) {
  outputPath_ = folder_ + "/" + writer + ".jsonl";
  output_ = FileDescriptor(::open(outputPath_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!output_.isValid())
    return errnoStatus(errno, "cannot open " + outputPath_);
  if (::flock(output_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return failedPrecondition(fmt::format("{}: another exploration writes to this file; wait until it has ended, or "
                                          "give another directory with -o",
                                          outputPath_)); // other errors: a file system without locks
  AVOCET_ASSIGN_OR_RETURN(const bool isCut, endsInLine(output_, outputPath_));
  return isCut ? writeAll(output_, "\n", outputPath_) : Status::ok();
}

Status ResultStore::refresh() {
  AVOCET_ASSIGN_OR_RETURN(const std::set<std::string> paths, resultFiles(folder_));
  for (const std::string &path : paths)
    AVOCET_RETURN_IF_ERROR(readNew(path));
  return Status::ok();
}

Status ResultStore::readNew(const std::string &path) {
  uint64_t &begin = readBytes_[path];
  std::error_code error;
  if (files::file_size(path, error) <= begin && !error)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes, readFile(path));
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  for (size_t end = text.find('\n', begin); end != std::string_view::npos; end = text.find('\n', begin)) {
    if (std::optional<Record> record = parseRecord(text.substr(begin, end - begin)))
      keep(std::move(*record));
    begin = end + 1;
  }
  return Status::ok();
}

Status ResultStore::append(Record record) {
  AVOCET_RETURN_IF_ERROR(writeAll(output_, recordLine(record) + "\n", outputPath_));
  keep(std::move(record));
  return Status::ok();
}

/// Files have no order in time: a complete record counts more than a failed attempt in another file.
void ResultStore::keep(Record record) {
  auto [place, isNew] = records_.try_emplace(record.key);
  if (isNew || record.state != PointState::Failed || place->second.state == PointState::Failed)
    place->second = std::move(record);
}

const Record *ResultStore::find(const std::string &key) const {
  const auto found = records_.find(key);
  return found == records_.end() ? nullptr : &found->second;
}

} // namespace avocet::tool
