//===- FakeBuffers.h - Device memory without a device -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the fake device allocates, and the bytes that an argument of a request names: of a pool or of such a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_FAKEBUFFERS_H
#define AVOCET_TESTS_CONFORMANCE_FAKEBUFFERS_H

#include "avocet/hal/Interfaces.h"

#include <map>
#include <optional>
#include <span>

namespace avocet::hal::conformance {

/// The buffers of a device by token. They take any size and outlive their use.
class FakeBuffers {
public:
  using Content = std::optional<std::vector<uint8_t>>; ///< nothing: uninitialised

  FakeBuffers(bool startFull, bool giveWrongBytes) : startFull_(startFull), giveWrongBytes_(giveWrongBytes) {}
  std::shared_ptr<IBuffer> allocate();
  Content &at(BufferToken token) { return *contents_.at(token); }

private:
  bool startFull_, giveWrongBytes_;
  std::map<BufferToken, std::shared_ptr<Content>> contents_;
};

/// The bytes of one argument.
class FakeRegion {
public:
  FakeRegion(FakeBuffers &buffers, const Request &request, const RequestArgument &argument);

  std::span<uint8_t> bytes();
  /// Requires a pool with more bytes, or a buffer, whose neighbour nobody sees.
  uint8_t &byteBehind() { return content_ ? nobodys_ : mapping_.bytes()[location_.offset + location_.length]; }
  /// A buffer takes this size; a pool stays as it is.
  void grow(size_t size);

private:
  DataLocation location_;
  Mapping mapping_;
  uint8_t nobodys_ = 0;
  FakeBuffers::Content *content_ = nullptr; ///< null: in a pool
};

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_FAKEBUFFERS_H
