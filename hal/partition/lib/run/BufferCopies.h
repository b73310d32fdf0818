//===- BufferCopies.h - Buffers of a device, on another one -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that a device allocated can be read and written by that device alone. When the CPU repeats an execution of
// it, the values pass through shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_PARTITION_LIB_RUN_BUFFERCOPIES_H
#define AVOCET_HAL_PARTITION_LIB_RUN_BUFFERCOPIES_H

#include "avocet/hal/types/Interfaces.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace avocet::hal::partition {

bool usesBuffer(const Request &request);

/// The buffers with roles of one model, as long as their owners keep them. Thread-safe.
class BufferTable {
public:
  void add(const std::shared_ptr<IDevice> &device, const std::shared_ptr<IBuffer> &buffer);
  /// Null: the device has no such buffer with a role of this model.
  std::shared_ptr<IBuffer> find(const std::shared_ptr<IDevice> &device, BufferToken token) const;

private:
  /// Each device numbers its own buffers.
  using Key = std::pair<const IDevice *, BufferToken>;
  mutable std::mutex mutex_; ///< guards buffers_
  std::map<Key, std::weak_ptr<IBuffer>> buffers_;
};

/// The buffer of input or output `index`; may be null.
using BufferFinder = std::function<std::shared_ptr<IBuffer>(uint32_t index, bool isInput, BufferToken token)>;

/// Executes a request of `model` on a device to which its buffers do not belong: their values are copied to shared
/// memory before, and the results to the buffers after a success. GeneralFailure also if a value cannot be copied.
ExecutionOutcome executeWithCopies(IPreparedModel &prepared, const Model &model, const Request &request,
                                   const ExecutionOptions &options, const BufferFinder &find);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_RUN_BUFFERCOPIES_H
