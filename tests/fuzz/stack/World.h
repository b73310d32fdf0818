//===- World.h - Performs a program on all layers ---------------------  -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_STACK_WORLD_H
#define AVOCET_TESTS_FUZZ_STACK_WORLD_H

#include "Bytes.h"
#include "FuzzedService.h"
#include "Objects.h"
#include "Watchdog.h"

#include <string>

namespace avocet::fuzz {

using Statuses = std::vector<hal::ErrorStatus>;

/// Aborts unless `status` is one of `allowed`.
void expectStatus(const char *call, hal::ErrorStatus status, const std::string &message, const Statuses &allowed);
template <typename T> void expect(const char *call, const hal::Result<T> &result, const Statuses &allowed) {
  expectStatus(call, result.code(), result ? "" : result.error().message, allowed);
}

/// The connections of a program: the first device in process, the same through the service, another device in process.
inline constexpr size_t kServedConnection = 1, kNumConnections = 3;
/// The number of the connection's device in the service.
constexpr size_t driverOf(size_t connection) { return connection == 2 ? 1 : 0; }

/// Objects of one program. Clients connect when a step first needs them, and leave at the end.
class World {
public:
  World(Bytes bytes, const FuzzedService &service, Watchdog &watchdog)
      : bytes_(bytes), service_(service), watchdog_(watchdog) {}
  ~World();
  void run();

private:
  struct Step {
    const char *name;
    void (World::*perform)();
  };
  static const std::vector<Step> kSteps;

  template <typename T> std::shared_ptr<T> any(const std::vector<std::shared_ptr<T>> &table) {
    return table.empty() ? nullptr : table[bytes_.below(static_cast<uint32_t>(table.size()))];
  }
  hal::IDevice &device(size_t connection);

  // ModelSteps.cpp
  void prepareModel();
  void prepareWithCache();
  void loadFromCache();
  void loadWhileFilesChange();
  void damageCache();
  void damageBlobs();
  void add(size_t connection, std::shared_ptr<const Graph> graph, std::shared_ptr<hal::IPreparedModel> model);
  hal::PrepareOptions chooseOptions();

  // BufferSteps.cpp
  void allocateBuffer();
  /// A buffer whose runs have ended and are settled. Null: there is none, or one of its runs waits for a gate.
  std::shared_ptr<Cell> settledBuffer();
  void copyIn();
  void copyOut();

  // Plans.cpp
  std::shared_ptr<Cell> poolFor(uint32_t extent, const Plan &plan);
  std::shared_ptr<Cell> bufferFor(const Plan &plan, const Cell::Role &role);
  std::shared_ptr<Cell> conditionCell();
  void fill(Cell &cell, uint32_t extent);
  std::optional<Plan> choosePlan();
  std::optional<Plan> choosePlanFor(const std::shared_ptr<Prepared> &model);
  bool settleConflicts(const Plan &plan);
  hal::ExecutionOptions chooseOptions(const Plan &plan);
  Statuses forecast(const Plan &plan, const hal::ExecutionOptions &options) const;
  void noteEnd(const Plan &plan, const hal::ExecutionOutcome &outcome, const Statuses &allowed);

  // RunSteps.cpp
  void runAtOnce();
  void runAsynchronously();
  void openBurst();
  void runBurst();
  void runBurstWithStaleIdentifier();
  void releaseIdentifier();
  void makeReusable();
  void runReusable();

  // FenceSteps.cpp
  void makeGate();
  void decideGate();
  void launchFenced();
  void launchReusable();
  void launch(const Plan &plan, const hal::ExecutionOptions &options, ReusableSlot *reusable);
  std::vector<hal::SyncFence> chooseFences(Flight &flight);
  void expectRefusal(const Flight &flight, const hal::Error &refusal, const Statuses &allowed) const;
  void settleOne();
  void retire(const std::shared_ptr<Cell> &cell);
  void settle(std::shared_ptr<Flight> flight); // a copy: the tables' entries are erased

  void freeSomething();

  Bytes bytes_;
  const FuzzedService &service_;
  Watchdog &watchdog_;
  std::shared_ptr<hal::IDevice> devices_[kNumConnections];
  std::vector<std::shared_ptr<Prepared>> models_;
  std::vector<std::shared_ptr<Cell>> pools_, buffers_;
  std::shared_ptr<Cell> conditions_[2];
  std::vector<std::shared_ptr<Gate>> gates_;
  std::vector<std::shared_ptr<Flight>> flights_; ///< not over
  std::vector<std::shared_ptr<BurstSlot>> bursts_;
  std::vector<std::shared_ptr<ReusableSlot>> reusables_;
  std::vector<std::shared_ptr<CacheSlot>> caches_;
  uint64_t nextNumber_ = 1;
  uint32_t compilationsLeft_ = 6; ///< they take most of the time
};

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_STACK_WORLD_H
