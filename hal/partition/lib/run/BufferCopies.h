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

/// A buffer of a device. It keeps a result of the CPU itself if the device is gone. Thread-safe.
class LastingBuffer final : public IBuffer {
public:
  explicit LastingBuffer(std::shared_ptr<IBuffer> buffer) : buffer_(std::move(buffer)) {}

  BufferToken token() const override { return buffer_->token(); }
  Outcome copyTo(const SharedMemory &memory) override;
  Outcome copyFrom(const SharedMemory &memory, const std::vector<uint32_t> &dimensions) override;

  /// The value is `memory`, which does not change any more; null: what the device has.
  void keep(SharedMemory memory);
  /// Null: the device has the value.
  SharedMemory kept() const;

private:
  const std::shared_ptr<IBuffer> buffer_;
  mutable std::mutex mutex_; ///< guards kept_
  SharedMemory kept_;
};

/// The buffers with roles of one model, as long as their owners keep them. Thread-safe.
class BufferTable {
public:
  void add(const std::shared_ptr<IDevice> &device, const std::shared_ptr<LastingBuffer> &buffer);
  /// Null: the device has no such buffer with a role of this model.
  std::shared_ptr<LastingBuffer> find(const std::shared_ptr<IDevice> &device, BufferToken token) const;

private:
  /// Each device numbers its own buffers.
  using Key = std::pair<const IDevice *, BufferToken>;
  mutable std::mutex mutex_; ///< guards buffers_
  std::map<Key, std::weak_ptr<LastingBuffer>> buffers_;
};

/// The buffer of input or output `index`; may be null.
using BufferFinder = std::function<std::shared_ptr<LastingBuffer>(uint32_t index, bool isInput, BufferToken token)>;

/// Executes a request of `model` on a device to which its buffers do not belong: their values are copied to shared
/// memory before, and the results to the buffers after a success. `failure`: of the device; after DeadObject its memory
/// is lost, so that only values that the buffers keep can be read, and the results are kept. GeneralFailure also if a
/// value cannot be copied.
ExecutionOutcome executeWithCopies(IPreparedModel &prepared, const Model &model, const Request &request,
                                   const ExecutionOptions &options, const BufferFinder &find, ErrorStatus failure);

/// After the device has written the outputs of the request: no buffer keeps an older value.
void forgetKept(const Request &request, const BufferFinder &find);

} // namespace avocet::hal::partition

#endif // AVOCET_HAL_PARTITION_LIB_RUN_BUFFERCOPIES_H
