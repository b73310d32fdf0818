//===- PartitioningDevice.h - A device that divides models ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_PARTITION_PARTITIONINGDEVICE_H
#define AVOCET_TESTS_HAL_PARTITION_PARTITIONINGDEVICE_H

#include "avocet/hal/partition/Partition.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace avocet::hal::test {

/// What the device has done so far.
struct PartitionCounters {
  std::atomic<uint64_t> prepared = 0;
  std::atomic<uint64_t> divided = 0;     ///< models in more than one step
  std::atomic<uint64_t> hostSteps = 0;   ///< branches and loops
  std::atomic<uint64_t> onCpu = 0;       ///< steps that went to the CPU
  std::atomic<uint64_t> compared = 0;    ///< executions with the bits of the undivided model
  std::atomic<uint64_t> differences = 0; ///< executions with other bits, or another status
};

/// A device that divides each model over others. Synchronous executions are repeated on the undivided model of
/// `reference`, with the same bits. A test prints the counters.
std::shared_ptr<IDevice> makePartitioningDevice(std::vector<std::shared_ptr<IDevice>> devices,
                                                std::shared_ptr<IDevice> cpu, std::shared_ptr<IDevice> reference,
                                                std::shared_ptr<PartitionCounters> counters);

} // namespace avocet::hal::test

#endif // AVOCET_TESTS_HAL_PARTITION_PARTITIONINGDEVICE_H
