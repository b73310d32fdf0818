//===- Driver.h - The kernel driver's calls, for tests ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the driver itself, inside a virtual machine and as root. They use its calls without the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_KMOD_DRIVER_H
#define AVOCET_TESTS_KMOD_DRIVER_H

#include "avocet/base/File.h"
#include "avocet_accel.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace avocet::kmod {

// Of <drm/drm.h>.
struct DrmPrimeHandle {
  uint32_t handle, flags;
  int32_t fd;
};
struct DrmSyncobjHandle {
  uint32_t handle, flags;
};
struct DrmSyncobjTimelineWait {
  uint64_t handles, points;
  int64_t timeoutNs;
  uint32_t count, flags, firstSignaled, pad;
};
inline constexpr unsigned long kHandleToFd = _IOWR('d', 0x2d, DrmPrimeHandle);
inline constexpr unsigned long kFdToHandle = _IOWR('d', 0x2e, DrmPrimeHandle);
inline constexpr unsigned long kSyncobjCreate = _IOWR('d', 0xbf, DrmSyncobjHandle);
inline constexpr unsigned long kSyncobjTimelineWait = _IOWR('d', 0xca, DrmSyncobjTimelineWait);

inline constexpr uint32_t kFaultCancelled = 15, kFaultDependencyFailed = 19;

/// Path of accel node `index`.
std::string nodePath(int index);
std::string debugFolder(); ///< of the first device's files in debugfs
std::string readText(const std::string &path);
void writeText(const std::string &path, const std::string &text);
/// Waits for a condition that must become true; false after a minute.
bool eventually(const std::function<bool()> &condition);

/// A file of the driver, with a context and buffers for jobs. Calls return 0 or an errno.
class Driver {
public:
  explicit Driver(int index = 0);

  int call(unsigned long request, void *argument) const;
  uint64_t parameter(uint32_t number) const;
  int file() const { return file_.get(); }

  uint32_t makeContext() const;
  uint32_t makeBuffer(uint64_t bytes) const;
  std::span<uint8_t> memory(uint32_t handle); ///< stays mapped until the end
  int map(uint32_t context, uint32_t handle, uint32_t access, uint64_t &address) const;
  uint32_t makeSyncobj() const;

  avocet_wait wait(uint32_t context, uint64_t job) const; ///< for its end
  bool isPending(uint32_t context, uint64_t job) const;

private:
  FileDescriptor file_;
  std::vector<Mapping> mappings_;
};

/// A job that copies an input to an output, in a context of its own.
class CopyJob {
public:
  /// `repetitions`: copies of the whole, one after the other.
  CopyJob(Driver &driver, uint32_t bytes, uint32_t repetitions = 1);

  avocet_submit submission() const;
  /// Fills in the rest of a call, and makes it.
  int submit(avocet_submit &call, std::vector<avocet_syncobj> syncobjs = {}) const;
  uint64_t mustSubmit(std::vector<avocet_syncobj> syncobjs = {}, uint32_t priority = 0) const; ///< number of the job
  avocet_wait run() const;

  uint32_t context() const { return context_; }
  std::span<uint8_t> input() const { return input_; }
  std::span<uint8_t> output() const { return output_; }
  uint64_t outputAddress() const { return regions_[1].device_address; }
  /// Another output, of at least the same size.
  void writeTo(uint64_t address) { regions_[1].device_address = address; }
  void breakRegion() { regions_[1].size = 1; } ///< the job faults
  avocet_stream &stream() { return stream_; }

private:
  Driver &driver_;
  uint32_t context_;
  avocet_stream stream_{};
  avocet_region regions_[2]{};
  std::span<uint8_t> input_, output_;
};

/// A job that takes the device almost a second of its own time.
inline constexpr uint32_t kSlowBytes = 1 << 20, kSlowRepetitions = 200;

} // namespace avocet::kmod

#endif // AVOCET_TESTS_KMOD_DRIVER_H
