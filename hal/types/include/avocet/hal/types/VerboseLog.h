//===- VerboseLog.h - Verbose messages by tag -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debug messages about the path of a model through the HAL, and about each decision on it. Off by default; the knob
// AVOCET_VLOG (Android: debug.nn.vlog) or setVerboseTags() enables tags. A message of a disabled tag costs one relaxed
// load and a branch, besides its arguments: compute expensive ones only if isVerbose(). Thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_VERBOSELOG_H
#define AVOCET_HAL_TYPES_VERBOSELOG_H

#include "avocet/hal/types/Result.h"

#include <fmt/core.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace avocet::hal {

/// In the order of Android's bits. What each tag prints:
///   Model        counts of a model that is prepared; losses of conversions to older HAL versions
///   Compilation  support and why operations are refused; partitions and costs; each run of the compiler: where, how
///                long, how many bytes; hits and misses of caches, with the reason; preparations and why they fail
///   Execution    programs for shapes, deadlines against predictions, fences, time lost to other jobs, outcomes
///   CpuExe       outcome of each execution on the CPU device of libneuralnetworks.so; work that falls back to the CPU
///   Manager      services and devices that a client finds; connections made again after a restart of the service
///   Driver       clients that connect; calls, at the client's and at the service's side; refusals by quotas
///   Memory       pools that are mapped or copied, and why; buffers allocated, refused and freed; memory freed early
enum class VerboseTag : uint32_t { Model, Compilation, Execution, CpuExe, Manager, Driver, Memory };

/// A set of tags, one bit each.
using VerboseTags = uint32_t;
inline constexpr VerboseTags kAllVerboseTags = 0x7F;

/// "model compilation", "driver,memory", "model:execution", "" (none), "1" and "all". Words that are no tag are ignored
/// and returned in `unknown`, if given.
VerboseTags parseVerboseTags(std::string_view text, std::string *unknown = nullptr);

/// Sets the enabled tags; overrides the knob.
void setVerboseTags(VerboseTags tags);

/// For isVerbose() only.
namespace detail {
inline constexpr VerboseTags kKnobIsUnread = 1U << 31;
extern std::atomic<VerboseTags> tags;
bool readKnob(VerboseTag tag);
} // namespace detail

inline bool isVerbose(VerboseTag tag) {
  const VerboseTags bit = 1U << static_cast<uint32_t>(tag);
  const VerboseTags tags = detail::tags.load(std::memory_order_relaxed);
  if ((tags & (bit | detail::kKnobIsUnread)) == 0) [[likely]]
    return false;
  return (tags & detail::kKnobIsUnread) == 0 || detail::readKnob(tag);
}

/// "driver"
std::string_view toString(VerboseTag tag);

/// Writes one line on the standard error stream, independent of AVOCET_LOG.
void writeVerbose(VerboseTag tag, std::string_view text);

/// verbose(VerboseTag::Driver, "prepared in {} ms", time); the text is formatted only if it is written.
template <typename... Args> void verbose(VerboseTag tag, fmt::format_string<Args...> format, Args &&...args) {
  if (isVerbose(tag))
    writeVerbose(tag, fmt::format(format, std::forward<Args>(args)...));
}

/// Writes "WHAT: CODE: MESSAGE" and returns the error: for the place that decides on a refusal.
inline Error verboseError(VerboseTag tag, std::string_view what, Error error) {
  verbose(tag, "{}: {}: {}", what, toString(error.code), error.message);
  return error;
}

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_VERBOSELOG_H
