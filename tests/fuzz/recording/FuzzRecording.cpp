//===- FuzzRecording.cpp - Recordings of back-end calls ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include <cstdlib>

using namespace avocet::runtime;

namespace {

std::vector<uint8_t> bytesOf(const Recording &recording) {
  std::vector<uint8_t> bytes;
  appendHeader(recording.header, bytes);
  for (const Record &record : recording.records)
    appendRecord(record, bytes);
  return bytes;
}

} // namespace

/// An accepted recording must be accepted when it is written again, and then keep its bytes: a FlatBuffer can have
/// other bytes than those of our writer for the same contents.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto recording = parseRecording(std::span(data, size), "input", Cut::Accepted);
  if (!recording) {
    if (recording.status().message().empty())
      std::abort();
    return 0;
  }
  const std::vector<uint8_t> written = bytesOf(*recording);
  auto again = parseRecording(written, "written", Cut::Accepted);
  if (!again || bytesOf(*again) != written)
    std::abort();
  return 0;
}
