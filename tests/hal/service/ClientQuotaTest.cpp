//===- ClientQuotaTest.cpp - Quotas of one client of a device ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/eventfd.h>
#include <sys/wait.h>

namespace avocet::hal {
namespace {

using namespace testing;

constexpr auto kTransient = ErrorStatus::ResourceExhaustedTransient;
constexpr auto kPersistent = ErrorStatus::ResourceExhaustedPersistent;

/// The service applies every quota of a driver to each client separately. A released object gives its part of the quota
/// back, and so does the end of a client for all its objects.
class ClientQuotaTest : public ServiceFixture {
protected:
  void TearDown() override {
    EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
    EXPECT_TRUE(eventually([&] { return isEmpty(); })) << "the driver keeps something";
    ServiceFixture::TearDown();
  }
  bool isEmpty() const {
    const ServiceCounters now = service_->counters();
    const DriverCounters &drivers = now.drivers;
    return now.objectsNow == 0 && now.buffersNow == 0 && now.burstsNow == 0 && now.descriptorsNow == 0 &&
           drivers.clients == 0 && drivers.preparedModels == 0 && drivers.buffers == 0 && drivers.executions == 0 &&
           drivers.memoryBytes == 0;
  }

  void startWith(const ClientQuotas &client) {
    Quotas quotas;
    quotas.client = client;
    start(quotas);
  }
  static std::shared_ptr<IPreparedModel> prepareOn(IDevice &device, const Model &model = addModel({4})) {
    auto prepared = device.prepareModel(model, {});
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }
  static void expectRuns(IPreparedModel &prepared) {
    Sum sum;
    ExecutionOutcome outcome = prepared.execute(sum.request, {});
    EXPECT_TRUE(outcome.isOk()) << outcome.message;
    sum.expectResult();
  }

  /// `mine` creates objects of one client until its quota is used up, at least two; `theirs` one of another client.
  template <typename Mine, typename Theirs> void exhaust(Mine mine, Theirs theirs) {
    constexpr size_t kMany = 100;
    std::vector<decltype(mine())> held;
    while (held.size() < kMany && (held.empty() || held.back().isOk()))
      held.push_back(mine());
    ASSERT_FALSE(held.back().isOk()) << "there is no limit";
    EXPECT_EQ(held.back().code(), kTransient) << held.back().error().message;
    EXPECT_GE(held.size(), 3u) << held.back().error().message;
    auto other = theirs();
    EXPECT_TRUE(other.isOk()) << other.error().message;
    EXPECT_EQ(mine().code(), kTransient);
    held.resize(held.size() - 2, generalFailure("")); // the refusal, and one object that was granted
    EXPECT_TRUE(eventually([&] { return mine().isOk(); })) << "what it let go of is not free";
  }

  SyncFence never() {
    event_ = std::make_shared<const FileDescriptor>(FileDescriptor(::eventfd(0, EFD_CLOEXEC)));
    return *SyncFence::adopt(event_);
  }
  void signalNever() {
    const uint64_t one = 1;
    ASSERT_EQ(::write(event_->get(), &one, sizeof(one)), ssize_t(sizeof(one)));
  }

  SharedHandle event_;
};

TEST_F(ClientQuotaTest, RejectsModelsAboveLimit) {
  startWith({.preparedModels = 3});
  auto device = connect(), other = connect();
  exhaust([&] { return device->prepareModel(addModel({4}), {}); },
          [&] { return other->prepareModel(addModel({4}), {}); });
}

TEST_F(ClientQuotaTest, RejectsBuffersAboveLimit) {
  startWith({.buffers = 2});
  auto device = connect(), other = connect();
  auto mine = prepareOn(*device), theirs = prepareOn(*other);
  exhaust([&] { return device->allocate({}, {{mine, 0, 1}}, {}); },
          [&] { return other->allocate({}, {{theirs, 0, 1}}, {}); });
  expectRuns(*mine);
}

TEST_F(ClientQuotaTest, RejectsConstantsAboveMemoryLimit) {
  startWith({.memoryBytes = 1 << 20});
  auto device = connect(), other = connect();
  const Model model = addConstantModel(std::vector<float>(50'000));
  exhaust([&] { return device->prepareModel(model, {}); }, [&] { return other->prepareModel(model, {}); });
  EXPECT_EQ(device->prepareModel(addConstantModel(std::vector<float>(300'000)), {}).code(), kPersistent);
  EXPECT_EQ(device->status(), DeviceStatus::Available);
}

/// A model that waits for its shapes keeps its constants for the later compilation.
TEST_F(ClientQuotaTest, CountsConstantsOfModelsThatWaitForShapes) {
  startWith({.memoryBytes = 1 << 20});
  Model model = addConstantModel(std::vector<float>(50'000));
  model.main.operands[0].dimensions = {0};
  model.main.operands[model.main.outputIndexes[0]].dimensions = {0};
  auto device = connect(), other = connect();
  auto first = prepareOn(*device, model);
  EXPECT_GE(service_->counters().drivers.memoryBytes, 200'000u);
  exhaust([&] { return device->prepareModel(model, {}); }, [&] { return other->prepareModel(model, {}); });
}

TEST_F(ClientQuotaTest, RejectsBuffersAboveMemoryLimit) {
  startWith({.memoryBytes = 1 << 20});
  auto device = connect(), other = connect();
  const Model model = addModel({1 << 16}); // 256 KiB for each operand
  auto mine = prepareOn(*device, model), theirs = prepareOn(*other, model);
  exhaust([&] { return device->allocate({}, {{mine, 0, 1}}, {}); },
          [&] { return other->allocate({}, {{theirs, 0, 1}}, {}); });
}

TEST_F(ClientQuotaTest, RejectsPoolsAboveMemoryLimit) {
  startWith({.memoryBytes = 1 << 20});
  auto mine = prepare(), theirs = prepare();
  TestPool large((1 << 20) + 1), outputs(16);
  const Request request = requestOf({16, 16}, {16}, large, outputs);
  EXPECT_EQ(mine->execute(request, {}).status, kPersistent);
  auto burst = mine->configureBurst();
  ASSERT_TRUE(burst.isOk());
  EXPECT_EQ((*burst)->execute(request, {1, 2}, {}).status, ErrorStatus::GeneralFailure) << "as HAL 1.2 has no other";
  *burst = nullptr;
  ConnectOptions calls;
  calls.burst = BurstKind::Calls;
  burst = prepare("npu", calls)->configureBurst();
  ASSERT_TRUE(burst.isOk());
  EXPECT_EQ((*burst)->execute(request, {1, 2}, {}).status, kPersistent);
  *burst = nullptr;
  auto launch = mine->executeFenced(request, {}, {});
  EXPECT_TRUE(!launch ? launch.code() == kPersistent
                      : launch->fence.wait(std::nullopt) == FenceState::Error &&
                            launch->info->executionInfo().code() == kPersistent);
  expectRuns(*mine);
  expectRuns(*theirs);
}

TEST_F(ClientQuotaTest, RejectsExecutionsAboveLimit) {
  startWith({.queuedExecutions = 2});
  auto mine = prepare(), theirs = prepare();
  SyncFence fence = never();
  Sum sum;
  std::vector<FencedLaunch> launched;
  for (int i = 0; i < 2; ++i) {
    auto launch = mine->executeFenced(sum.request, {fence}, {});
    ASSERT_TRUE(launch.isOk()) << launch.error().message;
    launched.push_back(*launch);
  }
  EXPECT_EQ(service_->counters().drivers.executions, 2u);
  EXPECT_EQ(mine->executeFenced(sum.request, {fence}, {}).code(), kTransient);
  EXPECT_EQ(mine->execute(sum.request, {}).status, kTransient);
  std::promise<ErrorStatus> called;
  auto answer = called.get_future();
  (void)mine->executeAsynchronously(sum.request, {},
                                    [&](const ExecutionOutcome &outcome) { called.set_value(outcome.status); });
  EXPECT_EQ(answer.get(), kTransient);
  expectRuns(*theirs);
  signalNever();
  for (FencedLaunch &launch : launched)
    EXPECT_EQ(launch.fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_TRUE(eventually([&] { return mine->execute(sum.request, {}).isOk(); }));
}

TEST_F(ClientQuotaTest, ZeroExecutionLimitRejectsPersistently) {
  startWith({.queuedExecutions = 0});
  EXPECT_EQ(prepare()->execute(Sum().request, {}).status, kPersistent);
}

TEST_F(ClientQuotaTest, RejectsAwaitedFencesAboveLimit) {
  startWith({.awaitedFences = 2});
  auto mine = prepare(), theirs = prepare();
  SyncFence fence = never();
  Sum sum;
  EXPECT_EQ(mine->executeFenced(sum.request, {fence, fence, fence}, {}).code(), kPersistent);
  auto first = mine->executeFenced(sum.request, {fence, fence}, {});
  ASSERT_TRUE(first.isOk()) << first.error().message;
  EXPECT_EQ(mine->executeFenced(sum.request, {fence}, {}).code(), kTransient);
  auto other = theirs->executeFenced(sum.request, {fence}, {});
  EXPECT_TRUE(other.isOk());
  signalNever();
  EXPECT_EQ(first->fence.wait(std::nullopt), FenceState::Signaled);
  EXPECT_EQ(other->fence.wait(std::nullopt), FenceState::Signaled);
  SyncFence another = never();
  EXPECT_TRUE(eventually([&] { return mine->executeFenced(sum.request, {another}, {}).isOk(); }));
  signalNever();
}

/// A clock that blocks the n-th caller until `isFree` is set.
struct HeldClock {
  std::atomic<int> asked{0}; ///< n, counted down
  std::atomic<bool> isHeld{false}, isFree{false};

  DriverOptions options() {
    DriverOptions options;
    options.clock = [this] {
      if (asked > 0 && --asked == 0) {
        isHeld = true;
        isFree.wait(false);
      }
      return BootClock::now();
    };
    return options;
  }
};

/// Compilations above the quota wait for a running one of their client; other clients do not wait with them.
TEST_F(ClientQuotaTest, CompilationsAboveLimitWait) {
  HeldClock clock;
  Quotas quotas;
  quotas.client.compilations = 1;
  start(quotas, clock.options());
  auto device = connect(), other = connect();
  auto prepareFor = [](const std::shared_ptr<IDevice> &device, OptionalTimePoint deadline) {
    PrepareOptions options;
    options.deadline = deadline;
    return device->prepareModel(addModel({4}), options).code();
  };
  clock.asked = 4; // once before the compilation, then by the compiler
  auto first = std::async(std::launch::async, prepareFor, device, BootClock::now() + std::chrono::hours(1));
  ASSERT_TRUE(eventually([&] { return clock.isHeld.load(); }));
  auto second = std::async(std::launch::async, prepareFor, device, std::nullopt);
  EXPECT_EQ(prepareFor(other, std::nullopt), ErrorStatus::None);
  EXPECT_EQ(prepareFor(device, BootClock::now() + std::chrono::milliseconds(20)), ErrorStatus::MissedDeadlineTransient);
  EXPECT_EQ(device->status(), DeviceStatus::Available);
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout) << "it did not wait in turn";
  clock.isFree = true;
  clock.isFree.notify_all();
  EXPECT_EQ(first.get(), ErrorStatus::None);
  EXPECT_EQ(second.get(), ErrorStatus::None);
  device.reset();
  other.reset();
  service_.reset(); // the clock ends with this test
  start({});
}

/// Cache files above the quota are not written; the preparation succeeds.
TEST_F(ClientQuotaTest, CacheFilesAboveLimitAreNotWritten) {
  const std::string folder = path_ + ".cache";
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all); // others must not write to the cache folder
  auto open = [&](const std::string &name) {
    return std::make_shared<const FileDescriptor>(
        ::open((folder + "/" + name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  };
  PrepareOptions options;
  options.cache = {{open("model")}, {open("data")}, {}};
  DriverOptions driver;
  driver.cacheDirectory = folder + "/driver";
  for (bool isEnough : {false, true}) {
    Quotas quotas;
    quotas.client.cacheBytes = isEnough ? 1 << 20 : 16;
    start(quotas, driver);
    auto device = connect();
    auto prepared = device->prepareModel(addModel({4}), options);
    ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
    expectRuns(**prepared);
    EXPECT_EQ(device->prepareModelFromCache({}, options.cache).code(),
              isEnough ? ErrorStatus::None : ErrorStatus::GeneralFailure);
  }
  start({});
  std::filesystem::remove_all(folder);
}

/// The memories of a burst travel outside the connection, but count towards the client's descriptors.
TEST_F(ClientQuotaTest, RejectsBurstMemoriesAboveDescriptorLimit) {
  Quotas quotas;
  quotas.descriptors = 12;
  start(quotas);
  auto mine = prepare(), theirs = prepare();
  auto burst = mine->configureBurst();
  ASSERT_TRUE(burst.isOk()) << burst.error().message;
  std::vector<std::unique_ptr<Sum>> sums;
  ErrorStatus status = ErrorStatus::None;
  while (status == ErrorStatus::None && sums.size() < 20) {
    sums.push_back(std::make_unique<Sum>());
    const auto identifier = static_cast<int64_t>(2 * sums.size());
    status = (*burst)->execute(sums.back()->request, {identifier, identifier + 1}, {}).status;
  }
  EXPECT_EQ(status, ErrorStatus::GeneralFailure) << "as HAL 1.2 has no other";
  EXPECT_LE(service_->counters().descriptorsNow, 12u);
  auto other = theirs->configureBurst();
  ASSERT_TRUE(other.isOk());
  EXPECT_TRUE((*other)->execute(sums[0]->request, {1, 2}, {}).isOk());
  for (int64_t identifier : {2, 3})
    EXPECT_TRUE((*burst)->releaseMemoryResource(identifier).isOk());
  sums.erase(sums.begin());
  EXPECT_TRUE(eventually([&] { return (*burst)->execute(sums.back()->request, {1000, 1001}, {}).isOk(); }));
}

/// A client killed with SIGKILL leaves no object in the service or the driver.
TEST_F(ClientQuotaTest, KilledClientReleasesAllQuotas) {
  Quotas quotas;
  quotas.client = {
      .memoryBytes = 1 << 20, .buffers = 1, .preparedModels = 1, .queuedExecutions = 1, .awaitedFences = 1};
  start(quotas);
  auto takeAll = [&](auto whileHeld) {
    auto device = connect();
    auto prepared = device->prepareModel(addConstantModel(std::vector<float>(50'000)), {});
    ASSERT_TRUE(prepared.isOk()) << prepared.error().message;
    auto buffer = device->allocate({}, {{*prepared, 0, 1}}, {});
    auto burst = (*prepared)->configureBurst();
    TestPool input(200'000), output(200'000);
    auto launch = (*prepared)->executeFenced(requestOf({200'000}, {200'000}, input, output), {never()}, {});
    EXPECT_TRUE(buffer.isOk() && burst.isOk() && launch.isOk());
    whileHeld();
  };
  for (int round = 0; round < 3; ++round) {
    pid_t child = ::fork();
    if (child == 0) {
      takeAll([] { ::pause(); });
      ::_exit(1);
    }
    EXPECT_TRUE(eventually([&] { return service_->counters().objectsNow == 4; }));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return isEmpty(); }));
  }
  takeAll([&] { signalNever(); });
}

} // namespace
} // namespace avocet::hal
