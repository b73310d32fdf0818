//===- FallbackTest.cpp - Failing devices, caches -------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDevice.h"
#include "TestModels.h"
#include "avocet/hal/partition/Partition.h"
#include "avocet/hal/types/Utils.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace avocet::hal::test {
namespace {

using enum OperationType;

const std::vector<float> kInput = {-1, 2, -3, 4};
const std::vector<float> kResult = {0, 8, 0, 32};
constexpr uint64_t kBytes = kLength * sizeof(float);
const std::set<OperationType> kAll = {Add, Mul, Relu};

struct Devices {
  std::shared_ptr<FakeDevice> first = std::make_shared<FakeDevice>("first", std::set{Add, Mul});
  std::shared_ptr<FakeDevice> second = std::make_shared<FakeDevice>("second", std::set{Relu});
  std::shared_ptr<FakeDevice> cpu = std::make_shared<FakeDevice>("cpu", kAll, 1.0F);

  Result<PartitionedModel> prepare(const PartitionOptions &options = {}) const {
    const std::vector<std::shared_ptr<IDevice>> devices = {first, second};
    return preparePartitioned(chain(), devices, cpu, options);
  }
};

PartitionOptions forbidden() {
  PartitionOptions options;
  options.fallback = CpuFallback::Forbidden;
  return options;
}

TEST(FallbackTest, FailedCompilationMovesStepToCpu) {
  const Devices devices;
  devices.second->prepareError = ErrorStatus::GeneralFailure;
  auto result = devices.prepare();
  ASSERT_TRUE(result.isOk()) << result.error().message;
  ASSERT_EQ(result->plan.steps.size(), 3U);
  EXPECT_EQ(result->plan.steps[1].device, "cpu");
  const Buffers buffers({kInput}, {kBytes});
  EXPECT_TRUE(result->model->execute(buffers.request(), {}).isOk());
  EXPECT_EQ(buffers.output(), kResult);
}

TEST(FallbackTest, FailedCompilationIsReportedIfForbidden) {
  const Devices devices;
  devices.second->prepareError = ErrorStatus::ResourceExhaustedTransient;
  EXPECT_EQ(devices.prepare(forbidden()).code(), ErrorStatus::ResourceExhaustedTransient);
  EXPECT_EQ(devices.cpu->preparations, 0);
}

TEST(FallbackTest, InvalidArgumentsAreNotRepeated) {
  const Devices devices;
  devices.second->prepareError = ErrorStatus::InvalidArgument;
  EXPECT_EQ(devices.prepare().code(), ErrorStatus::InvalidArgument);
  EXPECT_EQ(devices.cpu->preparations, 0);
}

/// Only their vendor knows what they compute, so that the CPU's result could be another one.
TEST(FallbackTest, VendorOperationsAreNotRepeated) {
  for (OperationType vendor : {kOemOperation, extensionOperation(3, 1)}) {
    const auto device = std::make_shared<FakeDevice>("device", std::set{vendor});
    const auto cpu = std::make_shared<FakeDevice>("cpu", std::set{vendor}, 1.0F);
    const std::vector<std::shared_ptr<IDevice>> devices = {device};
    Model model;
    model.extensionNameToPrefix = {{"vendor.example", 3}};
    GraphBuilder graph(model, model.main);
    const uint32_t input = graph.input(vectorOf());
    graph.operation(vendor, {input}, {graph.output(vectorOf())});
    auto result = preparePartitioned(model, devices, cpu, {});
    ASSERT_TRUE(result.isOk()) << result.error().message;
    const int before = cpu->preparations;
    device->executeError = ErrorStatus::DeviceUnavailable;
    const Buffers buffers({kInput}, {kBytes});
    EXPECT_EQ(result->model->execute(buffers.request(), {}).status, ErrorStatus::DeviceUnavailable);
    device->prepareError = ErrorStatus::GeneralFailure;
    EXPECT_EQ(preparePartitioned(model, devices, cpu, {}).code(), ErrorStatus::GeneralFailure);
    EXPECT_EQ(cpu->preparations, before);
    EXPECT_EQ(cpu->executions, 0);
  }
}

TEST(FallbackTest, FailedStepRunsOnCpu) {
  const Devices devices;
  auto result = devices.prepare();
  ASSERT_TRUE(result.isOk());
  devices.second->executeError = ErrorStatus::DeviceUnavailable;
  for (int i = 1; i <= 2; ++i) {
    const Buffers buffers({kInput}, {kBytes});
    EXPECT_TRUE(result->model->execute(buffers.request(), {}).isOk());
    EXPECT_EQ(buffers.output(), kResult);
    EXPECT_EQ(devices.cpu->executions, i);
  }
  EXPECT_EQ(devices.cpu->preparations, 1) << "the copy on the CPU is kept";
}

TEST(FallbackTest, FailedStepIsReportedIfForbidden) {
  const Devices devices;
  auto result = devices.prepare(forbidden());
  ASSERT_TRUE(result.isOk());
  devices.second->executeError = ErrorStatus::DeviceUnavailable;
  const Buffers buffers({kInput}, {kBytes});
  const ExecutionOutcome outcome = result->model->execute(buffers.request(), {});
  EXPECT_EQ(outcome.status, ErrorStatus::DeviceUnavailable);
  EXPECT_NE(outcome.message.find("second"), std::string::npos);
}

TEST(FallbackTest, MissedDeadlinesAreNotRepeated) {
  const Devices devices;
  auto result = devices.prepare();
  ASSERT_TRUE(result.isOk());
  devices.second->executeError = ErrorStatus::MissedDeadlineTransient;
  const Buffers buffers({kInput}, {kBytes});
  EXPECT_EQ(result->model->execute(buffers.request(), {}).status, ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(devices.cpu->executions, 0);
}

/// The model of one device is wrapped; the CPU repeats each kind of execution.
TEST(FallbackTest, CpuRepeatsWholeModel) {
  auto device = std::make_shared<FakeDevice>("device", kAll);
  auto cpu = std::make_shared<FakeDevice>("cpu", kAll, 1.0F);
  const std::vector<std::shared_ptr<IDevice>> devices = {device};
  auto result = preparePartitioned(chain(), devices, cpu, {});
  ASSERT_TRUE(result.isOk());
  EXPECT_EQ(result->onlyDevice, device);
  device->executeError = ErrorStatus::GeneralFailure;
  const Buffers buffers({kInput}, {kBytes});
  EXPECT_TRUE(result->model->execute(buffers.request(), {}).isOk());
  EXPECT_EQ(buffers.output(), kResult);
  auto burst = result->model->configureBurst();
  ASSERT_TRUE(burst.isOk());
  EXPECT_TRUE((*burst)->execute(buffers.request(), {1}, {}).isOk());
  auto launch = result->model->executeFenced(buffers.request(), {}, {});
  ASSERT_TRUE(launch.isOk());
  EXPECT_EQ(launch->fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(cpu->executions, 3);
}

TEST(FallbackTest, FailedCompilationMovesWholeModelToCpu) {
  auto device = std::make_shared<FakeDevice>("device", kAll);
  auto cpu = std::make_shared<FakeDevice>("cpu", kAll, 1.0F);
  device->prepareError = ErrorStatus::GeneralFailure;
  const std::vector<std::shared_ptr<IDevice>> devices = {device};
  auto result = preparePartitioned(chain(), devices, cpu, {});
  ASSERT_TRUE(result.isOk());
  EXPECT_EQ(result->onlyDevice, cpu);
}

std::shared_ptr<IBuffer> bufferFor(const std::shared_ptr<IPreparedModel> &model, bool isInput) {
  const std::vector<BufferRole> role = {{model, 0, 1}};
  auto buffer = isInput ? allocateForRoles({}, role, {}, nullptr) : allocateForRoles({}, {}, role, nullptr);
  EXPECT_TRUE(buffer.isOk()) << buffer.error().message;
  return buffer ? *buffer : nullptr;
}

/// A request whose output, and with `input` its input too, is in a buffer.
Request withBuffers(Buffers &buffers, const std::shared_ptr<IBuffer> &input, const std::shared_ptr<IBuffer> &output) {
  Request &request = buffers.request();
  for (const auto &[buffer, argument] : {std::pair(input, &request.inputs[0]), std::pair(output, &request.outputs[0])})
    if (buffer != nullptr) {
      argument->location = {static_cast<uint32_t>(request.pools.size()), 0, 0, 0};
      request.pools.emplace_back(buffer->token());
    }
  return request;
}

SharedMemory memoryOf(const std::vector<float> &values) {
  const auto memory = ashmem(values.size() * sizeof(float));
  auto mapping = mapMemory(memory);
  std::memcpy(mapping.bytes().data(), values.data(), values.size() * sizeof(float));
  return memory;
}

std::vector<float> valuesOf(IBuffer &buffer) {
  const auto memory = ashmem(kBytes);
  EXPECT_TRUE(buffer.copyTo(memory).isOk());
  std::vector<float> values(kLength);
  auto mapping = mapMemory(memory);
  std::memcpy(values.data(), mapping.bytes().data(), kBytes);
  return values;
}

TEST(FallbackTest, CpuReadsAndWritesBuffersOfDevice) {
  auto device = std::make_shared<FakeDevice>("device", kAll);
  auto cpu = std::make_shared<FakeDevice>("cpu", kAll, 1.0F);
  device->hasMemory = true;
  const std::vector<std::shared_ptr<IDevice>> devices = {device};
  auto result = preparePartitioned(chain(), devices, cpu, {});
  ASSERT_TRUE(result.isOk()) << result.error().message;
  const auto input = bufferFor(result->model, true), output = bufferFor(result->model, false);
  ASSERT_TRUE(input != nullptr && output != nullptr);
  ASSERT_TRUE(input->copyFrom(memoryOf(kInput), {}).isOk());
  Buffers buffers({kInput}, {kBytes});
  const Request request = withBuffers(buffers, input, output);
  device->executeError = ErrorStatus::DeviceUnavailable;
  const auto clear = [&] { ASSERT_TRUE(output->copyFrom(memoryOf(std::vector<float>(kLength)), {}).isOk()); };
  EXPECT_TRUE(result->model->execute(request, {}).isOk());
  EXPECT_EQ(valuesOf(*output), kResult);
  clear();
  auto burst = result->model->configureBurst();
  ASSERT_TRUE(burst.isOk());
  EXPECT_TRUE((*burst)->execute(request, {1, 2, 3}, {}).isOk());
  EXPECT_EQ(valuesOf(*output), kResult);
  clear();
  auto launch = result->model->executeFenced(request, {}, {});
  ASSERT_TRUE(launch.isOk()) << launch.error().message;
  EXPECT_EQ(launch->fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(valuesOf(*output), kResult);
  EXPECT_EQ(cpu->executions, 3);
}

/// The first model writes what the second reads.
TEST(FallbackTest, HostKeepsResultsOfLostDevice) {
  auto device = std::make_shared<FakeDevice>("device", kAll);
  auto cpu = std::make_shared<FakeDevice>("cpu", kAll, 1.0F);
  device->hasMemory = true;
  const std::vector<std::shared_ptr<IDevice>> devices = {device};
  auto first = preparePartitioned(chain(), devices, cpu, {}), second = preparePartitioned(chain(), devices, cpu, {});
  ASSERT_TRUE(first.isOk() && second.isOk());
  auto made = allocateForRoles({}, {{second->model, 0, 1}}, {{first->model, 0, 1}}, nullptr);
  ASSERT_TRUE(made.isOk()) << made.error().message;
  Buffers writing({kInput}, {kBytes}), reading({kInput}, {kBytes});
  const Request writes = withBuffers(writing, nullptr, *made), reads = withBuffers(reading, *made, nullptr);
  device->executeError = ErrorStatus::DeadObject;
  EXPECT_EQ(second->model->execute(reads, {}).status, ErrorStatus::DeadObject) << "the value is lost";
  EXPECT_TRUE(first->model->execute(writes, {}).isOk());
  EXPECT_EQ(valuesOf(**made), kResult);
  EXPECT_TRUE(second->model->execute(reads, {}).isOk());
  EXPECT_EQ(reading.output(), (std::vector<float>{0, 128, 0, 2048}));
  EXPECT_EQ((*made)->copyTo(ashmem(8)).code(), ErrorStatus::InvalidArgument);
  // The device is back, and its value is the newer one.
  device->executeError = ErrorStatus::None;
  std::memcpy(mapMemory(std::get<SharedMemory>(writes.pools[0])).bytes().data(), kResult.data(), kBytes);
  EXPECT_TRUE(first->model->execute(writes, {}).isOk());
  EXPECT_EQ(valuesOf(**made), (std::vector<float>{0, 128, 0, 2048}));
}

TEST(FallbackTest, LostBufferReportsErrorOfDevice) {
  auto device = std::make_shared<FakeDevice>("device", kAll);
  auto cpu = std::make_shared<FakeDevice>("cpu", kAll, 1.0F);
  const std::vector<std::shared_ptr<IDevice>> devices = {device};
  auto result = preparePartitioned(chain(), devices, cpu, {});
  ASSERT_TRUE(result.isOk());
  device->executeError = ErrorStatus::DeadObject;
  Buffers buffers({kInput}, {kBytes});
  buffers.request().pools.emplace_back(BufferToken(9));
  buffers.request().outputs[0].location = {1, 0, 0, 0};
  const ExecutionOutcome outcome = result->model->execute(buffers.request(), {});
  EXPECT_EQ(outcome.status, ErrorStatus::DeadObject);
  EXPECT_NE(outcome.message.find("the buffer of output 0 is not known"), std::string::npos) << outcome.message;
  EXPECT_EQ(cpu->executions, 0);
}

TEST(FallbackTest, FailedStepWithBufferRunsOnCpu) {
  const Devices devices;
  devices.second->hasMemory = true;
  Model model;
  GraphBuilder graph(model, model.main);
  const uint32_t none = graph.scalar(0);
  const uint32_t x = graph.input(vectorOf());
  const uint32_t sum = graph.temporary(vectorOf());
  graph.operation(Add, {x, graph.constant(vectorOf()), none}, {sum});
  graph.operation(Relu, {sum}, {graph.output(vectorOf())});
  const std::vector<std::shared_ptr<IDevice>> list = {devices.first, devices.second};
  auto result = preparePartitioned(model, list, devices.cpu, {});
  ASSERT_TRUE(result.isOk()) << result.error().message;
  const auto output = bufferFor(result->model, false);
  ASSERT_NE(output, nullptr);
  Buffers buffers({kInput}, {kBytes});
  const Request request = withBuffers(buffers, nullptr, output);
  devices.second->executeError = ErrorStatus::DeviceUnavailable;
  EXPECT_TRUE(result->model->execute(request, {}).isOk());
  EXPECT_EQ(valuesOf(*output), (std::vector<float>{0, 2, 0, 4}));
  EXPECT_EQ(devices.cpu->executed, std::vector<size_t>{1}) << "the step, not the whole model";
}

/// The output of the last step, MUL on the first device, is in a buffer of that device.
TEST(FallbackTest, RepeatsStepThenWholeModelWithBuffers) {
  const Devices devices;
  devices.first->hasMemory = true;
  auto result = devices.prepare();
  ASSERT_TRUE(result.isOk());
  const auto output = bufferFor(result->model, false);
  ASSERT_NE(output, nullptr);
  Buffers buffers({kInput}, {kBytes});
  const Request request = withBuffers(buffers, nullptr, output);
  devices.first->executeError = devices.cpu->executeError = ErrorStatus::GeneralFailure;
  // ADD fails on its device only.
  devices.first->failures = 1;
  devices.cpu->failures = 0;
  EXPECT_TRUE(result->model->execute(request, {}).isOk());
  EXPECT_EQ(valuesOf(*output), kResult);
  EXPECT_EQ(devices.first->executed, (std::vector<size_t>{1, 1}));
  EXPECT_EQ(devices.second->executed, std::vector<size_t>{1});
  EXPECT_EQ(devices.cpu->executed, std::vector<size_t>{1});
  // It fails on the CPU too, which then runs all three operations.
  ASSERT_TRUE(output->copyFrom(memoryOf(std::vector<float>(kLength)), {}).isOk());
  devices.first->failures = 1;
  devices.cpu->failures = 1;
  EXPECT_TRUE(result->model->execute(request, {}).isOk());
  EXPECT_EQ(valuesOf(*output), kResult);
  EXPECT_EQ(devices.first->executed, (std::vector<size_t>{1, 1, 1}));
  EXPECT_EQ(devices.second->executed, std::vector<size_t>{1});
  EXPECT_EQ(devices.cpu->executed, (std::vector<size_t>{1, 1, 3}));
}

/// Each step has a cache entry of its own, named by its operations.
TEST(FallbackTest, StepsComeFromTheirCacheFiles) {
  const Devices devices;
  devices.first->hasCache = true;
  std::map<std::vector<SourceOperation>, int> opened;
  PartitionOptions options;
  options.cacheFiles = [&](const IDevice &, std::span<const SourceOperation> step, StepCacheAccess access) {
    CacheFiles files;
    files.modelCache = {std::make_shared<const FileDescriptor>()};
    files.token[0] = step.front().second == 0 ? 0 : 1;
    if (access == StepCacheAccess::Existing)
      ++opened[{step.begin(), step.end()}];
    return files;
  };
  ASSERT_TRUE(devices.prepare(options).isOk());
  EXPECT_EQ(devices.first->cachedPreparations, 0);
  auto result = devices.prepare(options);
  ASSERT_TRUE(result.isOk());
  EXPECT_EQ(devices.first->cachedPreparations, 2);
  EXPECT_EQ(opened, (std::map<std::vector<SourceOperation>, int>{{{{0, 0}}, 2}, {{{0, 2}}, 2}}));
  const Buffers buffers({kInput}, {kBytes});
  EXPECT_TRUE(result->model->execute(buffers.request(), {}).isOk());
  EXPECT_EQ(buffers.output(), kResult);
}

} // namespace
} // namespace avocet::hal::test
