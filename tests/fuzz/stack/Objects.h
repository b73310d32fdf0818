//===- Objects.h - Objects of a program and what is known of them -----  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_STACK_OBJECTS_H
#define AVOCET_TESTS_FUZZ_STACK_OBJECTS_H

#include "Graph.h"
#include "SmallModels.h"

#include "avocet/hal/types/Interfaces.h"

#include <compare>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace avocet::fuzz {

/// The vector that a call has written, or will write.
struct Value {
  enum class State {
    Pending, ///< a run in flight writes it
    Known,
    Any,      ///< numbers that are not predicted
    Lost,     ///< none: a buffer that is not initialized
    Doubtful, ///< a buffer that is either Lost or has numbers of before
  };
  State state = State::Lost;
  uint32_t extent = 0; ///< elements; 0 if Lost
  std::vector<float> numbers{};
};

/// A model on one connection.
struct Prepared {
  uint64_t number = 0;
  size_t connection = 0;
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<hal::IPreparedModel> model;
};

/// A fence that the program signals or fails.
struct Gate {
  enum class State { Closed, Signaled, Failed };
  State state = State::Closed;
  hal::SyncFence fence;
  std::optional<hal::FenceSignaler> signaler; ///< none: `event`
  FileDescriptor event{};

  void signal();
  /// Its signaler dies, or fails it. An event is signaled, since it cannot fail.
  void fail(bool isDeath);
};

struct Flight;

/// A place for a vector: shared memory, or a buffer of the driver.
struct Cell {
  struct Role {
    uint64_t model = 0; ///< Prepared::number
    bool isOutput = false;
    uint32_t index = 0;
    auto operator<=>(const Role &) const = default;
  };
  int64_t identifier = 0; ///< in bursts; different for each cell of a program
  size_t connection = 0;
  std::optional<hal::testing::TestPool> pool;
  std::shared_ptr<hal::IBuffer> buffer; ///< null: the pool
  std::set<Role> roles{};               ///< of the buffer
  uint32_t fixedExtent = 0;             ///< of the buffer; 0: any
  std::shared_ptr<Value> value = std::make_shared<Value>();
  std::vector<std::shared_ptr<Flight>> users{}; ///< in flight, that read or write it
};

/// A valid request and its cells.
struct Plan {
  std::shared_ptr<Prepared> model;
  uint32_t extent = 0;
  std::vector<std::shared_ptr<Cell>> inputs; ///< the condition of an IF first
  std::shared_ptr<Cell> output;
  hal::Request request;
  std::vector<int64_t> identifiers; ///< of its pools
};

/// The output's value for these inputs.
Value resultOf(const Plan &plan, const std::vector<std::shared_ptr<Value>> &inputs);
/// Aborts unless the output's cell holds its value. No run may be using the cell.
void requireResult(const Plan &plan);

/// A fenced run that was launched.
struct Flight {
  Plan plan;
  hal::FencedLaunch launch;
  std::vector<std::shared_ptr<Gate>> gates;   ///< awaited, also through other flights
  std::vector<std::shared_ptr<Flight>> after; ///< awaited
  std::vector<std::shared_ptr<Value>> inputs; ///< those that it reads
  std::shared_ptr<Value> output;
  bool mustFail = false, mayFail = false;                  ///< for reasons other than gates and `after`
  bool isOver = false, isRight = false, hasMissed = false; ///< its deadline

  bool isBlocked() const; ///< unless it fails before its gates are decided
  bool hasFailedGate() const;
  bool mayHaveFailed() const;
};

struct ReusableSlot {
  Plan plan;
  hal::ExecutionOptions options;
  std::shared_ptr<hal::IExecution> execution;
  std::shared_ptr<Flight> last; ///< its fenced run; null: none
};

struct BurstSlot {
  std::shared_ptr<Prepared> model;
  std::shared_ptr<hal::IBurst> burst;
};

/// A client's cache files.
struct CacheSlot {
  size_t connection = 0;
  std::shared_ptr<const Graph> graph; ///< the model that was saved
  hal::CacheFiles files;
  bool isIntact = false; ///< exactly what was saved
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_STACK_OBJECTS_H
