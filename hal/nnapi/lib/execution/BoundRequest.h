//===- BoundRequest.h - A request of the HAL and its memory ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_NNAPI_LIB_EXECUTION_BOUNDREQUEST_H
#define AVOCET_HAL_NNAPI_LIB_EXECUTION_BOUNDREQUEST_H

#include "execution/Arguments.h"

#include "avocet/hal/types/Interfaces.h"

#include <memory>
#include <vector>

namespace avocet::nnapi {

/// The arguments of an execution as a request. Values at pointers have places in one shared area. One run at a time.
class BoundRequest {
public:
  /// `arguments` are complete and must outlive the request.
  static ApiResult<std::unique_ptr<BoundRequest>> bind(const Arguments &arguments, const Compilation &compilation);
  ~BoundRequest();
  BoundRequest(const BoundRequest &) = delete;

  const hal::Request &request() const { return request_; }
  /// For bursts: a number for each pool. Memories remember the burst.
  std::vector<int64_t> identifiersFor(const std::shared_ptr<hal::IBurst> &burst) const;
  bool hasPointerOutputs() const;

  /// Before a run: copies inputs from pointers.
  void copyIn();
  /// After a run: copies outputs to pointers, and tells the memories. Bytes beyond a value are not written.
  void copyOut(const hal::ExecutionOutcome &outcome);

private:
  BoundRequest(const Arguments &arguments, const Compilation &compilation)
      : arguments_(arguments), compilation_(compilation) {}
  void addMemories(const std::vector<Argument> &arguments);
  std::vector<hal::RequestArgument> requestArguments(const std::vector<Argument> &from, uint64_t &nextOffset) const;
  hal::DataLocation locate(const Argument &argument, uint64_t &nextOffset) const;
  void copyOutput(size_t index, uint64_t bytes);
  uint64_t outputBytes(size_t index, const hal::ExecutionOutcome &outcome) const;

  const Arguments &arguments_;
  const Compilation &compilation_;
  hal::Request request_;
  std::unique_ptr<Area> area_;                    ///< null: no value is at a pointer
  std::vector<std::shared_ptr<Memory>> memories_; ///< pools before the area's
};

} // namespace avocet::nnapi

#endif // AVOCET_HAL_NNAPI_LIB_EXECUTION_BOUNDREQUEST_H
