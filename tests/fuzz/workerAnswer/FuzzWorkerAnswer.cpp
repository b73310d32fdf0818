//===- FuzzWorkerAnswer.cpp - Answers of hostile compile workers -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Messages.h"
#include "avocet/base/Rounding.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

namespace {

using namespace avocet;
using namespace avocet::hal;

/// Reads every byte that an answer refers to.
uint64_t touch(const compiler::CompileResult &result) {
  uint64_t sum = std::accumulate(result.modelCache.begin(), result.modelCache.end(), uint64_t{0});
  sum = std::accumulate(result.dataCache.begin(), result.dataCache.end(), sum);
  for (const compiler::Diagnostic &diagnostic : result.diagnostics)
    sum += diagnostic.message.size() + static_cast<uint32_t>(diagnostic.severity);
  return sum;
}

void require(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

/// The input is a message: the content of a worker's memory file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Aligned and longer than the input by less than the alignment, so that ASan finds reads past its end.
  const size_t rounded = roundUp(size, kMessageAlignment);
  std::unique_ptr<uint8_t, decltype(&std::free)> bytes(
      static_cast<uint8_t *>(std::aligned_alloc(kMessageAlignment, std::max<size_t>(rounded, kMessageAlignment))),
      &std::free);
  std::memcpy(bytes.get(), data, size);
  avocet::Result<WorkerMessage> message = WorkerMessage::inMemory({bytes.get(), size});
  if (!message)
    return 0;
  avocet::Result<compiler::CompileResult> result = readAnswer<compiler::CompileResult>(*message);
  require(result.isOk() || result.status().code() == StatusCode::DataLoss);
  if (result) {
    (void)touch(*result);
    require(result->status.code() <= StatusCode::Internal);
  }
  (void)readAnswer<compiler::Verdict>(*message).isOk();
  (void)readRequest(*message).isOk();
  return 0;
}
