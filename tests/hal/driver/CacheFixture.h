//===- CacheFixture.h - A caching device and its client's files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_HAL_DRIVER_CACHEFIXTURE_H
#define AVOCET_TESTS_HAL_DRIVER_CACHEFIXTURE_H

#include "DeviceFixture.h"
#include "TemporaryFolder.h"

#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace avocet::hal::testing {

inline constexpr CacheToken kToken = {1, 2, 3};

/// A caching device and the client's two files. Each test uses its own folder.
class CacheFixture : public DeviceFixture {
protected:
  void SetUp() override {
    restart();
    files_ = openFiles("model", "data", O_RDWR | O_CREAT);
  }
  void TearDown() override { close(); }

  /// The driver ends and has then written the files of its clients.
  void close() {
    device_.reset();
    driver_.reset();
  }

  DriverOptions cachingOptions() const {
    DriverOptions options;
    options.cacheDirectory = folder_ / "driver";
    return options;
  }

  /// A new driver, as in another process. Without a compiler, every compilation fails.
  void restart(DriverOptions options, bool withCompiler = true) {
    close();
    if (!withCompiler)
      options.compilerLibrary = "/nonexistent/libavocetCompiler.so";
    open(options);
  }
  void restart(bool withCompiler = true) { restart(cachingOptions(), withCompiler); }

  SharedHandle openFile(const std::string &name, int flags) const {
    return std::make_shared<const FileDescriptor>(::open((folder_ / name).c_str(), flags | O_CLOEXEC, 0600));
  }
  CacheFiles openFiles(const std::string &model, const std::string &data, int flags) const {
    return {{openFile(model, flags)}, {openFile(data, flags)}, kToken};
  }
  PrepareOptions withCache() const {
    PrepareOptions options;
    options.cache = files_;
    return options;
  }

  std::vector<uint8_t> contents(const std::string &name) const {
    return std::move(readFile((folder_ / name).string())).value();
  }
  void rewrite(const std::string &name, const std::vector<uint8_t> &bytes) const {
    FileDescriptor file(::open((folder_ / name).c_str(), O_RDWR | O_TRUNC));
    ASSERT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  /// Whether the files were read, as a whole. A writer has a low priority: on a loaded machine it may hold the lock for
  /// longer than a reader waits.
  static ::testing::AssertionResult isLoadedOrLocked(const Result<std::shared_ptr<IPreparedModel>> &loaded) {
    if (loaded || loaded.code() == ErrorStatus::ResourceExhaustedTransient)
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << loaded.error().message;
  }

  ErrorStatus load() { return device_->prepareModelFromCache({}, files_).code(); }

  /// A model from the client's files; null if it is refused.
  std::shared_ptr<IPreparedModel> loadModel(const CacheFiles &files) {
    Result<std::shared_ptr<IPreparedModel>> prepared = device_->prepareModelFromCache({}, files);
    EXPECT_TRUE(prepared.isOk()) << prepared.error().message;
    return prepared ? *prepared : nullptr;
  }

  /// Output of the model "input + {10, 20, 30}" for zeros, or nothing if it does not run.
  static std::vector<float> run(IPreparedModel &prepared) {
    TestPool inputs(12), outputs(12);
    if (!prepared.execute(requestOf({12}, {12}, inputs, outputs), {}).isOk())
      return {};
    return {outputs.as<float>().begin(), outputs.as<float>().end()};
  }

  const Model model_ = addConstantModel({10, 20, 30});
  const test::TemporaryFolder temporary_{"avocetCache"};
  const std::filesystem::path folder_ = temporary_.path();
  CacheFiles files_;
};

} // namespace avocet::hal::testing

#endif // AVOCET_TESTS_HAL_DRIVER_CACHEFIXTURE_H
