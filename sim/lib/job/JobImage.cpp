//===- JobImage.cpp - The streams of a job, decoded -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/JobImage.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace avocet::sim {

using namespace firmware;

static Engine engineOf(const StreamEntry &stream) {
  return {static_cast<EngineKind>(stream.engineKind), stream.engineIndex};
}

JobFault ImageStore::checkStreams(const JobTables &tables) const {
  const uint32_t sections = tables.control.empty() ? 1 : kMaxSections;
  std::set<std::pair<uint32_t, Engine>> seen;
  uint64_t words = 0;
  for (const StreamEntry &stream : tables.streams) {
    const bool isDma = stream.engineKind == static_cast<uint32_t>(EngineKind::Dma);
    const bool exists =
        stream.engineKind < kNumEngineKinds && stream.engineIndex < (isDma ? target_.dma().channels : 1);
    words += stream.words;
    if (!exists || stream.section >= sections || stream.address % sizeof(uint32_t) != 0 || stream.words == 0 ||
        words > kMaxStreamWords || !seen.insert({stream.section, engineOf(stream)}).second)
      return faultOf(FaultCode::BadDescriptor, stream.address);
  }
  return {};
}

/// Reads the streams into words_.
JobFault ImageStore::readStreams(const Mmu &mmu, const JobTables &tables) {
  words_.resize(tables.streams.size());
  for (size_t i = 0; i < tables.streams.size(); ++i) {
    const StreamEntry &stream = tables.streams[i];
    words_[i].resize(stream.words);
    uint64_t badAddress = 0;
    std::span<uint8_t> bytes(reinterpret_cast<uint8_t *>(words_[i].data()), words_[i].size() * sizeof(uint32_t));
    if (!mmu.read(stream.address, bytes, badAddress))
      return faultOf(FaultCode::PageFault, badAddress).at(engineOf(stream), kNoIndex, kNoLayer);
  }
  return {};
}

bool ImageStore::isMadeOf(const JobImage &image, const JobTables &tables) const {
  if (image.programs.size() != tables.streams.size() || image.controlWords != tables.control ||
      (!image.control.empty() && image.regions != tables.regions.size()))
    return false;
  for (size_t i = 0; i < tables.streams.size(); ++i)
    if (image.programs[i].engine() != engineOf(tables.streams[i]) || image.sectionOf[i] != tables.streams[i].section ||
        !image.programs[i].isMadeOf(words_[i]))
      return false;
  return true;
}

/// Decodes and verifies the control program, or returns the fault.
static JobFault decodeProgram(const JobTables &tables, uint32_t sections, std::vector<ControlInstruction> &control) {
  auto decoded = decodeControl(tables.control);
  if (!decoded || !verifyControl(*decoded, sections, static_cast<uint32_t>(tables.regions.size())))
    return faultOf(FaultCode::MalformedStream);
  control = std::move(*decoded);
  return {};
}

std::shared_ptr<const JobImage> ImageStore::decode(const JobTables &tables, JobFault &fault) const {
  auto image = std::make_shared<JobImage>();
  uint32_t sections = 0;
  for (size_t i = 0; i < tables.streams.size(); ++i) {
    const StreamEntry &stream = tables.streams[i];
    sections = std::max(sections, stream.section + 1);
    image->sectionOf.push_back(stream.section);
    image->programs.push_back(Program::decode(target_, engineOf(stream), words_[i], threads_));
    if ((fault = image->programs.back().fault()))
      return nullptr;
  }
  if (!tables.control.empty() && (fault = decodeProgram(tables, sections, image->control)))
    return nullptr;
  image->controlWords = tables.control;
  image->regions = tables.regions.size();
  image->sections.resize(sections);
  for (size_t i = 0; i < image->programs.size(); ++i)
    image->sections[image->sectionOf[i]].push_back(&image->programs[i]);
  return image;
}

uint64_t JobImage::bytes() const {
  uint64_t bytes = sizeof(*this) + controlWords.size() * sizeof(uint32_t) + control.size() * sizeof(control[0]);
  for (const Program &program : programs)
    bytes += sizeof(program) + program.bytes();
  return bytes;
}

/// A hash of sizes and a few words of each stream. Collisions are rare, and a comparison of all words detects them.
uint64_t ImageStore::keyOf(const JobTables &tables) const {
  constexpr size_t kSamples = 16;
  uint64_t key = tables.control.size();
  auto mix = [&](uint64_t value) { key = (key ^ value) * 0x9E3779B97F4A7C15u; };
  for (const std::vector<uint32_t> &words : words_) {
    mix(words.size());
    for (size_t i = 0; i < kSamples; ++i)
      mix(words[i * words.size() / kSamples]);
  }
  return key;
}

/// The kept image of the tables; null: there is none.
std::shared_ptr<const JobImage> ImageStore::recall(uint64_t key, const JobTables &tables) {
  for (auto [entry, end] = byKey_.equal_range(key); entry != end; ++entry)
    if (isMadeOf(*entry->second->image, tables)) {
      images_.splice(images_.begin(), images_, entry->second);
      return images_.front().image;
    }
  return nullptr;
}

void ImageStore::remember(uint64_t key, const std::shared_ptr<const JobImage> &image) {
  images_.push_front({key, image});
  byKey_.emplace(key, images_.begin());
  bytes_ += image->bytes();
  while (bytes_ > keptBytes_ && images_.size() > 1)
    forgetOldest();
}

void ImageStore::forgetOldest() {
  const auto oldest = std::prev(images_.end());
  auto [entry, end] = byKey_.equal_range(oldest->key);
  byKey_.erase(std::find_if(entry, end, [&](const auto &candidate) { return candidate.second == oldest; }));
  bytes_ -= oldest->image->bytes();
  images_.erase(oldest);
}

std::shared_ptr<const JobImage> ImageStore::find(const Mmu &mmu, const JobTables &tables, JobFault &fault) {
  if ((fault = checkStreams(tables)) || (fault = readStreams(mmu, tables)))
    return nullptr;
  const uint64_t key = keyOf(tables);
  if (auto known = recall(key, tables))
    return known;
  auto image = decode(tables, fault);
  if (!image)
    return nullptr;
  ++decoded_;
  remember(key, image);
  return image;
}

} // namespace avocet::sim
