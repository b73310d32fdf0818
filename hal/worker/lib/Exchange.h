//===- Exchange.h - One request to a compile worker -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_WORKER_LIB_EXCHANGE_H
#define AVOCET_HAL_WORKER_LIB_EXCHANGE_H

#include "Buffers.h"
#include "Packet.h"
#include "WorkerMessage.h"

#include "avocet/base/File.h"
#include "avocet/hal/worker/CompileWorkers.h"

#include <functional>

namespace avocet::hal {

/// The status of a compilation that its caller cancelled; the same as the compiler's.
avocet::Status givenUp(const compiler::ModelRequest &request);

/// The location of a request: a sealed file, or buffers lent to the worker.
struct RequestFiles {
  const FileDescriptor *message = nullptr;
  Buffers *lent = nullptr; ///< instead of `message`
};

/// Sends one request to an idle worker and waits for the answer. The destructor kills the worker if it still runs: a
/// worker serves only one request. One thread.
class Exchange {
public:
  /// `control` and the options outlive the object. `memoryBytes`: of the worker for this request.
  Exchange(int control, const WorkerOptions &options, uint64_t memoryBytes)
      : control_(control), options_(options), memoryBytes_(memoryBytes) {}
  ~Exchange();
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;

  /// Reads an answer. DataLoss: it is malformed, which is a fault of the worker and no verdict on the model.
  using Accept = std::function<avocet::Status(const WorkerMessage &)>;

  /// Called once. `files` outlives the object. Ok: an answer was accepted.
  avocet::Status run(const RequestFiles &files, const compiler::ModelRequest &request, const Accept &accept);

  /// Kills the worker; the descriptor of its process, readable when it is dead. Invalid: no worker took the request.
  FileDescriptor endWorker();

  /// Whether a worker took the request, answered it validly, or ended without a valid answer.
  bool wasTaken() const { return process_.isValid(); }
  bool wasAnswered() const { return wasAnswered_; }
  bool hasCrashed() const { return hasCrashed_; }
  /// Whether it ended since its memory ran out.
  bool hasExhaustedMemory() const { return hasExhaustedMemory_; }
  /// Number of the worker's zygote, once it took the request.
  uint32_t zygote() const { return zygote_; }

private:
  avocet::Status send();
  void lendAnswerFile();
  avocet::Status awaitPacket(const compiler::ModelRequest &request) const;
  avocet::Status receive(const compiler::ModelRequest &request, const Accept &accept);
  avocet::Result<WorkerMessage> answerIn(const ReceivedPacket &received) const;
  avocet::Status crashed(std::string message);
  bool noteTaken(ReceivedPacket &received);

  const int control_;
  const WorkerOptions &options_;
  const uint64_t memoryBytes_;
  RequestFiles files_;
  std::chrono::steady_clock::time_point end_; ///< end of the time limit
  FileDescriptor socket_;
  FileDescriptor process_; ///< of the worker, once it took the request
  uint32_t zygote_ = 0;
  bool wasAnswered_ = false, hasCrashed_ = false, hasExhaustedMemory_ = false;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_WORKER_LIB_EXCHANGE_H
