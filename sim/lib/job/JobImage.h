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

#include "job/Program.h"
#include "memory/Mmu.h"

#include <list>
#include <memory>
#include <span>
#include <vector>

namespace avocet::sim {

/// One program for each stream of a job.
struct JobImage {
  std::vector<Program> programs;
};

/// Decodes the streams of jobs, and remembers the latest images: the next inference with the same network only compares
/// words. The words are read anew for each job, so a stream that the host changes is decoded again.
class ImageStore {
public:
  explicit ImageStore(const firmware::Target &target) : target_(target) {}

  static constexpr uint32_t kMaxStreamWords = 1 << 24;

  /// The image of the streams, or the fault that ends the job: a table or stream that breaks a rule (BadDescriptor), is
  /// not mapped (PageFault), or does not decode (MalformedStream).
  std::shared_ptr<const JobImage> find(const Mmu &mmu, std::span<const firmware::StreamEntry> streams, JobFault &fault);

private:
  static constexpr size_t kMaxImages = 8;
  JobFault checkStreams(std::span<const firmware::StreamEntry> streams) const;
  bool isMadeOf(const JobImage &image, std::span<const firmware::StreamEntry> streams) const;

  const firmware::Target &target_;
  std::list<std::shared_ptr<const JobImage>> images_; ///< latest first
  std::vector<std::vector<uint32_t>> words_;          ///< of the streams being looked for
};

} // namespace avocet::sim

#endif // AVOCET_SIM_LIB_JOB_JOBIMAGE_H
