//===- VerboseLog.h - Verbose messages by tag -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debug messages about the path of a model through the HAL. Off by default; the knob AVOCET_VLOG (Android:
// debug.nn.vlog) or setVerboseTags() enables tags. A message of a disabled tag costs one atomic load. Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_VERBOSELOG_H
#define AVOCET_HAL_TYPES_VERBOSELOG_H

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace avocet::hal {

/// In the order of Android's bits. What each tag prints:
///   Model        counts of a model that is prepared
///   Compilation  start, end and time of a preparation; reads from and writes to caches
///   Execution    outcome of each execution; requests of message queues
///   CpuExe       outcome of each execution on the CPU device of libneuralnetworks.so
///   Manager      services and devices that a client finds
///   Driver       clients that connect; calls, at the client's and at the service's side
///   Memory       buffers allocated and freed; bytes that an execution copies
enum class VerboseTag : uint32_t { Model, Compilation, Execution, CpuExe, Manager, Driver, Memory };

/// A set of tags, one bit each.
using VerboseTags = uint32_t;
inline constexpr VerboseTags kAllVerboseTags = 0x7F;

/// "model compilation", "driver,memory", "model:execution", "" (none), "1" and "all". Words that are no tag are ignored
/// and returned in `unknown`, if given.
VerboseTags parseVerboseTags(std::string_view text, std::string *unknown = nullptr);

/// Sets the enabled tags; overrides the knob.
void setVerboseTags(VerboseTags tags);
bool isVerbose(VerboseTag tag);

/// "driver"
std::string_view toString(VerboseTag tag);

/// Writes one line on the standard error stream, independent of AVOCET_LOG.
void writeVerbose(VerboseTag tag, std::string_view text);

/// verbose(VerboseTag::Driver, "prepared in {} ms", time); the text is formatted only if it is written.
template <typename... Args> void verbose(VerboseTag tag, fmt::format_string<Args...> format, Args &&...args) {
  if (isVerbose(tag))
    writeVerbose(tag, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_VERBOSELOG_H
