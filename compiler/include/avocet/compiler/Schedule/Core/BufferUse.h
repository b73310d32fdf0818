//===- BufferUse.h - When bytes of a buffer come into use -------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer that copies fill piece by piece comes into use piece by piece: until a piece arrives, its bytes may belong
// to an older buffer. The first command that is no such copy brings the rest of the buffer into use. All bytes stay in
// use until the buffer's last command.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SCHEDULE_CORE_BUFFERUSE_H
#define AVOCET_COMPILER_SCHEDULE_CORE_BUFFERUSE_H

#include "avocet/firmware_iface/Command.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace avocet::compiler::schedule {

/// Bytes [begin, end) of a buffer.
struct BufferBytes {
  uint64_t begin = 0, end = 0;
  bool operator==(const BufferBytes &) const = default;
};

/// The bytes that a command writes to the buffer of its last address if it is a copy or fill of one run, and so
/// does not depend on other bytes of that buffer; else nullopt.
std::optional<BufferBytes> piecewiseWrite(const firmware::CommandBody &command);

/// The bytes of one buffer that are in use so far.
class BufferUse {
public:
  /// Bytes of the buffer, of `size` in all, that were not in use before a command: those of `written`, which lie in the
  /// buffer, or of all if the command is no piecewise write to the buffer.
  std::vector<BufferBytes> begin(uint64_t size, const std::optional<BufferBytes> &written);

private:
  bool isWhole_ = false;
  std::map<uint64_t, uint64_t> used_; ///< begin to end, disjoint
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_SCHEDULE_CORE_BUFFERUSE_H
