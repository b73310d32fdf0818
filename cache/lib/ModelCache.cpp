//===- ModelCache.cpp - A verified view of a model cache --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/cache/ModelCache.h"

#include "ModelFile.h"
#include "Verify.h"
#include "avocet/cache/ModelDescription.h"
#include "modelCache_generated.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

namespace avocet::cache {

static_assert(std::endian::native == std::endian::little, "vectors of the file are used in place");

namespace {

std::string_view view(const flatbuffers::String *text) {
  return text ? std::string_view(text->c_str(), text->size()) : std::string_view();
}

template <typename T> std::span<const T> view(const flatbuffers::Vector<T> *elements) {
  return {elements->data(), elements->size()};
}

static_assert(sizeof(SourceCommand) == sizeof(fb::SourceCommand) &&
              alignof(SourceCommand) == alignof(fb::SourceCommand));

std::span<const SourceCommand> view(const flatbuffers::Vector<const fb::SourceCommand *> *sources) {
  if (!sources)
    return {};
  return {reinterpret_cast<const SourceCommand *>(sources->Data()), sources->size()};
}

OperandView view(const fb::Operand &operand) {
  OperandView result{view(operand.name()),
                     static_cast<firmware::DataType>(operand.type()),
                     view(operand.shape()),
                     operand.bytes(),
                     {},
                     {},
                     -1};
  if (const fb::Quantization *quantization = operand.quantization()) {
    result.scales = view(quantization->scales());
    result.zeroPoints = view(quantization->zero_points());
    result.axis = quantization->axis();
  }
  result.isState = operand.is_state();
  if (operand.initial())
    result.initial = view(operand.initial());
  return result;
}

/// Checksum first, so that damage is reported as damage and not as another error. Then the structure check of
/// FlatBuffers, which needs a length that its 32-bit offsets can express.
Result<const fb::Model *> verifyStructure(std::span<const uint8_t> file) {
  if (file.size() > kMaxModelBytes)
    return dataLoss(fmt::format("is {} bytes long, at most {} are allowed", file.size(), kMaxModelBytes));
  AVOCET_ASSIGN_OR_RETURN(std::span<const uint8_t> bytes, unwrapModel(file));
  constexpr flatbuffers::uoffset_t kMaxDepth = 8;
  constexpr flatbuffers::uoffset_t kMaxTables = kMaxModelBytes / 16; // no table is smaller
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth, kMaxTables);
  if (!fb::VerifyModelBuffer(verifier))
    return dataLoss("is corrupt: the FlatBuffers verifier refuses its structure");
  return fb::GetModel(bytes.data());
}

} // namespace

Result<std::shared_ptr<const ModelCache>> ModelCache::adopt(std::vector<uint8_t> bytes, std::string_view origin) {
  Result<const fb::Model *> root = verifyStructure(bytes);
  if (!root)
    return root.status().withContext(origin);
  AVOCET_RETURN_IF_ERROR(verifyMeaning(**root).withContext(origin));
  return std::shared_ptr<const ModelCache>(new ModelCache(std::move(bytes), *root));
}

Status ModelCache::requireTarget(const firmware::Target &target) const {
  if (targetFingerprint() != target.fingerprint())
    return failedPrecondition(
        fmt::format("model {} was compiled for target {} (fingerprint {:016x}), not for {} ({:016x})", modelName(),
                    targetName(), targetFingerprint(), target.name(), target.fingerprint()));
  if (sramPeakBytes() > target.sram().bytes)
    return failedPrecondition(fmt::format("model {} needs {} bytes of SRAM, target {} has {}", modelName(),
                                          sramPeakBytes(), target.name(), target.sram().bytes));
  return Status::ok();
}

std::string_view ModelCache::compilerVersion() const { return view(root_->compiler_version()); }
std::string_view ModelCache::modelName() const { return view(root_->model_name()); }
std::string_view ModelCache::targetName() const { return view(root_->target_name()); }
uint64_t ModelCache::targetFingerprint() const { return root_->target_fingerprint(); }
std::optional<Checksum> ModelCache::dataIdentity() const { return dataIdentityOf(bytes_); }
uint64_t ModelCache::dataBytes() const { return root_->data_bytes(); }
uint64_t ModelCache::sramPeakBytes() const { return root_->sram_peak_bytes(); }
uint64_t ModelCache::rooflineCycles() const { return root_->roofline_cycles(); }
uint64_t ModelCache::deviceCycles() const { return root_->device_cycles(); }
uint64_t ModelCache::leastDramBytes() const { return root_->least_dram_bytes(); }
uint64_t ModelCache::predictedCycles() const { return root_->predicted_cycles(); }

uint64_t ModelCache::scratchBytes() const {
  for (const fb::Region *region : *root_->regions())
    if (region->kind() == fb::RegionKind::Scratch)
      return region->bytes();
  return 0;
}

std::span<const uint32_t> ModelCache::control() const {
  return root_->control() ? view(root_->control()) : std::span<const uint32_t>();
}

size_t ModelCache::numInputs() const { return root_->inputs()->size(); }
size_t ModelCache::numOutputs() const { return root_->outputs()->size(); }
size_t ModelCache::numStates() const {
  return static_cast<size_t>(std::ranges::count_if(*root_->inputs(), [](auto *input) { return input->is_state(); }));
}
size_t ModelCache::numRegions() const { return root_->regions()->size(); }
size_t ModelCache::numStreams() const { return root_->streams()->size(); }
size_t ModelCache::numMemoryEntries() const { return root_->memory_plan()->size(); }
size_t ModelCache::numLayers() const { return root_->layers()->size(); }
size_t ModelCache::numSourceEntries() const { return root_->source_map()->size(); }
size_t ModelCache::numSourceOperations() const {
  return root_->source_operations() ? root_->source_operations()->size() : 0;
}

OperandView ModelCache::input(size_t index) const { return view(*root_->inputs()->Get(index)); }
OperandView ModelCache::output(size_t index) const { return view(*root_->outputs()->Get(index)); }

Region ModelCache::region(size_t index) const {
  const fb::Region &region = *root_->regions()->Get(index);
  return {static_cast<RegionKind>(region.kind()), region.index(), region.bytes()};
}

StreamView ModelCache::stream(size_t index) const {
  const fb::Stream &stream = *root_->streams()->Get(index);
  return {{static_cast<firmware::EngineKind>(stream.engine_kind()), stream.engine_index()},
          view(stream.words()),
          stream.section(),
          view(stream.sources())};
}

MemoryEntryView ModelCache::memoryEntry(size_t index) const {
  const fb::MemoryEntry &entry = *root_->memory_plan()->Get(index);
  return {view(entry.name()), entry.region(),    entry.address(),  entry.bytes(),
          entry.first_step(), entry.last_step(), entry.operation()};
}

LayerView ModelCache::layer(size_t index) const {
  const fb::Layer &layer = *root_->layers()->Get(index);
  return {view(layer.name()),    view(layer.operation()), static_cast<firmware::EngineKind>(layer.engine_kind()),
          layer.macs(),          layer.roofline_cycles(), layer.weight_bytes(),
          layer.input_bytes(),   layer.output_bytes(),    layer.compute_cycles(),
          layer.device_cycles(), view(layer.group())};
}

SourceEntryView ModelCache::sourceEntry(size_t index) const {
  const fb::SourceEntry &entry = *root_->source_map()->Get(index);
  return {entry.layer(), entry.operation(), view(entry.location()), view(entry.kind())};
}

SourceOperationView ModelCache::sourceOperation(size_t index) const {
  const fb::SourceOperation &operation = *root_->source_operations()->Get(index);
  return {view(operation.name()), operation.layer(), static_cast<firmware::DataType>(operation.type()),
          operation.height(),     operation.width(), operation.channels()};
}

constexpr std::array<std::string_view, kNumRegionKinds> kRegionKindNames = {"input", "output", "constants", "scratch"};
static_assert(!kRegionKindNames.back().empty());

// The schema's enumeration is the one in the file.
static_assert(static_cast<uint32_t>(RegionKind::Input) == static_cast<uint32_t>(fb::RegionKind::Input) &&
              static_cast<uint32_t>(RegionKind::Output) == static_cast<uint32_t>(fb::RegionKind::Output) &&
              static_cast<uint32_t>(RegionKind::Constants) == static_cast<uint32_t>(fb::RegionKind::Constants) &&
              static_cast<uint32_t>(RegionKind::Scratch) == static_cast<uint32_t>(fb::RegionKind::Scratch) &&
              static_cast<uint32_t>(fb::RegionKind::MAX) == kNumRegionKinds - 1);

std::string_view toString(RegionKind kind) {
  const auto number = static_cast<size_t>(kind);
  return number < kRegionKindNames.size() ? kRegionKindNames[number] : "?";
}

} // namespace avocet::cache
