//===- FuzzRecording.cpp - Recordings of back-end calls ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include <cstdlib>

using namespace avocet::runtime;

/// An accepted recording must have the same bytes when it is written again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto recording = parseRecording(std::span(data, size), "input");
  if (!recording) {
    if (recording.status().message().empty())
      std::abort();
    return 0;
  }
  std::vector<uint8_t> again;
  appendHeader(recording->header, again);
  for (const Record &record : recording->records)
    appendRecord(record, again);
  if (!std::equal(again.begin(), again.end(), data, data + size))
    std::abort();
  return 0;
}
