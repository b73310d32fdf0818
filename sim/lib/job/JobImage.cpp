//===- JobImage.cpp - The streams of a job, decoded -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "job/JobImage.h"

#include <set>

namespace avocet::sim {

using namespace firmware;

static Engine engineOf(const StreamEntry &stream) {
  return {static_cast<EngineKind>(stream.engineKind), stream.engineIndex};
}

JobFault ImageStore::checkStreams(std::span<const StreamEntry> streams) const {
  std::set<Engine> seen;
  for (const StreamEntry &stream : streams) {
    const bool isDma = stream.engineKind == static_cast<uint32_t>(EngineKind::Dma);
    const bool exists =
        stream.engineKind < kNumEngineKinds && stream.engineIndex < (isDma ? target_.dma().channels : 1);
    if (!exists || stream.address % sizeof(uint32_t) != 0 || stream.words == 0 || stream.words > kMaxStreamWords ||
        !seen.insert(engineOf(stream)).second)
      return faultOf(FaultCode::BadDescriptor, stream.address);
  }
  return {};
}

bool ImageStore::isMadeOf(const JobImage &image, std::span<const StreamEntry> streams) const {
  if (image.programs.size() != streams.size())
    return false;
  for (size_t i = 0; i < streams.size(); ++i)
    if (image.programs[i].engine() != engineOf(streams[i]) || !image.programs[i].isMadeOf(words_[i]))
      return false;
  return true;
}

std::shared_ptr<const JobImage> ImageStore::find(const Mmu &mmu, std::span<const StreamEntry> streams,
                                                 JobFault &fault) {
  if ((fault = checkStreams(streams)))
    return nullptr;
  words_.resize(streams.size());
  for (size_t i = 0; i < streams.size(); ++i) {
    words_[i].resize(streams[i].words);
    uint64_t badAddress = 0;
    std::span<uint8_t> bytes(reinterpret_cast<uint8_t *>(words_[i].data()), words_[i].size() * sizeof(uint32_t));
    if (!mmu.read(streams[i].address, bytes, badAddress)) {
      fault = faultOf(FaultCode::PageFault, badAddress).at(engineOf(streams[i]), kNoIndex, kNoLayer);
      return nullptr;
    }
  }
  for (auto image = images_.begin(); image != images_.end(); ++image)
    if (isMadeOf(**image, streams)) {
      images_.splice(images_.begin(), images_, image);
      return images_.front();
    }
  auto image = std::make_shared<JobImage>();
  for (size_t i = 0; i < streams.size(); ++i) {
    image->programs.push_back(Program::decode(target_, engineOf(streams[i]), words_[i]));
    if ((fault = image->programs.back().fault()))
      return nullptr;
  }
  images_.push_front(image);
  if (images_.size() > kMaxImages)
    images_.pop_back();
  return image;
}

} // namespace avocet::sim
