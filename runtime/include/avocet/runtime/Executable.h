//===- Executable.h - A model that is ready to run in a context --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device data that all jobs of one model share: its command streams and its constants. Made from verified artefacts.
// The constants are the data cache's own pages, imported and never copied. The streams are copied into a buffer private
// to the runtime, so that they cannot change after verification.
//
// Threads: immutable after load(); may be shared by jobs on any thread. Lifetime: jobs keep it alive; it keeps its
// context and the model cache alive.
//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_EXECUTABLE_H
#define AVOCET_RUNTIME_EXECUTABLE_H

#include "avocet/cache/DataCache.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/runtime/Context.h"

#include <memory>
#include <span>
#include <vector>

namespace avocet::runtime {

class Executable {
public:
  /// InvalidArgument: a null argument. FailedPrecondition: the model was compiled for another target, or the data cache
  /// has not the model's size, or both are of folders of artefacts and of different ones. ResourceExhausted: no memory
  /// or address space.
  static Result<std::shared_ptr<const Executable>>
  load(std::shared_ptr<Context> context, std::shared_ptr<const cache::ModelCache> model, const cache::DataCache &data);

  const cache::ModelCache &model() const { return *model_; }
  const std::shared_ptr<Context> &context() const { return context_; }

  /// For jobs: addresses of the streams, the control program and the constants. constants() is null for a model without
  /// constants.
  std::span<const StreamBinding> streams() const { return streams_; }
  const ControlBinding &control() const { return control_; }
  const std::shared_ptr<BufferMapping> &constants() const { return constants_; }

private:
  Executable(std::shared_ptr<Context> context, std::shared_ptr<const cache::ModelCache> model)
      : context_(std::move(context)), model_(std::move(model)) {}
  Status loadStreams();
  Status loadConstants(const cache::DataCache &data);

  std::shared_ptr<Context> context_;
  std::shared_ptr<const cache::ModelCache> model_;
  std::shared_ptr<BufferMapping> code_;
  std::shared_ptr<BufferMapping> constants_;
  std::vector<StreamBinding> streams_;
  ControlBinding control_;
};

} // namespace avocet::runtime

#endif // AVOCET_RUNTIME_EXECUTABLE_H
