//===- OwnVectorsTest.cpp - The tree's own vectors on the simulated device -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs the small models of vectors/*.py, for every operation and in every kind of run. Needs no shared data.

#include "Sanitizer.h"
#include "VectorChecks.h"
#include "avocet/base/ScratchDirectory.h"
#include "avocet/hal/capi/CapiDevice.h"
#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"
#include "avocet/hal/types/Signatures.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/validation/QueueBurst.h"
#include "avocet/validation/Runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace avocet::hal::conformance {
namespace {

std::vector<CaseRef> ownCases() {
  auto cases = findCases(AVOCET_OWN_VECTORS);
  EXPECT_TRUE(cases.isOk()) << cases.status().toString();
  return cases.isOk() ? *cases : std::vector<CaseRef>();
}

/// The cases that run once more on the way through another interface: with a sanitizer one in four, each operation's
/// arithmetic has run then.
std::vector<CaseRef> sampledCases() {
  std::vector<CaseRef> sampled;
  const std::vector<CaseRef> all = ownCases();
  for (size_t i = 0; i < all.size(); i += casesOf(1, 4))
    sampled.push_back(all[i]);
  return sampled;
}

/// Runs cases in all kinds and checks each result.
RunnerResult run(const std::vector<CaseRef> &cases, const std::shared_ptr<IDevice> &device, FmqBurstMaker fmqBurst,
                 KindSet kinds = KindSet::all()) {
  RunnerOptions options;
  options.kinds = kinds;
  options.fmqBurst = std::move(fmqBurst);
  RunnerResult result = runCases(device, cases, options);
  EXPECT_EQ(result.abandoned, 0u);
  for (const CaseResult &entry : result.cases)
    checkAnswers(entry);
  return result;
}

void expectEachKindPassed(const RunnerResult &result) {
  const Summary summary = summarize(result.cases);
  for (size_t kind = 0; kind < kNumRunKinds; ++kind)
    EXPECT_GT(summary.byKind[kind].passed, 0u) << toString(static_cast<RunKind>(kind));
}

TEST(OwnVectors, ContainEveryOperation) {
  std::set<std::string> contained;
  for (const CaseRef &ref : ownCases()) {
    const CaseInfo info = ref.file->info(ref.index);
    if (!info.kinds.has(RunKind::Validation))
      contained.insert(info.operations.begin(), info.operations.end());
  }
  ASSERT_EQ(allSignatures().size(), 106u);
  for (const OperationSignature &signature : allSignatures())
    EXPECT_TRUE(contained.contains(std::string(signature.name()))) << signature.name();
}

struct Tolerance {
  double absolute, relative;
};

/// Of an output of a float32 model that is not relaxed.
Tolerance toleranceOf(OperandType type) {
  switch (type) {
  case OperandType::Float32:
  case OperandType::TensorFloat32:
    return {1e-5, 5 * 0x1p-23};
  case OperandType::Float16:
  case OperandType::TensorFloat16:
    return {5 * 0x1p-10, 5 * 0x1p-10};
  case OperandType::Bool:
  case OperandType::TensorBool8:
    return {0, 0};
  default:
    return {1, 0};
  }
}

bool hasFloat16(const Subgraph &graph) {
  return std::ranges::any_of(graph.operands, [](const Operand &o) { return o.type == OperandType::TensorFloat16; });
}

/// No case is compared more generously than Android's tests compare.
TEST(OwnVectors, StateTolerancesOfTheHal) {
  std::set<OperandType> compared;
  for (const CaseRef &ref : ownCases()) {
    const CaseInfo info = ref.file->info(ref.index);
    auto made = ref.file->make(ref.index, Form::AsWritten);
    ASSERT_TRUE(made.isOk()) << info.name;
    const Model &model = made->model;
    const bool isHalf = model.relaxComputationFloat32toFloat16 || hasFloat16(model.main) ||
                        std::ranges::any_of(model.referenced, hasFloat16);
    for (const ExpectedOutput &output : made->outputs) {
      if (output.rule != OutputRule::Close)
        continue;
      const bool isFloat = output.type == OperandType::TensorFloat32 || output.type == OperandType::Float32;
      const Tolerance most = toleranceOf(isHalf && isFloat ? OperandType::TensorFloat16 : output.type);
      EXPECT_LE(output.absolute, most.absolute) << info.name;
      EXPECT_LE(output.relative, most.relative) << info.name;
      compared.insert(output.type);
    }
  }
  for (OperandType type : {OperandType::TensorFloat32, OperandType::TensorFloat16, OperandType::TensorInt32,
                           OperandType::TensorBool8, OperandType::TensorQuant8Asymm})
    EXPECT_TRUE(compared.contains(type)) << hal::toString(type);
}

/// The device has every operation.
TEST(OwnVectors, PassInEveryKind) {
  auto scratch = ScratchDirectory::make();
  ASSERT_TRUE(scratch.isOk()) << scratch.status().toString();
  DriverOptions driver;
  driver.cacheDirectory = scratch->path();
  auto device = openDevice(driver);
  ASSERT_TRUE(device.isOk()) << device.error().message;
  const RunnerResult result =
      run(ownCases(), *device, [](const Model &, const auto &model) { return burstThroughQueues(model); });
  expectEachKindPassed(result);
  for (const CaseResult &entry : result.cases)
    EXPECT_NE(entry.verdict(), Verdict::Unsupported) << entry.info.name;
}

/// The cases of kind validation accept a general failure too, as Android's tests do.
TEST(OwnVectors, InvalidModelsAreInvalidArguments) {
  auto device = openDevice({});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  size_t count = 0;
  for (const CaseRef &ref : ownCases()) {
    const CaseInfo info = ref.file->info(ref.index);
    if (!info.kinds.has(RunKind::Validation))
      continue;
    auto made = ref.file->make(ref.index, Form::AsWritten);
    ASSERT_TRUE(made.isOk()) << info.name;
    EXPECT_EQ((*device)->getSupportedOperations(made->model).code(), ErrorStatus::InvalidArgument) << info.name;
    EXPECT_EQ((*device)->prepareModel(made->model, {}).code(), ErrorStatus::InvalidArgument) << info.name;
    ++count;
  }
  EXPECT_GE(count, 40u);
}

/// The kinds that its own capabilities could change.
TEST(OwnVectors, PassOnTheCpu) {
  auto scratch = ScratchDirectory::make();
  ASSERT_TRUE(scratch.isOk()) << scratch.status().toString();
  auto device = openCpuDevice({.compilerLibrary = "", .cacheDirectory = scratch->path()});
  ASSERT_TRUE(device.isOk()) << device.error().message;
  KindSet kinds;
  kinds.add(RunKind::General).add(RunKind::Caching);
  const RunnerResult result = run(ownCases(), *device, {}, kinds);
  for (const CaseResult &entry : result.cases)
    if (entry.info.kinds.has(RunKind::General))
      EXPECT_EQ(entry.verdict(), Verdict::Passed) << entry.info.name;
}

/// The C library reads its settings once in a process.
std::shared_ptr<IDevice> openThroughTheCLibrary(const std::string &name) {
  static const auto kRecords = ScratchDirectory::make();
  EXPECT_TRUE(kRecords.isOk()) << kRecords.status().toString();
  ::setenv("AVOCET_NNAPI_DEVICES", "embedded", 1);
  ::setenv("AVOCET_NNAPI_RECORDS", kRecords->path().c_str(), 1);
  ::setenv("AVOCET_LOG", "off", 1);
  auto device = openCapiDevice({.library = AVOCET_NNAPI_LIBRARY, .device = name});
  EXPECT_TRUE(device.isOk()) << device.error().message;
  return device ? *device : nullptr;
}

void expectAllPassThroughTheCLibrary(const std::string &name) {
  auto device = openThroughTheCLibrary(name);
  ASSERT_NE(device, nullptr);
  const RunnerResult result =
      run(sampledCases(), device, [](const Model &, const auto &model) { return model->configureBurst(); });
  expectEachKindPassed(result);
  for (const CaseResult &entry : result.cases)
    EXPECT_EQ(entry.verdict(), Verdict::Passed) << entry.info.name;
}

TEST(OwnVectors, PassThroughTheCLibrary) { expectAllPassThroughTheCLibrary("avocet-e256"); }

TEST(OwnVectors, PassOnTheCpuOfTheCLibrary) { expectAllPassThroughTheCLibrary("nnapi-reference"); }

TEST(OwnVectors, PassThroughTheService) {
  auto scratch = ScratchDirectory::make();
  ASSERT_TRUE(scratch.isOk()) << scratch.status().toString();
  auto service = ServiceProcess::start(AVOCETD, scratch->path() + "/socket", {"--cache-dir", scratch->path()});
  ASSERT_TRUE(service.isOk()) << service.status().toString();
  auto device = connectDevice(service->socket(), "avocet-e256", {.burst = BurstKind::Calls, .queues = {}});
  auto queues = connectDevice(service->socket(), "avocet-e256", {.burst = BurstKind::Queues, .queues = {}});
  ASSERT_TRUE(device.isOk() && queues.isOk());
  const RunnerResult result =
      run(sampledCases(), *device, [&](const Model &model, const std::shared_ptr<IPreparedModel> &) {
        auto prepared = (*queues)->prepareModel(model, {});
        return prepared ? (*prepared)->configureBurst() : hal::Result<std::shared_ptr<IBurst>>(prepared.error());
      });
  expectEachKindPassed(result);
  EXPECT_EQ(service->death(), std::nullopt);
}

} // namespace
} // namespace avocet::hal::conformance
