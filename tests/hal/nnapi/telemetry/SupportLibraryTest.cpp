//===- SupportLibraryTest.cpp ---------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "avocet/NeuralNetworksSupportLibrary.h"

#include <gmock/gmock.h>

#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace avocet::nnapi::test {
namespace {

/// The order in which Android documents the table.
constexpr std::array<const char *, 104> kSlots = {
    "ANeuralNetworksBurst_create",
    "ANeuralNetworksBurst_free",
    "ANeuralNetworksCompilation_createForDevices",
    "ANeuralNetworksCompilation_finish",
    "ANeuralNetworksCompilation_free",
    "ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput",
    "ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput",
    "ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput",
    "ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput",
    "ANeuralNetworksCompilation_setCaching",
    "ANeuralNetworksCompilation_setPreference",
    "ANeuralNetworksCompilation_setPriority",
    "ANeuralNetworksCompilation_setTimeout",
    "ANeuralNetworksDevice_getExtensionSupport",
    "ANeuralNetworksDevice_getFeatureLevel",
    "ANeuralNetworksDevice_getName",
    "ANeuralNetworksDevice_getType",
    "ANeuralNetworksDevice_getVersion",
    "ANeuralNetworksDevice_wait",
    "ANeuralNetworksEvent_createFromSyncFenceFd",
    "ANeuralNetworksEvent_free",
    "ANeuralNetworksEvent_getSyncFenceFd",
    "ANeuralNetworksEvent_wait",
    "ANeuralNetworksExecution_burstCompute",
    "ANeuralNetworksExecution_compute",
    "ANeuralNetworksExecution_create",
    "ANeuralNetworksExecution_enableInputAndOutputPadding",
    "ANeuralNetworksExecution_free",
    "ANeuralNetworksExecution_getDuration",
    "ANeuralNetworksExecution_getOutputOperandDimensions",
    "ANeuralNetworksExecution_getOutputOperandRank",
    "ANeuralNetworksExecution_setInput",
    "ANeuralNetworksExecution_setInputFromMemory",
    "ANeuralNetworksExecution_setLoopTimeout",
    "ANeuralNetworksExecution_setMeasureTiming",
    "ANeuralNetworksExecution_setOutput",
    "ANeuralNetworksExecution_setOutputFromMemory",
    "ANeuralNetworksExecution_setReusable",
    "ANeuralNetworksExecution_setTimeout",
    "ANeuralNetworksExecution_startComputeWithDependencies",
    "ANeuralNetworksMemoryDesc_addInputRole",
    "ANeuralNetworksMemoryDesc_addOutputRole",
    "ANeuralNetworksMemoryDesc_create",
    "ANeuralNetworksMemoryDesc_finish",
    "ANeuralNetworksMemoryDesc_free",
    "ANeuralNetworksMemoryDesc_setDimensions",
    "ANeuralNetworksMemory_copy",
    "ANeuralNetworksMemory_createFromAHardwareBuffer",
    "ANeuralNetworksMemory_createFromDesc",
    "ANeuralNetworksMemory_createFromFd",
    "ANeuralNetworksMemory_free",
    "ANeuralNetworksModel_addOperand",
    "ANeuralNetworksModel_addOperation",
    "ANeuralNetworksModel_create",
    "ANeuralNetworksModel_finish",
    "ANeuralNetworksModel_free",
    "ANeuralNetworksModel_getExtensionOperandType",
    "ANeuralNetworksModel_getExtensionOperationType",
    "ANeuralNetworksModel_getSupportedOperationsForDevices",
    "ANeuralNetworksModel_identifyInputsAndOutputs",
    "ANeuralNetworksModel_relaxComputationFloat32toFloat16",
    "ANeuralNetworksModel_setOperandExtensionData",
    "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams",
    "ANeuralNetworksModel_setOperandValue",
    "ANeuralNetworksModel_setOperandValueFromMemory",
    "ANeuralNetworksModel_setOperandValueFromModel",
    "ANeuralNetworks_getDefaultLoopTimeout",
    "ANeuralNetworks_getDevice",
    "ANeuralNetworks_getDeviceCount",
    "ANeuralNetworks_getMaximumLoopTimeout",
    "ANeuralNetworks_getRuntimeFeatureLevel",
    "SL_ANeuralNetworksCompilation_setCachingFromFds",
    "SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded",
    "SL_ANeuralNetworksDevice_getPerformanceInfo",
    "SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo",
    "SL_ANeuralNetworksDevice_getVendorExtensionCount",
    "SL_ANeuralNetworksDevice_getVendorExtensionName",
    "SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getSessionId",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getNnApiVersion",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getModelArchHash",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getDeviceIds",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getErrorCode",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getInputDataClass",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getOutputDataClass",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_getCompilationTimeNanos",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_isCachingEnabled",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_isControlFlowUsed",
    "SL_ANeuralNetworksDiagnosticCompilationInfo_areDynamicTensorsUsed",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getSessionId",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getNnApiVersion",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getModelArchHash",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getDeviceIds",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getExecutionMode",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getInputDataClass",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getOutputDataClass",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getErrorCode",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getRuntimeExecutionTimeNanos",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getDriverExecutionTimeNanos",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_getHardwareExecutionTimeNanos",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_isCachingEnabled",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_isControlFlowUsed",
    "SL_ANeuralNetworksDiagnosticExecutionInfo_areDynamicTensorsUsed",
    "SL_ANeuralNetworksDiagnostic_registerCallbacks"};

const NnApiSLDriverImplFL7 &table() {
  return *reinterpret_cast<NnApiSLDriverImplFL7 *>(ANeuralNetworks_getSLDriverImpl());
}

class SupportLibraryTest : public ::testing::Test {
protected:
  void SetUp() override { useEmbeddedDevice(); }
};

TEST_F(SupportLibraryTest, SlotsFollowTheDocumentedOrder) {
  EXPECT_EQ(table().base.implFeatureLevel, ANEURALNETWORKS_FEATURE_LEVEL_7);
  ASSERT_EQ(sizeof(NnApiSLDriverImplFL7), 8 + 8 * kSlots.size());
  const auto *bytes = reinterpret_cast<const char *>(ANeuralNetworks_getSLDriverImpl());
  for (size_t i = 0; i < kSlots.size(); ++i) {
    void *function = nullptr;
    std::memcpy(&function, bytes + 8 + 8 * i, sizeof(function));
    EXPECT_EQ(function, dlsym(RTLD_DEFAULT, kSlots[i])) << i << " " << kSlots[i];
  }
}

TEST_F(SupportLibraryTest, TableRunsAnInference) {
  const auto model = multiplication({4}, 2);
  const ANeuralNetworksDevice *device = deviceAt(0);
  ANeuralNetworksCompilation *compilation = nullptr;
  ANeuralNetworksExecution *execution = nullptr;
  Numbers numbers;
  ASSERT_EQ(table().ANeuralNetworksCompilation_createForDevices(model.get(), &device, 1, &compilation), 0);
  EXPECT_EQ(table().ANeuralNetworksCompilation_finish(compilation), 0);
  EXPECT_EQ(table().ANeuralNetworksExecution_create(compilation, &execution), 0);
  EXPECT_EQ(table().ANeuralNetworksExecution_setInput(execution, 0, nullptr, numbers.x.data(), sizeof(numbers.x)), 0);
  EXPECT_EQ(table().ANeuralNetworksExecution_setOutput(execution, 0, nullptr, numbers.y.data(), sizeof(numbers.y)), 0);
  EXPECT_EQ(table().ANeuralNetworksExecution_compute(execution), 0);
  EXPECT_THAT(numbers.y, ::testing::ElementsAre(2, 4, 6, 8));
  table().ANeuralNetworksExecution_free(execution);
  table().ANeuralNetworksCompilation_free(compilation);
}

TEST_F(SupportLibraryTest, CpuIsTheReferenceOfPerformance) {
  SL_ANeuralNetworksPerformanceInfo npu{}, cpu{};
  for (int32_t kind = 0; kind <= SL_ANEURALNETWORKS_CAPABILITIES_PERFORMANCE_WHILE; ++kind) {
    ASSERT_EQ(SL_ANeuralNetworksDevice_getPerformanceInfo(deviceAt(0), kind, &npu), ANEURALNETWORKS_NO_ERROR);
    ASSERT_EQ(SL_ANeuralNetworksDevice_getPerformanceInfo(cpuDevice(), kind, &cpu), ANEURALNETWORKS_NO_ERROR);
    EXPECT_GT(npu.execTime, 0);
    EXPECT_GT(npu.powerUsage, 0);
    EXPECT_EQ(cpu.execTime, 1);
    EXPECT_EQ(cpu.powerUsage, 1);
  }
  EXPECT_EQ(SL_ANeuralNetworksDevice_getPerformanceInfo(cpuDevice(), 4, &cpu), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(SL_ANeuralNetworksDevice_getPerformanceInfo(cpuDevice(), -1, &cpu), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(SL_ANeuralNetworksDevice_getPerformanceInfo(cpuDevice(), 0, nullptr), ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST_F(SupportLibraryTest, FiguresOfOperandTypesAreListed) {
  std::vector<int32_t> types;
  auto note = [](SL_ANeuralNetworksOperandPerformanceInfo figure, void *context) {
    EXPECT_GT(figure.performanceInfo.execTime, 0);
    static_cast<std::vector<int32_t> *>(context)->push_back(figure.operandType);
  };
  ASSERT_EQ(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(deviceAt(0), &types, note),
            ANEURALNETWORKS_NO_ERROR);
  EXPECT_THAT(types, ::testing::Contains(ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED));
  EXPECT_THAT(types, ::testing::Not(::testing::Contains(ANEURALNETWORKS_MODEL)));
  EXPECT_TRUE(std::ranges::is_sorted(types));
  EXPECT_EQ(SL_ANeuralNetworksDevice_forEachOperandPerformanceInfo(deviceAt(0), &types, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
}

TEST_F(SupportLibraryTest, ExtensionsBeyondTheLastAreRefused) {
  uint32_t count = 0;
  ASSERT_EQ(SL_ANeuralNetworksDevice_getVendorExtensionCount(deviceAt(0), &count), ANEURALNETWORKS_NO_ERROR);
  const char *name = nullptr;
  auto ignore = [](SL_ANeuralNetworksExtensionOperandTypeInformation, void *) {};
  for (uint32_t i = 0; i < count; ++i) {
    EXPECT_EQ(SL_ANeuralNetworksDevice_getVendorExtensionName(deviceAt(0), i, &name), ANEURALNETWORKS_NO_ERROR);
    bool isSupported = false;
    EXPECT_EQ(ANeuralNetworksDevice_getExtensionSupport(deviceAt(0), name, &isSupported), ANEURALNETWORKS_NO_ERROR);
    EXPECT_TRUE(isSupported) << name;
    EXPECT_EQ(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(deviceAt(0), i, nullptr, ignore),
              ANEURALNETWORKS_NO_ERROR);
  }
  EXPECT_EQ(SL_ANeuralNetworksDevice_getVendorExtensionName(deviceAt(0), count, &name), ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(SL_ANeuralNetworksDevice_forEachVendorExtensionOperandTypeInformation(deviceAt(0), count, nullptr, ignore),
            ANEURALNETWORKS_BAD_DATA);
}

/// Cache files of an application, as many as the embedded device needs.
class CacheFilesTest : public SupportLibraryTest {
protected:
  void SetUp() override {
    SupportLibraryTest::SetUp();
    uint32_t model = 0, data = 0;
    ASSERT_EQ(SL_ANeuralNetworksDevice_getNumberOfCacheFilesNeeded(deviceAt(0), &model, &data),
              ANEURALNETWORKS_NO_ERROR);
    ASSERT_GT(model + data, 0u);
    open(model, model_);
    open(data, data_);
  }
  void TearDown() override {
    for (int file : model_)
      close(file);
    for (int file : data_)
      close(file);
  }

  int setCaching(ANeuralNetworksCompilation *compilation) {
    const std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token{};
    return SL_ANeuralNetworksCompilation_setCachingFromFds(compilation, model_.data(),
                                                           static_cast<uint32_t>(model_.size()), data_.data(),
                                                           static_cast<uint32_t>(data_.size()), token.data());
  }
  /// Compiles with the files and multiplies.
  void expectWorks() {
    const auto model = multiplication({4}, 2);
    const auto compilation = compilationFor(model, deviceAt(0));
    ASSERT_EQ(setCaching(compilation.get()), ANEURALNETWORKS_NO_ERROR);
    ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), ANEURALNETWORKS_NO_ERROR);
    Numbers numbers;
    const auto execution = executionOf(compilation, numbers);
    EXPECT_EQ(ANeuralNetworksExecution_compute(execution.get()), ANEURALNETWORKS_NO_ERROR);
    EXPECT_THAT(numbers.y, ::testing::ElementsAre(2, 4, 6, 8));
  }
  struct stat statusOf(int file) {
    struct stat status{};
    EXPECT_EQ(fstat(file, &status), 0);
    return status;
  }

  std::vector<int> model_, data_;

private:
  void open(uint32_t count, std::vector<int> &files) {
    for (uint32_t i = 0; i < count; ++i)
      files.push_back(::open(useEmbeddedDevice().c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, S_IRUSR | S_IWUSR));
  }
};

TEST_F(CacheFilesTest, SecondCompilationReadsThem) {
  expectWorks();
  const struct stat written = statusOf(model_.at(0));
  EXPECT_GT(written.st_size, 0);
  // A write would set the time, which may be that of the first write.
  const std::array<timespec, 2> longAgo = {timespec{1000, 0}, timespec{1000, 0}};
  ASSERT_EQ(futimens(model_.at(0), longAgo.data()), 0);
  expectWorks();
  EXPECT_EQ(statusOf(model_.at(0)).st_mtim.tv_sec, 1000);
  ASSERT_EQ(ftruncate(model_.at(0), written.st_size / 2), 0);
  expectWorks();
  EXPECT_EQ(statusOf(model_.at(0)).st_size, written.st_size);
}

/// The library keeps duplicates until the compilation ends.
TEST_F(CacheFilesTest, DescriptorsMayBeClosedAtOnce) {
  const std::vector<int> own = model_, ownData = data_;
  auto duplicate = [](std::vector<int> &files) {
    for (int &file : files)
      file = dup(file);
  };
  duplicate(model_);
  duplicate(data_);
  const auto model = multiplication({4}, 2);
  const auto compilation = compilationFor(model, deviceAt(0));
  EXPECT_EQ(setCaching(compilation.get()), ANEURALNETWORKS_NO_ERROR);
  TearDown(); // closes what the call was given
  model_ = own;
  data_ = ownData;
  ASSERT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), ANEURALNETWORKS_NO_ERROR);
  EXPECT_GT(statusOf(model_.at(0)).st_size, 0) << "the model was saved";
}

TEST_F(CacheFilesTest, UnusableArgumentsAreRefused) {
  const auto model = multiplication({4}, 2);
  auto compilation = compilationFor(model, deviceAt(0));
  const std::array<uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> token{};
  EXPECT_EQ(SL_ANeuralNetworksCompilation_setCachingFromFds(compilation.get(), nullptr, 1, nullptr, 0, token.data()),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  EXPECT_EQ(SL_ANeuralNetworksCompilation_setCachingFromFds(compilation.get(), nullptr, 0, nullptr, 0, token.data()),
            ANEURALNETWORKS_BAD_DATA);
  EXPECT_EQ(SL_ANeuralNetworksCompilation_setCachingFromFds(compilation.get(), nullptr, 0, nullptr, 0, nullptr),
            ANEURALNETWORKS_UNEXPECTED_NULL);
  close(model_.at(0));
  EXPECT_EQ(setCaching(compilation.get()), ANEURALNETWORKS_BAD_DATA);
  model_.at(0) = -1;
  EXPECT_EQ(setCaching(compilation.get()), ANEURALNETWORKS_BAD_DATA);
  ANeuralNetworksCompilation *automatic = nullptr;
  ASSERT_EQ(ANeuralNetworksCompilation_create(model.get(), &automatic), ANEURALNETWORKS_NO_ERROR);
  EXPECT_EQ(setCaching(automatic), ANEURALNETWORKS_BAD_DATA);
  ANeuralNetworksCompilation_free(automatic);
  EXPECT_EQ(ANeuralNetworksCompilation_finish(compilation.get()), ANEURALNETWORKS_NO_ERROR);
}

} // namespace
} // namespace avocet::nnapi::test
