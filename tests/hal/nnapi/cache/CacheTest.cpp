//===- CacheTest.cpp ------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilation caching of the C library across processes: each case runs nnapiCacheProbe several times.
//
//===----------------------------------------------------------------------===//

#include "avocet/base/File.h"
#include "avocet/hal/ipc/ServiceProcess.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

namespace avocet::nnapi {
namespace {

namespace fs = std::filesystem;

class CacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "nnapiCacheXXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directory(folder());
    fs::create_directory(recordsFolder());
    fs::permissions(recordsFolder(), fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(root_); }

  fs::path folder() const { return root_ / "cache"; }
  fs::path recordsFolder() const { return root_ / "records"; }

  struct Run {
    int exitCode = -1;
    uint64_t compilations = 0;
    uint64_t fromCache = 0;
  };
  Run runProbe(int token, int factor, const std::string &target = "e256", const std::string &where = "") {
    const std::string report = (root_ / fmt::format("counters{}", ++reports_)).string();
    const std::string command =
        fmt::format("AVOCET_NNAPI_DEVICES={} AVOCET_SOCKET={} AVOCET_TARGET={} AVOCET_NNAPI_RECORDS={}/records "
                    "AVOCET_NNAPI_COUNTERS={} AVOCET_LOG=off {} {} {} {}",
                    devices_, socket(), target, root_.string(), report, AVOCET_CACHE_PROBE,
                    where.empty() ? folder().string() : where, token, factor);
    // NOLINTNEXTLINE(bugprone-command-processor): sets variables of the environment
    const int status = std::system(command.c_str());
    Run run;
    run.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::ifstream file(report);
    auto counters = nlohmann::json::parse(file, nullptr, false);
    if (!counters.is_discarded()) {
      run.compilations = counters["compilations"];
      run.fromCache = counters["modelsFromCache"];
    }
    return run;
  }
  /// Further probes use the devices of a service.
  hal::ServiceProcess startService() {
    devices_ = "service";
    auto started = hal::ServiceProcess::start(AVOCETD, socket(), {"--cache-dir", (root_ / "service").string()});
    EXPECT_TRUE(started.isOk()) << started.error().message();
    return std::move(started).value();
  }
  void expectCompiled(const Run &run) { expectRun(run, 0); }
  void expectCached(const Run &run) { expectRun(run, 1); }

  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto &entry : fs::directory_iterator(folder()))
      found.push_back(entry.path());
    return found;
  }

private:
  void expectRun(const Run &run, uint64_t fromCache) {
    EXPECT_EQ(run.exitCode, 0);
    EXPECT_EQ(run.compilations, 1u);
    EXPECT_EQ(run.fromCache, fromCache);
  }

  std::string socket() const { return (root_ / "socket").string(); }

  fs::path root_;
  std::string devices_ = "embedded";
  std::atomic<int> reports_{0};
};

TEST_F(CacheTest, SecondProcessDoesNotCompile) {
  expectCompiled(runProbe(1, 3));
  expectCached(runProbe(1, 3));
}

/// The sandbox of the service forbids it to open the files whose descriptors it gets.
TEST_F(CacheTest, ServiceDoesNotCompileTwice) {
  auto service = startService();
  expectCompiled(runProbe(1, 3));
  expectCached(runProbe(1, 3));
  expectCompiled(runProbe(2, 5));
  const auto end = service.stop();
  ASSERT_TRUE(end.isOk()) << end.error().message();
  auto next = startService();
  expectCached(runProbe(1, 3));
}

TEST_F(CacheTest, ModelsAndDevicesShareFolder) {
  expectCompiled(runProbe(1, 3));
  expectCompiled(runProbe(2, 5));
  expectCompiled(runProbe(1, 3, "m512"));
  expectCached(runProbe(1, 3));
  expectCached(runProbe(2, 5));
}

TEST_F(CacheTest, DamagedFilesAreCompiledAnew) {
  expectCompiled(runProbe(1, 3));
  for (const fs::path &path : files()) {
    SCOPED_TRACE(path.filename().string());
    const auto size = fs::file_size(path);
    fs::resize_file(path, size / 2);
    expectCompiled(runProbe(1, 3));
    expectCached(runProbe(1, 3));
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(size / 3));
      file.put('\x5A');
    }
    EXPECT_EQ(runProbe(1, 3).exitCode, 0);
    fs::resize_file(path, 0);
    EXPECT_EQ(runProbe(1, 3).exitCode, 0);
  }
}

TEST_F(CacheTest, DamagedRecordsOfDriverAreIgnored) {
  expectCompiled(runProbe(1, 3));
  std::vector<fs::path> records;
  for (const auto &entry : fs::recursive_directory_iterator(recordsFolder()))
    if (entry.is_regular_file())
      records.push_back(entry.path());
  EXPECT_GE(records.size(), 8u);
  for (const fs::path &path : records) {
    SCOPED_TRACE(path.string());
    std::ofstream(path, std::ios::binary | std::ios::app) << "damage";
    EXPECT_EQ(runProbe(1, 3).exitCode, 0);
    expectCached(runProbe(1, 3));
  }
}

TEST_F(CacheTest, ForeignObjectsInPlaceOfFilesAreIgnored) {
  expectCompiled(runProbe(1, 3));
  for (const fs::path &path : files()) {
    SCOPED_TRACE(path.filename().string());
    fs::remove(path);
    fs::create_directory(path);
    expectCompiled(runProbe(1, 3));
    fs::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), S_IRUSR | S_IWUSR), 0);
    expectCompiled(runProbe(1, 3));
    fs::remove(path);
    fs::create_symlink("elsewhere", path);
    expectCompiled(runProbe(1, 3));
    EXPECT_FALSE(fs::exists(folder() / "elsewhere"));
    fs::remove(path);
  }
}

TEST_F(CacheTest, FolderThatDoesNotExistIsNoError) {
  expectCompiled(runProbe(1, 3, "e256", (folder() / "missing").string()));
  EXPECT_FALSE(fs::exists(folder() / "missing"));
}

TEST_F(CacheTest, ProcessesMayUseOneFolderAtOnce) {
  std::vector<std::thread> processes;
  std::atomic<int> failures{0};
  for (int i = 0; i < 6; ++i)
    processes.emplace_back([&, i] { failures += runProbe(i % 2, 3 + i % 2).exitCode != 0; });
  for (std::thread &process : processes)
    process.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(CacheTest, FilesThatChangeMeanwhileGiveNoWrongResult) {
  expectCompiled(runProbe(1, 3));
  std::vector<std::pair<fs::path, std::vector<uint8_t>>> saved;
  for (const fs::path &path : files()) {
    auto bytes = readFile(path.string());
    ASSERT_TRUE(bytes.isOk());
    saved.emplace_back(path, std::move(*bytes));
  }
  std::atomic<bool> isDone{false};
  std::thread writer([&] {
    for (uint8_t round = 0; !isDone; ++round)
      for (auto &[path, bytes] : saved) {
        bytes[bytes.size() / 2] ^= round;
        std::ofstream(path, std::ios::binary | std::ios::in)
            .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      }
  });
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(runProbe(1, 3).exitCode, 0);
  isDone = true;
  writer.join();
}

} // namespace
} // namespace avocet::nnapi
