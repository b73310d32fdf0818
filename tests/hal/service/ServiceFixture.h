//===- ServiceFixture.h - Services for tests -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_SERVICE_SERVICEFIXTURE_H
#define AVOCET_TESTS_HAL_SERVICE_SERVICEFIXTURE_H

#include "FakeClientDevice.h"
#include "SmallModels.h"

#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/service/Service.h"

#include <atomic>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal::testing {

/// Limit for events that must happen. A loaded machine needs a multiple of the usual time.
inline constexpr auto kPatience = std::chrono::seconds(20);

/// Whether the condition becomes true within kPatience.
template <typename Condition> bool eventually(Condition condition) {
  for (auto end = std::chrono::steady_clock::now() + kPatience; std::chrono::steady_clock::now() < end;) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

/// Inputs 1..8, result 6 8 10 12.
struct Sum {
  TestPool inputs{32}, outputs{16};
  Request request = requestOf({16, 16}, {16}, inputs, outputs);
  Sum() { std::iota(inputs.as<float>().begin(), inputs.as<float>().end(), 1.0f); }
  void expectResult() { EXPECT_THAT(outputs.as<float>(), ::testing::ElementsAre(6, 8, 10, 12)); }
};

/// A service in this process with the devices "npu" (the simulated one) and "fake".
class ServiceFixture : public ::testing::Test {
protected:
  void SetUp() override {
    static std::atomic<int> number{0};
    path_ = ::testing::TempDir() + "avocet-service-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
    start({});
  }
  void TearDown() override {
    service_.reset();
    fake_->inputRoles.clear();
    fake_->outputRoles.clear();
  }

  void start(const Quotas &quotas, const DriverOptions &options = {}) {
    service_.reset();
    auto driver = Driver::open(options);
    ASSERT_TRUE(driver.isOk()) << driver.error().message;
    auto npu = [driver = *driver](const ClientOptions &options) { return driver->connect(options); };
    auto counters = [driver = *driver] { return driver->counters(); };
    auto fake = [state = fake_](const ClientOptions &options) -> Result<std::shared_ptr<ClientDevice>> {
      std::lock_guard lock(state->mutex);
      state->clients.push_back(options.name);
      return makeFakeDevice(state);
    };
    auto listener = Listener::listen(path_);
    ASSERT_TRUE(listener.isOk()) << listener.error().message;
    service_ = std::make_unique<Service>(std::move(*listener),
                                         std::vector<ServedDevice>{{"npu", npu, counters}, {"fake", fake, {}}}, quotas);
  }
  std::shared_ptr<IDevice> connect(const std::string &name = "npu", const ConnectOptions &options = {}) {
    auto device = connectDevice(path_, name, options);
    EXPECT_TRUE(device.isOk()) << device.error().message;
    return device ? *device : nullptr;
  }
  std::shared_ptr<IPreparedModel> prepare(const std::string &name = "npu", const ConnectOptions &options = {}) {
    auto prepared = connect(name, options)->prepareModel(addModel({4}), {});
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }
  /// Whether the counter reaches the value within kPatience.
  bool reaches(uint64_t ServiceCounters::*counter, uint64_t value) const {
    return eventually([&] { return service_->counters().*counter == value; });
  }
  /// Whether the fake reaches this number of blocked executions.
  bool blocks(int executions) {
    return eventually([&] {
      std::lock_guard lock(fake_->mutex);
      return fake_->blocked == executions;
    });
  }
  int executions() const {
    std::lock_guard lock(fake_->mutex);
    return fake_->executions;
  }
  void setBlocking(bool blocking) {
    std::lock_guard lock(fake_->mutex);
    fake_->blocks = blocking;
    fake_->changed.notify_all();
  }

  std::string path_;
  /// What the fake has recorded. Its models refer to the fake, so TearDown() releases them.
  const std::shared_ptr<FakeState> fake_ = std::make_shared<FakeState>();
  std::unique_ptr<Service> service_;
};

/// Device and inode of the file of an ashmem memory; {0, 0} for other kinds.
inline std::pair<uint64_t, uint64_t> fileOf(const SharedMemory &memory) {
  struct stat status = {};
  const auto *ashmem = memory ? std::get_if<Ashmem>(&memory->handle) : nullptr;
  if (ashmem != nullptr)
    (void)::fstat(ashmem->fd->get(), &status);
  return {status.st_dev, status.st_ino};
}

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_SERVICE_SERVICEFIXTURE_H
