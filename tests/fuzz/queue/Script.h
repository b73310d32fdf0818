//===- Script.h - The input as a sequence of decisions -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_QUEUE_SCRIPT_H
#define AVOCET_TESTS_FUZZ_QUEUE_SCRIPT_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace avocet::hal::fuzz {

/// Reads values from the input; zeros after its end.
class Script {
public:
  Script(const uint8_t *data, size_t size) : data_(data), size_(size) {}
  bool atEnd() const { return size_ == 0; }
  uint8_t byte() {
    if (size_ == 0)
      return 0;
    --size_;
    return *data_++;
  }
  uint64_t word() {
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
      value |= uint64_t(byte()) << 8 * i;
    return value;
  }
  /// Up to `atMost` elements of arbitrary bytes, as far as the input has bytes for them.
  template <typename Datum> std::vector<Datum> datums(size_t atMost) {
    std::vector<Datum> datums(std::min<size_t>(byte() % (atMost + 1), size_ / sizeof(Datum)));
    for (Datum &datum : datums) {
      std::memcpy(&datum, data_, sizeof(Datum));
      data_ += sizeof(Datum);
      size_ -= sizeof(Datum);
    }
    return datums;
  }
  /// Changes up to three bytes of a packet, and sometimes removes its last element.
  template <typename Datum> void mutate(std::vector<Datum> &packet) {
    for (uint8_t changes = byte() % 4; changes > 0 && !packet.empty(); --changes) {
      size_t place = byte() % packet.size();
      reinterpret_cast<uint8_t *>(&packet[place])[byte() % sizeof(Datum)] = byte();
    }
    if (byte() % 8 == 1 && !packet.empty())
      packet.pop_back();
  }

private:
  const uint8_t *data_;
  size_t size_;
};

} // namespace avocet::hal::fuzz

#endif // AVOCET_TESTS_FUZZ_QUEUE_SCRIPT_H
