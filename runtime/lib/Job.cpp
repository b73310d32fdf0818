//===- Job.cpp - One prepared run of an executable --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Job.h"

#include "avocet/base/Trace.h"
#include "avocet/firmware_iface/Version.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

namespace avocet::runtime {

Result<std::shared_ptr<const Executable>> Executable::load(std::shared_ptr<Context> context,
                                                           std::shared_ptr<const cache::ModelCache> model,
                                                           const cache::DataCache &data) {
  TraceSpan span("load executable");
  if (context == nullptr || model == nullptr)
    return invalidArgument("executable: context or model is null");
  AVOCET_RETURN_IF_ERROR(model->requireTarget(context->device().target()));
  std::shared_ptr<Executable> executable(new Executable(std::move(context), std::move(model)));
  AVOCET_RETURN_IF_ERROR(executable->loadStreams());
  AVOCET_RETURN_IF_ERROR(executable->loadConstants(data));
  return std::shared_ptr<const Executable>(std::move(executable));
}

Status Executable::loadStreams() {
  size_t words = 0;
  for (size_t i = 0; i < model_->numStreams(); ++i)
    words += model_->stream(i).words.size();
  std::span<const uint32_t> control = model_->control();
  uint64_t bytes = std::max<uint64_t>((control.size() + words) * sizeof(uint32_t), sizeof(uint32_t));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, Buffer::create(context_->sharedDevice(), bytes));
  AVOCET_ASSIGN_OR_RETURN(code_, context_->map(buffer, Access::Read));
  // The control program is first, because it needs the alignment.
  std::ranges::copy(std::as_bytes(control), std::as_writable_bytes(buffer->bytes()).begin());
  control_ = {code_->address(), static_cast<uint32_t>(control.size())};
  uint64_t offset = control.size_bytes();
  for (size_t i = 0; i < model_->numStreams(); ++i) {
    cache::StreamView stream = model_->stream(i);
    std::memcpy(buffer->bytes().data() + offset, stream.words.data(), stream.words.size_bytes());
    streams_.push_back(
        {stream.engine, code_->address() + offset, static_cast<uint32_t>(stream.words.size()), stream.section});
    offset += stream.words.size_bytes();
  }
  return Status::ok();
}

Status Executable::loadConstants(const cache::DataCache &data) {
  if (data.bytes().size() != model_->dataBytes())
    return failedPrecondition(fmt::format("executable: the data cache has {} bytes, the model needs {}",
                                          data.bytes().size(), model_->dataBytes()));
  if (model_->dataIdentity() && data.identity() && *model_->dataIdentity() != *data.identity())
    return failedPrecondition("executable: the data cache is that of another compilation than the model");
  if (model_->dataBytes() == 0)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer,
                          Buffer::import(context_->sharedDevice(), data.file(), 0, model_->dataBytes(), false));
  AVOCET_ASSIGN_OR_RETURN(constants_, context_->map(std::move(buffer), Access::Read));
  return Status::ok();
}

namespace {

using cache::RegionKind;

Access accessOf(RegionKind kind) {
  switch (kind) {
  case RegionKind::Input:
  case RegionKind::Constants:
    return Access::Read;
  case RegionKind::Output:
    return Access::Write;
  case RegionKind::Scratch:
    return Access::ReadWrite;
  }
  return Access::Read;
}

std::string describeRegion(const cache::Region &region) {
  return fmt::format("{} {}", toString(region.kind), region.index);
}

} // namespace

Job::Job(std::shared_ptr<const Executable> executable) : executable_(std::move(executable)) {
  const cache::ModelCache &model = executable_->model();
  mappings_.resize(model.numRegions());
  for (size_t i = 0; i < model.numRegions(); ++i) {
    cache::Region region = model.region(i);
    // A model without constants has an empty region for them, which needs no binding.
    unbound_ += region.bytes != 0 ? 1 : 0;
    regions_.push_back({0, region.bytes, accessOf(region.kind)});
  }
}

Job::~Job() { fence_->wait(); }

Result<std::unique_ptr<Job>> Job::create(std::shared_ptr<const Executable> executable) {
  if (executable == nullptr)
    return invalidArgument("job: the executable is null");
  std::unique_ptr<Job> job(new Job(std::move(executable)));
  if (job->executable_->constants() != nullptr)
    AVOCET_RETURN_IF_ERROR(job->bind(RegionKind::Constants, 0, job->executable_->constants(), 0));
  AVOCET_RETURN_IF_ERROR(job->bindScratch());
  return job;
}

Status Job::bindScratch() {
  const Executable &executable = *executable_;
  uint64_t bytes = executable.model().scratchBytes();
  if (bytes == 0)
    return Status::ok();
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, Buffer::create(executable.context()->sharedDevice(), bytes));
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<BufferMapping> mapping,
                          executable.context()->map(std::move(buffer), Access::ReadWrite));
  return bind(RegionKind::Scratch, 0, std::move(mapping), 0);
}

Status Job::bindInput(size_t index, std::shared_ptr<BufferMapping> mapping, uint64_t offset) {
  size_t count = executable_->model().numInputs();
  if (index >= count)
    return invalidArgument(fmt::format("job: there is no input {}, the model has {}", index, count));
  return bind(RegionKind::Input, index, std::move(mapping), offset);
}

Status Job::bindOutput(size_t index, std::shared_ptr<BufferMapping> mapping, uint64_t offset) {
  size_t count = executable_->model().numOutputs();
  if (index >= count)
    return invalidArgument(fmt::format("job: there is no output {}, the model has {}", index, count));
  return bind(RegionKind::Output, index, std::move(mapping), offset);
}

Status Job::checkBinding(const BufferMapping &mapping, uint64_t offset, uint64_t bytes, Access access) const {
  auto allowed = static_cast<uint32_t>(mapping.access());
  auto needed = static_cast<uint32_t>(access);
  if (mapping.context() != executable_->context())
    return invalidArgument("the mapping belongs to another context");
  if ((allowed & needed) != needed)
    return invalidArgument("the mapping does not allow the access that is needed");
  if (offset > mapping.size() || mapping.size() - offset < bytes)
    return invalidArgument(
        fmt::format("needs {} bytes at offset {}, the mapping has {}", bytes, offset, mapping.size()));
  return Status::ok();
}

/// A model need not use an operand: it then has no region for the operand, and binding has no effect.
Status Job::bind(RegionKind kind, size_t index, std::shared_ptr<BufferMapping> mapping, uint64_t offset) {
  if (!fence_->isSignaled())
    return failedPrecondition("job: the previous submission has not ended");
  if (mapping == nullptr)
    return invalidArgument("job: the mapping is null");
  for (size_t i = 0; i < regions_.size(); ++i) {
    cache::Region region = executable_->model().region(i);
    if (region.kind != kind || region.index != index)
      continue;
    AVOCET_RETURN_IF_ERROR(
        checkBinding(*mapping, offset, region.bytes, regions_[i].access).withContext("job: " + describeRegion(region)));
    unbound_ -= mappings_[i] == nullptr && region.bytes != 0 ? 1 : 0;
    regions_[i].address = mapping->address() + offset;
    mappings_[i] = std::move(mapping);
    return Status::ok();
  }
  return Status::ok();
}

Status Job::cancel() {
  JobReference running = fence_->requestCancel();
  return running.job == 0 ? Status::ok() : executable_->context()->device().cancel(running);
}

Result<Submission> Job::submission(uint32_t priority) const {
  for (size_t i = 0; unbound_ != 0 && i < mappings_.size(); ++i) {
    if (mappings_[i] == nullptr && regions_[i].bytes != 0)
      return failedPrecondition("job: " + describeRegion(executable_->model().region(i)) + " is not bound");
  }
  Submission submission;
  submission.context = executable_->context()->handle();
  submission.streams = executable_->streams();
  submission.regions = regions_;
  submission.priority = priority;
  submission.targetFingerprint = executable_->model().targetFingerprint();
  submission.encodingVersion = firmware::kEncodingVersion;
  submission.userData = userData_;
  submission.sink = fence_.get();
  submission.control = executable_->control();
  submission.loopTimeoutNs = loopTimeoutNs_;
  return submission;
}

} // namespace avocet::runtime
