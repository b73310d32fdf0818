//===- SharedState.h - Memory shared by runner and clients ------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that the runner and all clients map. It keeps a client's data after the client is killed.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_STRESS_SHAREDSTATE_H
#define AVOCET_TESTS_STRESS_SHAREDSTATE_H

#include "avocet/base/File.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace avocet::stress {

/// Results of a client's calls.
enum class Count : uint32_t {
  Right,     ///< success, with the expected bits
  Refused,   ///< RESOURCE_EXHAUSTED_*
  Missed,    ///< MISSED_DEADLINE_*, of a call with a deadline
  Dead,      ///< DEAD_OBJECT, of a service that was killed
  Failed,    ///< an error that the action provoked
  NotOffered ///< the device has no such call
};
inline constexpr size_t kNumCounts = 6;
std::string_view toString(Count count);

static_assert(std::atomic<uint64_t>::is_always_lock_free);

/// How often an action ended without a service kill, and how often it had its effect. An action that runs and never has
/// its effect tests nothing.
struct ActionCounts {
  std::atomic<uint64_t> runs{0};
  std::atomic<uint64_t> effects{0};
};

/// The data of one client process at a time.
struct Slot {
  std::atomic<uint64_t> progress{0}; ///< grows with every call that ended
  std::array<std::atomic<uint64_t>, kNumCounts> counts{};
  char action[32] = {};   ///< current action
  char failure[256] = {}; ///< why it failed; empty: it did not
  void add(Count count) { counts[static_cast<size_t>(count)].fetch_add(1, std::memory_order_relaxed); }
};

struct SharedStateContent {
  static constexpr size_t kMaxClients = 64;
  std::atomic<uint64_t> serviceKills{0}; ///< grows before each kill
  std::atomic<int64_t> lastKill{-1};     ///< when a service was killed, or served again: steady clock, seconds
  std::array<Slot, kMaxClients> slots{};
  static constexpr size_t kMaxActions = 32;
  std::array<ActionCounts, kMaxActions> actions{}; ///< by number (Actions.h), of all clients since the start
};

class SharedState {
public:
  static Result<SharedState> create();
  /// Maps a shared state whose descriptor was inherited.
  static Result<SharedState> attach(int descriptor);

  SharedStateContent &content() { return *reinterpret_cast<SharedStateContent *>(mapping_.bytes().data()); }
  int descriptor() const { return file_.get(); }

private:
  FileDescriptor file_;
  Mapping mapping_;
};

void setText(std::span<char> place, std::string_view text);

} // namespace avocet::stress

#endif // AVOCET_TESTS_STRESS_SHAREDSTATE_H
