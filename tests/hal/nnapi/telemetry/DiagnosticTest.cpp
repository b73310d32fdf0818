//===- DiagnosticTest.cpp -------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "avocet/NeuralNetworksDiagnostic.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <thread>

namespace avocet::nnapi::test {
namespace {

/// What the getters said during a callback.
struct Report {
  int32_t session = 0;
  int64_t version = 0;
  std::array<uint8_t, 32> hash{};
  std::string devices;
  int32_t code = -1;
  ANeuralNetworksDiagnosticDataClass inputs{}, outputs{};
  bool isCached = false, hasControlFlow = false, isDynamic = false;
  ANeuralNetworksDiagnosticExecutionMode mode{};
  uint64_t nanoseconds = 0, inDriver = 0, onDevice = 0;
  std::thread::id thread = std::this_thread::get_id();
};

struct Log {
  std::mutex mutex;
  std::vector<Report> compilations, executions;
};

#define AVOCET_READ(KIND, REPORT, INFO)                                                                                \
  (REPORT).session = SL_ANeuralNetworksDiagnostic##KIND##Info_getSessionId(INFO);                                      \
  (REPORT).version = SL_ANeuralNetworksDiagnostic##KIND##Info_getNnApiVersion(INFO);                                   \
  std::copy_n(SL_ANeuralNetworksDiagnostic##KIND##Info_getModelArchHash(INFO), 32, (REPORT).hash.begin());             \
  (REPORT).devices = SL_ANeuralNetworksDiagnostic##KIND##Info_getDeviceIds(INFO);                                      \
  (REPORT).code = static_cast<int32_t>(SL_ANeuralNetworksDiagnostic##KIND##Info_getErrorCode(INFO));                   \
  (REPORT).inputs = SL_ANeuralNetworksDiagnostic##KIND##Info_getInputDataClass(INFO);                                  \
  (REPORT).outputs = SL_ANeuralNetworksDiagnostic##KIND##Info_getOutputDataClass(INFO);                                \
  (REPORT).isCached = SL_ANeuralNetworksDiagnostic##KIND##Info_isCachingEnabled(INFO);                                 \
  (REPORT).hasControlFlow = SL_ANeuralNetworksDiagnostic##KIND##Info_isControlFlowUsed(INFO);                          \
  (REPORT).isDynamic = SL_ANeuralNetworksDiagnostic##KIND##Info_areDynamicTensorsUsed(INFO)

Log &logOf(const void *context) { return *static_cast<Log *>(const_cast<void *>(context)); }

void noteCompilation(const void *context, const ANeuralNetworksDiagnosticCompilationInfo *info) {
  Report report;
  AVOCET_READ(Compilation, report, info);
  report.nanoseconds = SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos(info);
  std::lock_guard lock(logOf(context).mutex);
  logOf(context).compilations.push_back(report);
}

void noteExecution(const void *context, const ANeuralNetworksDiagnosticExecutionInfo *info) {
  Report report;
  AVOCET_READ(Execution, report, info);
  report.mode = SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode(info);
  report.nanoseconds = SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(info);
  report.inDriver = SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos(info);
  report.onDevice = SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos(info);
  std::lock_guard lock(logOf(context).mutex);
  logOf(context).executions.push_back(report);
}

class DiagnosticTest : public ::testing::Test {
protected:
  void SetUp() override {
    useEmbeddedDevice();
    SL_ANeuralNetworksDiagnostic_registerCallbacks(noteCompilation, noteExecution, &log_);
  }
  void TearDown() override { SL_ANeuralNetworksDiagnostic_registerCallbacks(nullptr, nullptr, nullptr); }

  Report compile(const Owned<ANeuralNetworksModel> &model) {
    (void)compiled(model, deviceAt(0));
    return log_.compilations.empty() ? Report() : log_.compilations.back();
  }

  Log log_;
};

TEST_F(DiagnosticTest, CompilationReportsModelAndDevice) {
  const Report report = compile(multiplication({4}, 2));
  ASSERT_EQ(log_.compilations.size(), 1u);
  const char *name = nullptr, *version = nullptr;
  ANeuralNetworksDevice_getName(deviceAt(0), &name);
  ANeuralNetworksDevice_getVersion(deviceAt(0), &version);
  EXPECT_EQ(report.devices, std::string(name) + "=" + version);
  EXPECT_GT(report.session, 0);
  EXPECT_EQ(report.version, ANeuralNetworks_getRuntimeFeatureLevel());
  EXPECT_EQ(report.code, ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(report.inputs, ANNDIAG_DATA_CLASS_FLOAT32);
  EXPECT_EQ(report.outputs, ANNDIAG_DATA_CLASS_FLOAT32);
  EXPECT_FALSE(report.isCached || report.hasControlFlow || report.isDynamic);
  EXPECT_GT(report.nanoseconds, 0u);
  EXPECT_LT(report.nanoseconds, UINT64_MAX);
  EXPECT_EQ(report.thread, std::this_thread::get_id());
}

TEST_F(DiagnosticTest, HashIsOfArchitectureWithoutConstants) {
  const Report first = compile(multiplication({4}, 2));
  EXPECT_EQ(compile(multiplication({4}, 3)).hash, first.hash);
  EXPECT_NE(compile(multiplication({5}, 2)).hash, first.hash);
  EXPECT_NE(compile(multiplication({4}, 2, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM)).hash, first.hash);
  EXPECT_EQ(log_.compilations.back().session, first.session);
}

TEST_F(DiagnosticTest, PropertiesOfModelsAreReported) {
  EXPECT_EQ(compile(multiplication({4}, 2, ANEURALNETWORKS_TENSOR_QUANT8_ASYMM)).inputs, ANNDIAG_DATA_CLASS_QUANT);
  EXPECT_TRUE(compile(multiplication({0}, 2)).isDynamic);
  const Report branches = compile(branching());
  EXPECT_TRUE(branches.hasControlFlow);
  EXPECT_FALSE(branches.isDynamic);
  EXPECT_EQ(branches.inputs, ANNDIAG_DATA_CLASS_FLOAT32); // the condition does not count
}

TEST_F(DiagnosticTest, CachingIsReported) {
  const auto model = multiplication({4}, 2);
  const auto compilation = compilationFor(model, deviceAt(0));
  const std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token{};
  ANeuralNetworksCompilation_setCaching(compilation.get(), useEmbeddedDevice().c_str(), token.data());
  ANeuralNetworksCompilation_finish(compilation.get());
  ASSERT_EQ(log_.compilations.size(), 1u);
  EXPECT_TRUE(log_.compilations[0].isCached);
}

TEST_F(DiagnosticTest, EachKindOfExecutionIsReported) {
  const auto model = multiplication({4}, 2);
  const auto compilation = compiled(model, deviceAt(0));
  Numbers numbers;
  auto next = [&] { return executionOf(compilation, numbers); };
  auto execution = next();
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), ANEURALNETWORKS_NO_ERROR);
  execution = next();
  ANeuralNetworksEvent *event = nullptr;
  EXPECT_EQ(ANeuralNetworksExecution_startCompute(execution.get(), &event), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksEvent_free(event);
  execution = next();
  ANeuralNetworksBurst *burst = nullptr;
  EXPECT_EQ(ANeuralNetworksBurst_create(compilation.get(), &burst), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksExecution_burstCompute(execution.get(), burst), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksBurst_free(burst);
  execution = next();
  EXPECT_EQ(ANeuralNetworksExecution_startComputeWithDependencies(execution.get(), nullptr, 0, 0, &event),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(ANeuralNetworksEvent_wait(event), ANEURALNETWORKS_NO_ERROR);
  ANeuralNetworksEvent_free(event);
  std::vector<ANeuralNetworksDiagnosticExecutionMode> modes;
  for (const Report &report : log_.executions) {
    modes.push_back(report.mode);
    EXPECT_EQ(report.code, ANEURALNETWORKS_NO_ERROR);
    EXPECT_EQ(report.hash, log_.compilations[0].hash);
    EXPECT_EQ(report.devices, log_.compilations[0].devices);
    EXPECT_GT(report.nanoseconds, 0u);
    EXPECT_LT(report.nanoseconds, UINT64_MAX);
    EXPECT_EQ(report.inDriver, UINT64_MAX);
    EXPECT_EQ(report.onDevice, UINT64_MAX);
  }
  EXPECT_THAT(modes, ::testing::ElementsAre(ANNDIAG_EXECUTION_MODE_SYNC, ANNDIAG_EXECUTION_MODE_ASYNC,
                                            ANNDIAG_EXECUTION_MODE_BURST, ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS));
}

TEST_F(DiagnosticTest, MeasuredExecutionReportsTimesInOrder) {
  const auto model = multiplication({4}, 2);
  const auto compilation = compiled(model, deviceAt(0));
  Numbers numbers;
  const auto execution = executionOf(compilation, numbers);
  ANeuralNetworksExecution_setMeasureTiming(execution.get(), true);
  ASSERT_EQ(ANeuralNetworksExecution_compute(execution.get()), ANEURALNETWORKS_NO_ERROR);
  const Report &report = log_.executions.at(0);
  EXPECT_LT(report.onDevice, UINT64_MAX);
  EXPECT_LE(report.inDriver, report.nanoseconds);
  EXPECT_EQ(report.thread, std::this_thread::get_id());
}

TEST_F(DiagnosticTest, FailedExecutionReportsItsCode) {
  const auto model = multiplication({4}, 2);
  const auto compilation = compiled(model, deviceAt(0));
  Numbers numbers;
  const auto execution = executionOf(compilation, numbers);
  ANeuralNetworksExecution_setTimeout(execution.get(), 1);
  const int code = ANeuralNetworksExecution_compute(execution.get());
  EXPECT_NE(code, ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(log_.executions.at(0).code, code);
  EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), ANEURALNETWORKS_BAD_STATE);
  EXPECT_EQ(log_.executions.size(), 1u); // what was not started is no execution
}

TEST_F(DiagnosticTest, RemovedCallbacksAreNotCalled) {
  const auto model = multiplication({4}, 2);
  SL_ANeuralNetworksDiagnostic_registerCallbacks(nullptr, noteExecution, &log_);
  const auto compilation = compiled(model, deviceAt(0));
  EXPECT_TRUE(log_.compilations.empty());
  SL_ANeuralNetworksDiagnostic_registerCallbacks(nullptr, nullptr, &log_);
  Numbers numbers;
  const auto execution = executionOf(compilation, numbers);
  ANeuralNetworksExecution_compute(execution.get());
  EXPECT_TRUE(log_.executions.empty());
}

TEST_F(DiagnosticTest, GettersAcceptNull) {
  EXPECT_EQ(SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds(nullptr), nullptr);
  EXPECT_EQ(SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash(nullptr), nullptr);
  EXPECT_EQ(SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos(nullptr), 0u);
}

} // namespace
} // namespace avocet::nnapi::test
