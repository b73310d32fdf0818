//===- CompilationSteps.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"

#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace avocet::fuzz {
namespace {

/// A folder of this process for cached models. It is emptied when it has grown, and removed at the end of the process.
const std::string &cacheFolder() {
  struct Folder {
    Folder() { std::filesystem::create_directory(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    const std::string path = std::filesystem::temp_directory_path() / ("nnapiFuzz" + std::to_string(getpid()));
  };
  static const Folder kFolder;
  static int uses = 0;
  if (++uses % 256 == 0) {
    std::filesystem::remove_all(kFolder.path);
    std::filesystem::create_directory(kFolder.path);
  }
  return kFolder.path;
}

} // namespace

void World::makeCompilation() {
  const auto model = any(models_);
  if (model == nullptr || compilations_.size() >= 6)
    return;
  auto slot = std::make_shared<CompilationSlot>();
  const uint32_t choice = bytes_.below(static_cast<uint32_t>(devices().size()) + 4);
  std::vector<const ANeuralNetworksDevice *> chosen;
  if (choice < devices().size())
    chosen = {devices()[choice]};
  else if (choice == devices().size())
    chosen = devices();
  ANeuralNetworksCompilation *made = nullptr;
  const int code = chosen.empty()
                       ? ANeuralNetworksCompilation_create(model->handle.get(), &made)
                       : ANeuralNetworksCompilation_createForDevices(model->handle.get(), chosen.data(),
                                                                     static_cast<uint32_t>(chosen.size()), &made);
  slot->handle.reset(made);
  expect("Compilation_create", code, {model->state == State::Finished ? api::kOk : api::kBadState});
  if (code != api::kOk)
    return;
  slot->graph = model->graph;
  slot->numInputs = model->numInputs;
  slot->numOutputs = model->numOutputs;
  slot->inputBytes = model->inputBytes;
  slot->outputBytes = model->outputBytes;
  slot->isOneDevice = chosen.size() == 1;
  compilations_.push_back(std::move(slot));
  if (!bytes_.oneIn(4))
    finishCompilation();
}

void World::setCaching(CompilationSlot &slot) {
  uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = {};
  // The token must identify the model, so that wild ones have none.
  if (slot.graph == nullptr)
    return;
  const size_t hash = std::hash<std::string>()(slot.graph->fingerprint());
  std::memcpy(token, &hash, sizeof(hash));
  const uint32_t choice = bytes_.below(4);
  const std::string folder = choice == 3 ? "/no/such/folder" : choice == 2 ? "/dev/null" : cacheFolder();
  expect("setCaching", ANeuralNetworksCompilation_setCaching(slot.handle.get(), folder.c_str(), token), {api::kOk});
}

void World::setUpCompilation() {
  const auto slot = any(compilations_);
  if (slot == nullptr || slot->state != State::Open)
    return;
  ANeuralNetworksCompilation *raw = slot->handle.get();
  const int32_t value = bytes_.byte();
  const uint8_t data = 1;
  switch (bytes_.below(5)) {
  case 0:
    return expect("setPreference", ANeuralNetworksCompilation_setPreference(raw, value % 8 - 1),
                  {value % 8 >= 1 && value % 8 <= 3 ? api::kOk : api::kBadData});
  case 1: {
    const int priority = value % 4 == 0 ? value : 80 + value % 4 * 10;
    const bool isKnown = priority == 90 || priority == 100 || priority == 110;
    return expect("setPriority", ANeuralNetworksCompilation_setPriority(raw, priority),
                  {isKnown ? api::kOk : api::kBadData});
  }
  case 2: {
    const uint64_t duration = value % 4 == 0 ? 0 : value % 4 == 1 ? 1 : value % 4 == 2 ? 1'000'000 : UINT64_MAX;
    slot->hasTimeout = slot->isOneDevice && (duration == 1 || duration == 1'000'000);
    return expect("setTimeout", ANeuralNetworksCompilation_setTimeout(raw, duration),
                  {slot->isOneDevice ? api::kOk : api::kBadData});
  }
  case 3:
    return expect("addExtensionAttribute",
                  ANeuralNetworksCompilation_addExtensionAttribute(raw, "no.such.extension", 0, &data, 1),
                  {api::kBadData});
  default:
    return setCaching(*slot);
  }
}

void World::finishCompilation() {
  if (compilations_.empty() || compilationsLeft_ == 0)
    return;
  const auto slot = compilations_.back();
  if (slot->state != State::Open)
    return;
  --compilationsLeft_;
  const int code = ANeuralNetworksCompilation_finish(slot->handle.get());
  expectCode("Compilation_finish", code);
  if (slot->graph != nullptr && !slot->hasTimeout)
    expect("Compilation_finish", code, {api::kOk});
  slot->state = code == api::kOk ? State::Finished : State::Failed;
}

void World::useClosedCompilation() {
  const auto slot = any(compilations_);
  if (slot == nullptr)
    return;
  ANeuralNetworksCompilation *raw = slot->handle.get();
  const uint32_t index = bytes_.below(4);
  uint32_t answer = 0;
  const auto usable = [&](size_t count) {
    return slot->state != State::Finished ? api::kBadState : index < count ? api::kOk : api::kBadData;
  };
  switch (bytes_.below(4)) {
  case 0:
    expect("getAlignmentForInput", ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(raw, index, &answer),
           {usable(slot->numInputs)});
    break;
  case 1:
    expect("getPaddingForOutput", ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(raw, index, &answer),
           {usable(slot->numOutputs)});
    break;
  case 2:
    if (slot->state != State::Open)
      expect("finish", ANeuralNetworksCompilation_finish(raw), {api::kBadState});
    break;
  default:
    if (slot->state != State::Open)
      expect("setPriority", ANeuralNetworksCompilation_setPriority(raw, 100), {api::kBadState});
  }
}

void World::makeBurst() {
  const auto compilation = any(compilations_);
  if (compilation == nullptr || bursts_.size() >= 4)
    return;
  ANeuralNetworksBurst *made = nullptr;
  const int code = ANeuralNetworksBurst_create(compilation->handle.get(), &made);
  expect("Burst_create", code, {compilation->state == State::Finished ? api::kOk : api::kBadState});
  if (code == api::kOk)
    bursts_.push_back(std::make_shared<BurstSlot>(BurstSlot{api::Burst(made), compilation}));
}

} // namespace avocet::fuzz
