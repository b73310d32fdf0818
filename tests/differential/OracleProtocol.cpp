//===- OracleProtocol.cpp - Messages between the tester and the oracle ----===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OracleProtocol.h"

#include <cerrno>
#include <utility>

namespace avocet::differential {
namespace {

/// Calls `transfer` (read or write) until all bytes are done.
template <typename Pointer, typename Transfer>
bool all(int descriptor, Pointer *bytes, size_t size, Transfer transfer) {
  while (size > 0) {
    const ssize_t done = transfer(descriptor, bytes, size);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    bytes += done;
    size -= static_cast<size_t>(done);
  }
  return true;
}

bool readAll(int descriptor, uint8_t *bytes, size_t size) { return all(descriptor, bytes, size, ::read); }
bool writeAll(int descriptor, const uint8_t *bytes, size_t size) { return all(descriptor, bytes, size, ::write); }

void append(Bytes &message, size_t number) {
  for (int shift = 0; shift < 32; shift += 8)
    message.push_back(static_cast<uint8_t>(number >> shift));
}

bool writeList(int descriptor, const std::vector<Bytes> &strings) {
  Bytes message;
  append(message, strings.size());
  for (const Bytes &string : strings) {
    append(message, string.size());
    message.insert(message.end(), string.begin(), string.end());
  }
  return writeAll(descriptor, message.data(), message.size());
}

std::optional<size_t> readNumber(int descriptor) {
  uint8_t bytes[4];
  if (!readAll(descriptor, bytes, sizeof(bytes)))
    return std::nullopt;
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | size_t{bytes[3]} << 24;
}

std::optional<std::vector<Bytes>> readList(int descriptor) {
  std::optional<size_t> count = readNumber(descriptor);
  if (!count)
    return std::nullopt;
  std::vector<Bytes> strings(*count);
  for (Bytes &string : strings) {
    const std::optional<size_t> size = readNumber(descriptor);
    if (!size)
      return std::nullopt;
    string.resize(*size);
    if (!readAll(descriptor, string.data(), string.size()))
      return std::nullopt;
  }
  return strings;
}

} // namespace

/// Rank and extents of each shape.
static Bytes encodeShapes(const std::vector<std::vector<int32_t>> &shapes) {
  Bytes bytes;
  for (const std::vector<int32_t> &shape : shapes) {
    append(bytes, shape.size());
    for (int32_t extent : shape)
      append(bytes, static_cast<size_t>(extent));
  }
  return bytes;
}

static std::vector<std::vector<int32_t>> decodeShapes(const Bytes &bytes) {
  auto number = [&](size_t index) {
    const uint8_t *at = bytes.data() + 4 * index;
    return at[0] | at[1] << 8 | at[2] << 16 | at[3] << 24;
  };
  std::vector<std::vector<int32_t>> shapes;
  for (size_t next = 0; next < bytes.size() / 4;) {
    const auto rank = static_cast<size_t>(number(next++));
    std::vector<int32_t> &shape = shapes.emplace_back();
    for (const size_t end = next + rank; next < end && next < bytes.size() / 4; ++next)
      shape.push_back(number(next));
  }
  return shapes;
}

bool writeRequest(int descriptor, const OracleRequest &request) {
  std::vector<Bytes> strings = {request.file, encodeShapes(request.shapes)};
  strings.insert(strings.end(), request.inputs.begin(), request.inputs.end());
  return writeList(descriptor, strings);
}

std::optional<OracleRequest> readRequest(int descriptor) {
  std::optional<std::vector<Bytes>> strings = readList(descriptor);
  if (!strings || strings->size() < 2)
    return std::nullopt;
  OracleRequest request{std::move(strings->front()), {}, decodeShapes((*strings)[1])};
  request.inputs.assign(strings->begin() + 2, strings->end());
  return request;
}

bool writeAnswer(int descriptor, const OracleAnswer &answer) {
  std::vector<Bytes> strings = {{answer.isRun}, {answer.message.begin(), answer.message.end()}};
  strings.insert(strings.end(), answer.outputs.begin(), answer.outputs.end());
  return writeList(descriptor, strings);
}

std::optional<OracleAnswer> readAnswer(int descriptor) {
  std::optional<std::vector<Bytes>> strings = readList(descriptor);
  if (!strings || strings->size() < 2 || strings->front().size() != 1)
    return std::nullopt;
  OracleAnswer answer{strings->front()[0] != 0, {(*strings)[1].begin(), (*strings)[1].end()}, {}};
  answer.outputs.assign(strings->begin() + 2, strings->end());
  return answer;
}

} // namespace avocet::differential
