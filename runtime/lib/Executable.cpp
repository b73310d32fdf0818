//===- Executable.cpp - A model that is ready to run in a context --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/runtime/Executable.h"

#include "avocet/base/Trace.h"

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

} // namespace avocet::runtime
