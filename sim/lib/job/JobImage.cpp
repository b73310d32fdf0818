//===- JobImage.cpp - The streams of a job, decoded -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/JobImage.h"

#include <algorithm>
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

/// Into words_.
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

/// The control program that passed every rule, or the fault.
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
    image->programs.push_back(Program::decode(target_, engineOf(stream), words_[i]));
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

std::shared_ptr<const JobImage> ImageStore::find(const Mmu &mmu, const JobTables &tables, JobFault &fault) {
  if ((fault = checkStreams(tables)) || (fault = readStreams(mmu, tables)))
    return nullptr;
  for (auto image = images_.begin(); image != images_.end(); ++image)
    if (isMadeOf(**image, tables)) {
      images_.splice(images_.begin(), images_, image);
      return images_.front();
    }
  auto image = decode(tables, fault);
  if (!image)
    return nullptr;
  images_.push_front(image);
  if (images_.size() > kMaxImages)
    images_.pop_back();
  return image;
}

} // namespace avocet::sim
