//===- FixedPointFixture.h - Devices with com.avocet.fixed_point -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_EXTENSIONS_FIXEDPOINTFIXTURE_H
#define AVOCET_TESTS_HAL_EXTENSIONS_FIXEDPOINTFIXTURE_H

#include "FixedPointModels.h"
#include "TemporaryFolder.h"

#include "avocet/hal/cpu/CpuDevice.h"
#include "avocet/hal/driver/Driver.h"
#include "avocet/hal/ipc/Client.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <optional>

namespace avocet::hal::testing {

enum class Where { Device, Cpu, Service };
inline constexpr Where kEverywhere[] = {Where::Device, Where::Cpu, Where::Service};

inline std::string nameOf(const ::testing::TestParamInfo<Where> &info) {
  return info.param == Where::Device ? "device" : info.param == Where::Cpu ? "cpu" : "service";
}

/// A caching device with a folder of its own.
class FixedPointFixture : public ::testing::TestWithParam<Where> {
protected:
  void SetUp() override { open(); }
  void TearDown() override { close(); }

  void close() {
    device_.reset();
    service_.reset();
  }

  /// The device, again if there was one.
  void open() {
    close();
    Result<std::shared_ptr<IDevice>> device = openAt(path("driver"));
    ASSERT_TRUE(device.isOk()) << device.error().message;
    device_ = *device;
  }

  std::shared_ptr<IPreparedModel> prepare(const Model &model, const PrepareOptions &options = {}) {
    Result<std::shared_ptr<IPreparedModel>> prepared = device_->prepareModel(model, options);
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }

  template <typename Out, typename In>
  std::vector<Out> run(const Model &model, const std::vector<In> &input, const PrepareOptions &options = {}) {
    std::shared_ptr<IPreparedModel> prepared = prepare(model, options);
    if (prepared == nullptr)
      return {};
    RunResult<Out> result = runModel<Out>(*prepared, input);
    EXPECT_TRUE(result.outcome.isOk()) << result.outcome.message;
    return result.values;
  }

  SharedHandle openFile(const std::string &name) const {
    return std::make_shared<const FileDescriptor>(::open(path(name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }

  std::shared_ptr<IDevice> device_;

private:
  std::string path(const std::string &name) const { return (folder_.path() / name).string(); }

  Result<std::shared_ptr<IDevice>> openAt(const std::string &cache) {
    if (GetParam() == Where::Cpu)
      return openCpuDevice({.compilerLibrary = "", .cacheDirectory = cache, .threads = 1});
    if (GetParam() == Where::Service)
      return openService(cache);
    DriverOptions options;
    options.cacheDirectory = cache;
    return openDevice(options);
  }

  Result<std::shared_ptr<IDevice>> openService(const std::string &cache) {
    auto service = ServiceProcess::start(AVOCETD, path("socket"), {"--cache-dir", cache});
    if (!service)
      return fromStatus(service.status());
    service_.emplace(std::move(*service));
    return connectDevice(service_->socket(), "avocet-e256");
  }

  const test::TemporaryFolder folder_{"avocetFixed"};
  std::optional<ServiceProcess> service_;
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_EXTENSIONS_FIXEDPOINTFIXTURE_H
