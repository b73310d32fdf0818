//===- Profile.h - Where the time of a delegate goes - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_KERNEL_PROFILE_H
#define AVOCET_HAL_DELEGATE_LIB_KERNEL_PROFILE_H

#include "avocet/hal/plugin/Engine.h"

#include <mutex>
#include <string>
#include <vector>

namespace avocet::delegate {

/// Times of the partitions, as a table. Thread-safe.
class Profile {
public:
  /// Returns its number.
  uint32_t addPartition(size_t numNodes);
  /// Of the last compilation of the partition.
  void setLayers(uint32_t partition, std::vector<std::string> names);
  void addRun(uint32_t partition, const hal::Timing &timing, const plugin::Engine &engine);

  /// A line for each partition, and for each layer of its last run if the device tells.
  std::string table() const;

private:
  struct Partition {
    size_t numNodes = 0;
    uint64_t runs = 0;
    hal::Duration onDevice{}, inDriver{};
    std::vector<std::string> layers;
    std::optional<firmware::JobProfile> last; ///< run
  };
  mutable std::mutex mutex_;
  std::vector<Partition> partitions_;
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_KERNEL_PROFILE_H
