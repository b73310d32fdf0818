//===- DeviceBuffers.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuffers.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

RunResult checkAllocation(const Result<std::shared_ptr<IBuffer>> &buffer) {
  if (!buffer)
    return checkRefusal("allocate", buffer.error());
  if (!*buffer || (*buffer)->token() == BufferToken{0})
    return failed("allocate answers success without a buffer or with token 0");
  return passed();
}

} // namespace

RequestArgument DeviceBuffers::argumentFor(const std::shared_ptr<IBuffer> &buffer) {
  RequestArgument argument{.hasNoValue = buffer == nullptr, .location = {}, .dimensions = {}};
  if (buffer) {
    argument.location.poolIndex = static_cast<uint32_t>(request_.pools.size());
    request_.pools.emplace_back(buffer->token());
  }
  return argument;
}

RunResult DeviceBuffers::addInput(IDevice &device, const std::shared_ptr<IPreparedModel> &model,
                                  const std::optional<Bytes> &input) {
  std::shared_ptr<IBuffer> added;
  if (input) {
    auto buffer = device.allocate({}, {{model, static_cast<uint32_t>(inputs_.size()), 1}}, {});
    if (RunResult result = checkAllocation(buffer); result.verdict != Verdict::Passed)
      return result;
    added = *buffer;
    auto area = SharedArea::make(input->size());
    if (!area)
      return noResources(area.status());
    std::ranges::copy(*input, area->bytes().begin());
    if (Outcome outcome = added->copyFrom(area->memory(), {}); !outcome)
      return failedCall("copyFrom", outcome.code(), outcome.error().message);
  }
  request_.inputs.push_back(argumentFor(added));
  inputs_.push_back(std::move(added));
  return passed();
}

RunResult DeviceBuffers::addOutput(IDevice &device, const std::shared_ptr<IPreparedModel> &model) {
  auto buffer = device.allocate({}, {}, {{model, static_cast<uint32_t>(outputs_.size()), 1}});
  if (RunResult result = checkAllocation(buffer); result.verdict != Verdict::Passed)
    return result;
  request_.outputs.push_back(argumentFor(*buffer));
  outputs_.push_back(std::move(*buffer));
  return passed();
}

RunResult DeviceBuffers::make(IDevice &device, const std::shared_ptr<IPreparedModel> &model, const TestCase &test) {
  for (const std::optional<Bytes> &input : test.inputs)
    if (RunResult result = addInput(device, model, input); result.verdict != Verdict::Passed)
      return result;
  for (size_t i = 0; i < test.outputs.size(); ++i)
    if (RunResult result = addOutput(device, model); result.verdict != Verdict::Passed)
      return result;
  return passed();
}

RunResult DeviceBuffers::checkUninitialized(const TestCase &test) const {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    auto area = SharedArea::make(test.outputs[i].bytes.size());
    if (!area)
      return noResources(area.status());
    if (Outcome outcome = outputs_[i]->copyTo(area->memory()); outcome.code() != ErrorStatus::GeneralFailure)
      return failed(fmt::format("copyTo of an uninitialized buffer answers {}", toString(outcome.code())));
  }
  return passed();
}

RunResult DeviceBuffers::copyOutputs(const TestCase &test, std::vector<Bytes> &outputs) const {
  outputs.clear();
  for (size_t i = 0; i < outputs_.size(); ++i) {
    auto area = SharedArea::make(test.outputs[i].bytes.size());
    if (!area)
      return noResources(area.status());
    if (Outcome outcome = outputs_[i]->copyTo(area->memory()); !outcome)
      return failedCall("copyTo", outcome.code(), outcome.error().message);
    outputs.emplace_back(area->bytes().begin(), area->bytes().end());
  }
  return passed();
}

} // namespace avocet::hal::conformance
