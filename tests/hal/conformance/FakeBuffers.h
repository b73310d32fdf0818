//===- FakeBuffers.h - Buffers of the fake device ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers of the fake device, and the bytes of a request's argument, which are in a pool or in such a buffer.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CONFORMANCE_FAKEBUFFERS_H
#define AVOCET_TESTS_CONFORMANCE_FAKEBUFFERS_H

#include "avocet/hal/types/Interfaces.h"

#include <map>
#include <optional>
#include <span>

namespace avocet::hal::conformance {

/// The buffers of a device by token. A buffer can have any size and is never freed before the device.
class FakeBuffers {
public:
  using Content = std::optional<std::vector<uint8_t>>; ///< none: uninitialized

  FakeBuffers(bool startFull, bool giveWrongBytes) : startFull_(startFull), giveWrongBytes_(giveWrongBytes) {}
  std::shared_ptr<IBuffer> allocate();
  Content &at(BufferToken token) { return *contents_.at(token); }

private:
  bool startFull_, giveWrongBytes_;
  std::map<BufferToken, std::shared_ptr<Content>> contents_;
};

/// The bytes of one argument of a request.
class FakeRegion {
public:
  FakeRegion(FakeBuffers &buffers, const Request &request, const RequestArgument &argument);

  std::span<uint8_t> bytes();
  /// The byte after the argument. A pool must have one; for a buffer it is a dummy that no test reads.
  uint8_t &byteAfter() { return content_ ? unusedByte_ : mapping_.bytes()[location_.offset + location_.length]; }
  /// Resizes a buffer to `size` zeros; does nothing for a pool.
  void grow(size_t size);

private:
  DataLocation location_;
  Mapping mapping_;
  uint8_t unusedByte_ = 0;
  FakeBuffers::Content *content_ = nullptr; ///< null: in a pool
};

} // namespace avocet::hal::conformance

#endif // AVOCET_TESTS_CONFORMANCE_FAKEBUFFERS_H
