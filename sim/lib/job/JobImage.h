//===- JobImage.h - The streams of a job, decoded ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SIM_LIB_JOB_JOBIMAGE_H
#define AVOCET_SIM_LIB_JOB_JOBIMAGE_H

#include "avocet/firmware_iface/Control.h"
#include "job/Program.h"
#include "memory/Mmu.h"

#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace avocet::sim {

/// The programs of one section.
using Section = std::vector<const Program *>;

/// One program for each stream of a job, and the order in which its sections run.
struct JobImage {
  std::vector<Program> programs;                     ///< in the order of the stream table
  std::vector<uint32_t> sectionOf;                   ///< by program
  std::vector<Section> sections;                     ///< into `programs`
  std::vector<firmware::ControlInstruction> control; ///< verified; empty: section 0 runs once
  std::vector<uint32_t> controlWords;
  size_t regions = 0; ///< number of regions that `control` was verified for

  uint64_t bytes() const; ///< approximate memory use
};

/// The inputs of decoding a job.
struct JobTables {
  std::vector<firmware::StreamEntry> streams;
  std::vector<firmware::RegionEntry> regions;
  std::vector<uint32_t> control;
};

/// Decodes the streams of jobs and keeps the latest images: the next inference with the same network only compares
/// words. The words are read again for each job, so that a stream that the host changes is decoded again. Kept images
/// are bounded in bytes, not in number; the latest is kept even if it alone exceeds the bound.
class ImageStore {
public:
  static constexpr uint64_t kKeptBytes = uint64_t{64} << 20; ///< fifty networks like MobileNet v2

  explicit ImageStore(const firmware::Target &target, uint64_t keptBytes = kKeptBytes, uint32_t threads = 1)
      : target_(target), keptBytes_(keptBytes), threads_(threads) {}

  /// The image of the streams, or the fault that ends the job: a table or stream that breaks a rule (BadDescriptor), is
  /// not mapped (PageFault), or does not decode (MalformedStream).
  std::shared_ptr<const JobImage> find(const Mmu &mmu, const JobTables &tables, JobFault &fault);

  uint64_t bytes() const { return bytes_; } ///< of the kept images
  uint64_t decoded() const { return decoded_; }

private:
  struct Kept {
    uint64_t key;
    std::shared_ptr<const JobImage> image;
  };
  using Images = std::list<Kept>;

  JobFault checkStreams(const JobTables &tables) const;
  JobFault readStreams(const Mmu &mmu, const JobTables &tables);
  bool isMadeOf(const JobImage &image, const JobTables &tables) const;
  std::shared_ptr<const JobImage> decode(const JobTables &tables, JobFault &fault) const;
  uint64_t keyOf(const JobTables &tables) const;
  std::shared_ptr<const JobImage> recall(uint64_t key, const JobTables &tables);
  void remember(uint64_t key, const std::shared_ptr<const JobImage> &image);
  void forgetOldest();

  const firmware::Target &target_;
  const uint64_t keptBytes_;
  const uint32_t threads_; ///< for which commands are divided
  Images images_;          ///< latest first
  std::unordered_multimap<uint64_t, Images::iterator> byKey_;
  uint64_t bytes_ = 0;
  uint64_t decoded_ = 0;
  std::vector<std::vector<uint32_t>> words_; ///< of the streams of the current find()
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBIMAGE_H
