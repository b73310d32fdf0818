//===- World.h - Live objects and what is known of them -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_FUZZ_NNAPI_WORLD_H
#define AVOCET_TESTS_FUZZ_NNAPI_WORLD_H

#include "BuildGraph.h"
#include "Bytes.h"
#include "Graph.h"
#include "Objects.h"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace avocet::fuzz {

namespace api = nnapi::testing;

/// Aborts unless `code` is one of `allowed`.
void expect(const char *call, int code, std::initializer_list<int> allowed);
/// Aborts unless `code` is one of the C interface.
void expectCode(const char *call, int code);

enum class State { Open, Finished, Failed };

struct ModelSlot {
  api::Model handle;
  State state = State::Open;
  std::shared_ptr<const Graph> graph; ///< null: a wild model, of which only the following is known
  std::vector<api::Memory> memories;
  size_t numInputs = 0, numOutputs = 0;
  // Of a wild model:
  std::vector<size_t> inputBytes, outputBytes;
  std::vector<std::vector<uint8_t>> values; ///< constants
  uint32_t numOperands = 0;
};

struct CompilationSlot {
  api::Compilation handle;
  State state = State::Open;
  std::shared_ptr<const Graph> graph;
  size_t numInputs = 0, numOutputs = 0;
  std::vector<size_t> inputBytes, outputBytes;
  bool isOneDevice = false, hasTimeout = false;
};

struct BurstSlot {
  api::Burst handle;
  std::shared_ptr<CompilationSlot> compilation;
};

struct MemorySlot {
  enum class Value { None, Known, Unknown };
  api::Memory handle;
  std::unique_ptr<api::SharedFile> file; ///< null: of a descriptor
  size_t bytes = 0;                      ///< of the file
  bool isReadOnly = false;
  // Of a memory of a descriptor:
  Value value = Value::None;
  std::vector<uint8_t> contents; ///< if known
};

struct DescSlot {
  api::MemoryDesc handle;
  bool isFinished = false;
  size_t numRoles = 0;
};

/// A fence that the harness signals.
struct Gate {
  ~Gate();
  void open();
  int descriptor = -1, other = -1; ///< `other`: -1 for an eventfd
  bool isOpen = false;
};

struct ExecutionSlot;

struct EventSlot {
  api::Event handle;
  std::vector<std::shared_ptr<Gate>> gates; ///< that it waits for, also through other events
  std::shared_ptr<ExecutionSlot> execution; ///< null: of a gate
  bool mayFail = false;                     ///< for reasons of its dependencies
  bool isGated() const;
};

struct ArgumentSlot {
  bool isSet = false, isOmitted = false;
  std::vector<uint8_t> buffer;        ///< of a pointer
  std::shared_ptr<MemorySlot> memory; ///< null: a pointer
  size_t offset = 0;
};

struct ExecutionSlot {
  api::Execution handle;
  std::shared_ptr<CompilationSlot> compilation;
  std::vector<ArgumentSlot> inputs, outputs;
  enum class Phase { Preparing, Running, Done } phase = Phase::Preparing;
  bool isReusable = false, hasTimeout = false, isMeasured = false, isPadded = false, isAnySet = false;
  bool isStrange = false;                                  ///< an argument was set with values that may be wrong
  bool isRight = false;                                    ///< the last run succeeded
  std::shared_ptr<EventSlot> event;                        ///< of the run
  std::optional<std::vector<std::vector<uint8_t>>> values; ///< of the run's inputs, if all are known
  bool isComplete() const;
};

/// Performs the calls of one input.
class World {
public:
  explicit World(Bytes bytes) : bytes_(bytes) {}
  ~World();
  void run();

private:
  void step();
  template <typename T> std::shared_ptr<T> any(const std::vector<std::shared_ptr<T>> &table) {
    return table.empty() ? nullptr : table[bytes_.below(static_cast<uint32_t>(table.size()))];
  }

  // ModelSteps.cpp
  void makeModel();
  void editModel();
  void useClosedModel();
  void askForSupport();
  void makeWildModel();
  // CompilationSteps.cpp
  void makeCompilation();
  void setUpCompilation();
  void setCaching(CompilationSlot &slot);
  void finishCompilation();
  void useClosedCompilation();
  void makeBurst();
  // ExecutionSteps.cpp
  void makeExecution();
  void setUpExecution();
  void setArguments(ExecutionSlot &slot);
  void setArgument(ExecutionSlot &slot, bool isOutput, size_t index);
  void setWildArguments(ExecutionSlot &slot);
  int passStrangeValue(ANeuralNetworksExecution *raw, bool isOutput, int32_t index, const ANeuralNetworksMemory *memory,
                       std::vector<uint8_t> &buffer);
  void setStrangeArgument();
  void askExecution();
  // RunSteps.cpp
  void runExecution();
  void runSynchronously(ExecutionSlot &slot);
  void startAsynchronously(const std::shared_ptr<ExecutionSlot> &slot);
  std::vector<const ANeuralNetworksEvent *> chooseDependencies(EventSlot &event);
  void noteRefusal(const std::shared_ptr<ExecutionSlot> &slot, bool mayFail, int code);
  void startFenced(const std::shared_ptr<ExecutionSlot> &slot);
  void changeInputs(ExecutionSlot &slot);
  void forgetInputsInFlight();
  void noteStart(ExecutionSlot &slot);
  void noteEnd(ExecutionSlot &slot, int code);
  int expectedStart(const ExecutionSlot &slot) const;
  void makeGate();
  void openGate();
  void awaitEvent();
  void settle(EventSlot &event);
  void useEvent();
  // MemorySteps.cpp
  void makeMemory();
  void makeStrangeMemory();
  void copyMemory();
  void makeDesc();
  void editDesc();
  void makeRoleMemory();
  // NullSteps.cpp
  void passNull();
  // ThreadSteps.cpp
  void runThreads();

  void freeSomething();
  void freeExecution(size_t index);
  bool isAnythingRunning() const;

  Bytes bytes_;
  std::vector<std::shared_ptr<ModelSlot>> models_;
  std::vector<std::shared_ptr<CompilationSlot>> compilations_;
  std::vector<std::shared_ptr<ExecutionSlot>> executions_;
  std::vector<std::shared_ptr<BurstSlot>> bursts_;
  std::vector<std::shared_ptr<EventSlot>> events_;
  std::vector<std::shared_ptr<MemorySlot>> memories_;
  std::vector<std::shared_ptr<DescSlot>> descs_;
  std::vector<std::shared_ptr<Gate>> gates_;
  uint32_t compilationsLeft_ = 6; ///< they take most of the time
};

/// The library's devices; they do not change.
const std::vector<const ANeuralNetworksDevice *> &devices();

} // namespace avocet::fuzz

#endif // AVOCET_TESTS_FUZZ_NNAPI_WORLD_H
