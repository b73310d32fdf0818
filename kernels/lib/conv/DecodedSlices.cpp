//===- DecodedSlices.cpp - Decoded weights that are kept --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "conv/DecodedSlices.h"

#include <algorithm>
#include <cstring>

namespace avocet::kernels {

using namespace firmware;

/// From sizes and a few bytes spread over the slice. Slices with one key replace each other.
static uint64_t keyOf(const SlicePart &part) {
  constexpr uint64_t kPrime = 0x9e3779b97f4a7c15;
  constexpr size_t kWord = sizeof(uint64_t), kSamples = 32;
  uint64_t key = part.slice.size();
  const auto mix = [&](uint64_t value) {
    key = (key ^ value) * kPrime;
    key ^= key >> 32;
  };
  mix(part.firstGranule);
  mix(part.plainBytes);
  const size_t step = std::max(kWord, part.slice.size() / kSamples);
  for (size_t at = 0; at + kWord <= part.slice.size(); at += step) {
    uint64_t word;
    std::memcpy(&word, part.slice.data() + at, kWord);
    mix(word);
  }
  return key;
}

bool DecodedSlices::Kept::is(const SlicePart &part) const {
  return shape == part.shape && firstGranule == part.firstGranule && plain->size() == part.plainBytes &&
         slice.size() == part.slice.size() &&
         (slice.empty() || std::memcmp(slice.data(), part.slice.data(), slice.size()) == 0);
}

DecodedSlices::Plain DecodedSlices::find(const SlicePart &part) {
  const uint64_t key = keyOf(part);
  if (const auto kept = recall(key); kept && kept->is(part))
    return kept->plain;
  // Decoded from the copy, so that what is kept fits together.
  auto made = std::make_shared<Kept>(Kept{{part.slice.begin(), part.slice.end()}, part.shape, part.firstGranule, {}});
  auto plain = std::make_shared<std::vector<uint8_t>>(part.plainBytes);
  if (!decodeWeightSlice(made->slice, part.shape, part.firstGranule, *plain).isOk())
    std::ranges::fill(*plain, uint8_t{0});
  made->plain = plain;
  remember(key, made);
  return plain;
}

std::shared_ptr<const DecodedSlices::Kept> DecodedSlices::recall(uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto place = placeOf_.find(key);
  return place == placeOf_.end() ? nullptr : kept_[place->second].second;
}

/// Drops others at random. Dropping the oldest would drop all slices of a network that is larger than the bound before
/// the next inference needs them.
void DecodedSlices::remember(uint64_t key, const std::shared_ptr<const Kept> &kept) {
  const std::lock_guard lock(mutex_);
  ++decoded_;
  if (kept->bytes() > keptBytes_)
    return;
  if (const auto place = placeOf_.find(key); place != placeOf_.end())
    forget(place->second);
  while (bytes_ + kept->bytes() > keptBytes_)
    forget(random_() % kept_.size());
  placeOf_.emplace(key, kept_.size());
  kept_.emplace_back(key, kept);
  bytes_ += kept->bytes();
}

void DecodedSlices::forget(size_t place) {
  bytes_ -= kept_[place].second->bytes();
  placeOf_.erase(kept_[place].first);
  if (place + 1 != kept_.size()) {
    kept_[place] = std::move(kept_.back());
    placeOf_[kept_[place].first] = place;
  }
  kept_.pop_back();
}

uint64_t DecodedSlices::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

uint64_t DecodedSlices::decoded() const {
  const std::lock_guard lock(mutex_);
  return decoded_;
}

/// Of all devices of the process: twice what a network of 20 million weights needs.
static constexpr uint64_t kKeptBytes = uint64_t{96} << 20;

/// Slices up to this size are decoded as a whole: several commands, or shares of one, have parts of them.
static constexpr uint64_t kWholeBytes = uint64_t{4} << 20;

/// Never destroyed: threads of devices may run while the process ends.
static DecodedSlices &decodedSlices() {
  static auto *const kSlices = new DecodedSlices(kKeptBytes);
  return *kSlices;
}

const uint8_t *packedWeights(const ConvCommand &command, const WeightLayout &layout, std::span<const uint8_t> sram) {
  const uint8_t *stored = sram.data() + command.weights.offset;
  if (command.weightFormat == WeightFormat::Packed)
    return stored;
  const SliceShape shape = SliceShape::of(layout, command.weightType, command.sliceChannels);
  const uint32_t firstGranule = command.firstSliceChannel / layout.granule();
  const bool isWhole = shape.plainBytes <= kWholeBytes;
  thread_local DecodedSlices::Plain plain;
  plain = decodedSlices().find(
      {{stored, command.weightBytes}, shape, isWhole ? 0 : firstGranule, isWhole ? shape.plainBytes : layout.bytes()});
  return plain->data() + (isWhole ? firstGranule * shape.granuleBytes : 0);
}

} // namespace avocet::kernels
