//===- ModelSteps.cpp - Preparations and caches ------------------------------- ===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "World.h"

#include <fcntl.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace avocet::fuzz {

using hal::ErrorStatus;

namespace {

constexpr size_t kMaxModels = 6;
/// What loads from files answer that are not exactly what was saved.
const Statuses kNotAsSaved = {ErrorStatus::None, ErrorStatus::GeneralFailure, ErrorStatus::InvalidArgument};

hal::SharedHandle memoryFile() {
  return std::make_shared<const FileDescriptor>(std::move(createMemoryFile("cache", 0)).value());
}

off_t sizeOf(int file) { return std::max<off_t>(::lseek(file, 0, SEEK_END), 0); }

void flipBit(int file, uint32_t place) {
  const off_t size = sizeOf(file);
  if (size == 0)
    return;
  uint8_t byte = 0;
  const off_t at = static_cast<off_t>(place) % size;
  if (::pread(file, &byte, 1, at) != 1)
    return;
  byte ^= static_cast<uint8_t>(1u << place % 8);
  (void)!::pwrite(file, &byte, 1, at);
}

/// Changes one of a client's files so that it is not what was saved.
void damage(int file, uint32_t kind, uint32_t place) {
  switch (kind) {
  case 0:
    return flipBit(file, place);
  case 1:
    return (void)!::ftruncate(file, sizeOf(file) / 2);
  case 2:
    return (void)!::ftruncate(file, sizeOf(file) + 1 + place % 100);
  default:
    return (void)!::ftruncate(file, 0);
  }
}

} // namespace

void World::add(size_t connection, std::shared_ptr<const Graph> graph, std::shared_ptr<hal::IPreparedModel> model) {
  if (models_.size() >= kMaxModels)
    models_.erase(models_.begin());
  models_.push_back(
      std::make_shared<Prepared>(Prepared{nextNumber_++, connection, std::move(graph), std::move(model)}));
}

hal::PrepareOptions World::chooseOptions() {
  hal::PrepareOptions options;
  options.priority = static_cast<hal::Priority>(bytes_.below(3));
  options.preference = static_cast<hal::ExecutionPreference>(bytes_.below(3));
  if (bytes_.oneIn(4))
    options.deadline = hal::BootClock::now() + std::chrono::hours(1);
  return options;
}

void World::prepareModel() {
  if (compilationsLeft_ == 0)
    return;
  --compilationsLeft_;
  const size_t connection = bytes_.below(kNumConnections);
  hal::PrepareOptions options = chooseOptions();
  const auto graph = chooseStackGraph(bytes_);
  const bool isLate = bytes_.oneIn(16);
  if (isLate)
    options.deadline = hal::BootClock::now();
  auto prepared = device(connection).prepareModel(modelOf(*graph), options);
  if (isLate)
    return expect("prepareModel after its deadline", prepared, {ErrorStatus::MissedDeadlinePersistent});
  expect("prepareModel", prepared, {ErrorStatus::None});
  add(connection, graph, *prepared);
}

/// In new files, or in those of another model. The token is the model's own, as the HAL requires.
void World::prepareWithCache() {
  if (compilationsLeft_ == 0)
    return;
  --compilationsLeft_;
  std::shared_ptr<CacheSlot> slot = bytes_.oneIn(4) ? any(caches_) : nullptr;
  if (slot == nullptr) {
    slot = std::make_shared<CacheSlot>();
    slot->connection = bytes_.below(kNumConnections);
    slot->files = {{memoryFile()}, {memoryFile()}, {}};
    caches_.push_back(slot);
  }
  slot->files.token = {static_cast<uint8_t>(nextNumber_++), 1};
  hal::PrepareOptions options = chooseOptions();
  options.cache = slot->files;
  slot->graph = chooseStackGraph(bytes_);
  auto prepared = device(slot->connection).prepareModel(modelOf(*slot->graph), options);
  expect("prepareModel with cache files", prepared, {ErrorStatus::None});
  slot->isIntact = true;
  add(slot->connection, slot->graph, *prepared);
}

void World::loadFromCache() {
  const std::shared_ptr<CacheSlot> slot = any(caches_);
  if (slot == nullptr)
    return;
  auto loaded = device(slot->connection).prepareModelFromCache({}, slot->files);
  expect("prepareModelFromCache", loaded, slot->isIntact ? Statuses{ErrorStatus::None} : kNotAsSaved);
  // A model that was loaded gives the results of the saved one, also from files that were damaged.
  if (loaded)
    add(slot->connection, slot->graph, *loaded);
}

/// Another thread changes the files during the load.
void World::loadWhileFilesChange() {
  const std::shared_ptr<CacheSlot> slot = any(caches_);
  if (slot == nullptr)
    return;
  const uint32_t kind = bytes_.below(4), place = bytes_.byte() * 37;
  const int file = (bytes_.oneIn(2) ? slot->files.dataCache : slot->files.modelCache)[0]->get();
  std::thread client([&] { damage(file, kind, place); });
  auto loaded = device(slot->connection).prepareModelFromCache({}, slot->files);
  client.join();
  slot->isIntact = false;
  expect("prepareModelFromCache from files that change", loaded, kNotAsSaved);
  if (loaded)
    add(slot->connection, slot->graph, *loaded);
}

void World::damageCache() {
  const std::shared_ptr<CacheSlot> slot = any(caches_);
  if (slot == nullptr)
    return;
  slot->isIntact = false;
  const uint32_t kind = bytes_.below(6);
  if (kind == 4)
    return std::swap(slot->files.modelCache, slot->files.dataCache);
  if (kind == 5) {
    const std::shared_ptr<CacheSlot> other = any(caches_);
    other->isIntact = false;
    return std::swap(slot->files.modelCache, other->files.modelCache);
  }
  const int file = (bytes_.oneIn(2) ? slot->files.dataCache : slot->files.modelCache)[0]->get();
  damage(file, kind, bytes_.byte() * 37);
}

/// Files of the driver's own cache. The driver compiles again what it cannot read.
void World::damageBlobs() {
  namespace fs = std::filesystem;
  const uint32_t kind = bytes_.below(4), place = bytes_.byte() * 37;
  uint32_t index = bytes_.byte();
  std::error_code ignored;
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(service_.blobFolder(index % 2), ignored)) {
    if (!entry.is_regular_file(ignored) || index-- % 4 != 0)
      continue;
    FileDescriptor file(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC));
    if (file.isValid())
      damage(file.get(), kind, place);
  }
}

} // namespace avocet::fuzz
