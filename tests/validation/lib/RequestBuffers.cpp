//===- RequestBuffers.cpp ------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequestBuffers.h"

#include <algorithm>
#include <fmt/format.h>

namespace avocet::hal::conformance {
namespace {

/// Value of unwritten bytes: an unlikely value for every type.
constexpr uint8_t kUntouched = 0xa7;
constexpr uint32_t kInputPool = 0;

} // namespace

avocet::Result<RequestBuffers> RequestBuffers::make(const TestCase &test, uint64_t shortBy) {
  RequestBuffers made;
  AVOCET_ASSIGN_OR_RETURN(SharedMemory inputs, made.makeInputs(test));
  if (inputs)
    made.request_.pools.emplace_back(std::move(inputs));
  AVOCET_ASSIGN_OR_RETURN(SharedMemory outputs, made.makeOutputs(test, shortBy));
  made.request_.pools.emplace_back(std::move(outputs));
  return made;
}

/// No pool if all arguments are omitted.
avocet::Result<SharedMemory> RequestBuffers::makeInputs(const TestCase &test) {
  for (const std::optional<Bytes> &input : test.inputs) {
    RequestArgument argument{.hasNoValue = !input, .location = {}, .dimensions = {}};
    if (input) {
      argument.location = {kInputPool, writtenInputs_.size(), input->size(), 0};
      writtenInputs_.insert(writtenInputs_.end(), input->begin(), input->end());
      writtenInputs_.resize(alignRegion(writtenInputs_.size()));
    }
    request_.inputs.push_back(std::move(argument));
  }
  if (writtenInputs_.empty())
    return SharedMemory();
  AVOCET_ASSIGN_OR_RETURN(inputs_, SharedArea::make(writtenInputs_.size()));
  std::ranges::copy(writtenInputs_, inputs_->bytes().begin());
  return inputs_->memory();
}

avocet::Result<SharedMemory> RequestBuffers::makeOutputs(const TestCase &test, uint64_t shortBy) {
  uint64_t end = kRegionAlignment;
  for (const ExpectedOutput &output : test.outputs) {
    const bool isFirst = request_.outputs.empty();
    const uint64_t size = std::max<uint64_t>(output.bytes.size(), 1) - (isFirst ? shortBy : 0);
    const auto pool = static_cast<uint32_t>(request_.pools.size());
    request_.outputs.push_back({.hasNoValue = false, .location = {pool, end, size, 0}, .dimensions = {}});
    end = alignRegion(end + size) + kRegionAlignment;
  }
  AVOCET_ASSIGN_OR_RETURN(outputs_, SharedArea::make(end));
  clearOutputs();
  return outputs_->memory();
}

std::span<const uint8_t> RequestBuffers::output(size_t index) const {
  const DataLocation &location = request_.outputs[index].location;
  return std::as_const(*outputs_).bytes().subspan(location.offset, location.length);
}

std::vector<Bytes> RequestBuffers::copyOutputs(const TestCase &test) const {
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < test.outputs.size(); ++i) {
    const auto bytes = output(i).first(test.outputs[i].bytes.size());
    outputs.emplace_back(bytes.begin(), bytes.end());
  }
  return outputs;
}

void RequestBuffers::clearOutputs() { std::ranges::fill(outputs_->bytes(), kUntouched); }

std::string RequestBuffers::damage() const {
  if (inputs_ && !std::ranges::equal(std::as_const(*inputs_).bytes(), writtenInputs_))
    return "the inputs' pool was written";
  const std::span<const uint8_t> bytes = std::as_const(*outputs_).bytes();
  uint64_t begin = 0;
  auto firstTouched = [&](uint64_t end) -> std::string {
    const auto gap = bytes.subspan(begin, end - begin);
    const auto touched = std::ranges::find_if(gap, [](uint8_t byte) { return byte != kUntouched; });
    return touched == gap.end() ? ""
                                : fmt::format("byte {} of the outputs' pool was written",
                                              begin + static_cast<uint64_t>(touched - gap.begin()));
  };
  for (const RequestArgument &output : request_.outputs) {
    if (std::string text = firstTouched(output.location.offset); !text.empty())
      return text;
    begin = output.location.offset + output.location.length;
  }
  return firstTouched(bytes.size());
}

} // namespace avocet::hal::conformance
