//===- Tenant.h - One of several networks on one device ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_GOLDEN_TENANT_H
#define AVOCET_TESTS_GOLDEN_TENANT_H

#include "GoldenModels.h"
#include "model/ModelSource.h"

#include "avocet/runtime/ModelState.h"
#include "avocet/runtime/Queue.h"

#include <memory>
#include <vector>

namespace avocet::golden {

/// A network with one job, in its own context on a shared device. One thread at a time.
class Tenant {
public:
  static Result<std::unique_ptr<Tenant>> open(std::shared_ptr<runtime::Device> device,
                                              const session::LoadedModel &model, uint32_t priority, uint64_t userData);

  /// Writes the inputs. InvalidArgument if they do not have the model's sizes.
  Status setInputs(const std::vector<Bytes> &inputs);

  Status submit() { return queue_->submit(*job_); }
  runtime::Fence &fence() { return *job_->fence(); }

  /// Submits the job, waits until it ends, and returns its status.
  Status run();

  std::vector<Bytes> outputs() const;

private:
  Tenant() = default;
  Result<std::shared_ptr<runtime::BufferMapping>> makeOperand(uint64_t bytes, runtime::Access access);

  std::shared_ptr<const cache::ModelCache> model_;
  std::shared_ptr<runtime::Context> context_;
  std::shared_ptr<runtime::Queue> queue_;
  std::vector<std::shared_ptr<runtime::BufferMapping>> inputs_, outputs_;
  std::unique_ptr<runtime::Job> job_;
  std::unique_ptr<runtime::ModelState> state_; ///< never advanced: each run starts from the initial values
};

} // namespace avocet::golden

#endif // AVOCET_TESTS_GOLDEN_TENANT_H
