//===- WorkersTest.cpp - Compile workers and their failures -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCompiler.h"
#include "SmallModels.h"
#include "avocet/compiler/Loader.h"
#include "avocet/hal/sandbox/SystemCallFilter.h"
#include "avocet/hal/worker/CompileWorkers.h"
#include "model/ModelBytes.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace avocet::hal {
namespace {

using namespace testing;
using compiler::CompileRequest;
using compiler::CompileResult;
using ::testing::HasSubstr;

ModelBytes bytesOf(const Model &model) {
  Result<ModelBytes> bytes = modelBytesOf(model);
  EXPECT_TRUE(bytes.isOk()) << bytes.error().message;
  return bytes ? std::move(*bytes) : ModelBytes();
}

ModelBytes bytesOf(FakeBehavior behavior) { return bytesOf(addModel({static_cast<uint32_t>(behavior)})); }

CompileRequest requestFor(const ModelBytes &model) {
  CompileRequest request;
  request.modelPath = "model";
  request.modelBytes = model.bytes;
  request.pools = model.poolSpans();
  request.format = model.format;
  return request;
}

/// A file of /proc; empty if its process has ended meanwhile. (A stream would throw in that case.)
std::string textOf(const std::string &path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[4096];
  const ssize_t size = file.isValid() ? ::read(file.get(), text, sizeof(text)) : -1;
  return size < 0 ? "" : std::string(text, static_cast<size_t>(size));
}

uint64_t runTimeOf(pid_t process) {
  uint64_t nanoseconds = 0;
  std::istringstream(textOf("/proc/" + std::to_string(process) + "/schedstat")) >> nanoseconds;
  return nanoseconds;
}

bool hasEnded(pid_t process) {
  const std::string text = textOf("/proc/" + std::to_string(process) + "/status");
  return text.empty() || text.find("State:\tZ") != std::string::npos;
}

/// Descendants of this process by their own name in /proc.
std::vector<pid_t> processesNamed(const std::string &name) {
  std::map<pid_t, pid_t> parents;
  std::vector<pid_t> named;
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos)
      continue;
    const std::string text = textOf(entry.path() / "stat");
    const size_t open = text.find('('), close = text.rfind(')');
    if (close == std::string::npos)
      continue;
    char state = 0;
    pid_t parent = 0;
    std::istringstream(text.substr(close + 1)) >> state >> parent;
    const pid_t process = std::stoi(text);
    parents[process] = parent;
    if (state != 'Z' && text.substr(open + 1, close - open - 1) == name)
      named.push_back(process);
  }
  std::erase_if(named, [&](pid_t process) {
    for (int depth = 0; depth < 8 && process > 1; ++depth)
      if (process = parents[process]; process == ::getpid())
        return false;
    return true;
  });
  return named;
}

template <typename Condition> bool eventually(Condition condition) {
  for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
       std::chrono::steady_clock::now() < end;) {
    if (condition())
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

class WorkersTest : public ::testing::Test {
protected:
  void start(WorkerOptions options) {
    options.compilerLibrary = AVOCET_FAKE_COMPILER;
    auto started = CompileWorkers::start(options);
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    workers_ = *started;
  }
  void SetUp() override { start({}); }

  CompileResult compile(const ModelBytes &model) { return workers_->compile(requestFor(model)); }
  avocet::Status statusOf(FakeBehavior behavior) { return compile(bytesOf(behavior)).status; }
  void expectServing() { EXPECT_TRUE(compile(bytesOf(addModel({4}))).status.isOk()); }

  std::shared_ptr<CompileWorkers> workers_;
};

void expectSame(std::span<const uint8_t> a, std::span<const uint8_t> b) { EXPECT_TRUE(std::ranges::equal(a, b)); }

TEST_F(WorkersTest, ArtefactsEqualThoseOfInProcessCompilation) {
  const ModelBytes model = bytesOf(addConstantModel({1, 2, 3, 4}));
  auto local = compiler::LoadedCompiler::load();
  ASSERT_TRUE(local.isOk());
  const CompileResult here = local->compile(requestFor(model)), there = compile(model);
  ASSERT_TRUE(there.status.isOk()) << there.status.toString();
  EXPECT_FALSE(there.modelCache.empty());
  expectSame(here.modelCache, there.modelCache);
  expectSame(here.dataCache, there.dataCache);
  EXPECT_EQ(here.phases.size(), there.phases.size());
}

/// Larger, smaller and larger again; some are larger than the files that workers share.
TEST_F(WorkersTest, CompilesRequestsOfAllSizes) {
  auto local = compiler::LoadedCompiler::load();
  ASSERT_TRUE(local.isOk());
  const std::vector<uint8_t> unused(uint64_t{9} << 20, 1);
  for (size_t elements : {100000, 4, 2400000, 1000, 100000}) {
    const ModelBytes model = bytesOf(addConstantModel(std::vector<float>(elements, 0.5f)));
    CompileRequest request = requestFor(model);
    if (elements == 1000)
      request.pools.emplace_back(unused);
    const CompileResult here = local->compile(request), there = workers_->compile(request);
    ASSERT_TRUE(there.status.isOk()) << there.status.toString();
    expectSame(here.modelCache, there.modelCache);
    expectSame(here.dataCache, there.dataCache);
  }
}

TEST_F(WorkersTest, InvalidAnswersFailOneRequest) {
  EXPECT_THAT(statusOf(FakeBehavior::LongAnswer).message(), HasSubstr("a size in the lent file"));
  EXPECT_THAT(statusOf(FakeBehavior::EmptyAnswer).message(), HasSubstr("structure is broken"));
  EXPECT_EQ(workers_->counters().crashes, 2u);
  expectServing();
}

TEST_F(WorkersTest, PassesRefusalsAndDiagnosticsOn) {
  Model model = addModel({4});
  model.main.operations[0].type = OperationType::Log; // it has one input, so these operands are refused
  const ModelBytes bytes = bytesOf(model);
  auto local = compiler::LoadedCompiler::load();
  const CompileResult here = local->compile(requestFor(bytes)), there = compile(bytes);
  EXPECT_FALSE(there.status.isOk());
  EXPECT_EQ(here.status, there.status);
  ASSERT_EQ(here.diagnostics.size(), there.diagnostics.size());
  for (size_t i = 0; i < here.diagnostics.size(); ++i)
    EXPECT_EQ(here.diagnostics[i].message, there.diagnostics[i].message);
  ASSERT_EQ(here.refusals.size(), there.refusals.size());
  for (size_t i = 0; i < here.refusals.size(); ++i)
    EXPECT_EQ(here.refusals[i].rule, there.refusals[i].rule);
}

TEST_F(WorkersTest, ReportsNeedForSpecialization) {
  const CompileResult result = compile(bytesOf(addModel({0})));
  EXPECT_TRUE(result.needsSpecialization) << result.status.toString();
  EXPECT_EQ(result.status.code(), StatusCode::FailedPrecondition);
}

class WorkerCrashTest : public WorkersTest,
                        public ::testing::WithParamInterface<std::pair<FakeBehavior, const char *>> {};

TEST_P(WorkerCrashTest, CrashFailsOneRequest) {
  const avocet::Status status = statusOf(GetParam().first);
  EXPECT_EQ(status.code(), StatusCode::Internal);
  // Sanitizers handle some signals themselves.
  if (!isSanitizerBuild())
    EXPECT_THAT(status.message(), HasSubstr(GetParam().second));
  EXPECT_EQ(workers_->counters().crashes, 1u);
  expectServing();
  EXPECT_EQ(workers_->counters().compilations, 1u);
}

INSTANTIATE_TEST_SUITE_P(Workers, WorkerCrashTest,
                         ::testing::Values(std::pair(FakeBehavior::Crash, "SIGSEGV"),
                                           std::pair(FakeBehavior::Abort, "SIGABRT"),
                                           std::pair(FakeBehavior::Overflow, "SIGSEGV")));

class ForbiddenCallTest : public WorkersTest,
                          public ::testing::WithParamInterface<std::pair<FakeBehavior, const char *>> {};

TEST_P(ForbiddenCallTest, EndsWorkerAndIsNamed) {
  if (isSanitizerBuild())
    GTEST_SKIP() << "sanitizers need some of these calls themselves";
  const avocet::Status status = statusOf(GetParam().first);
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_THAT(status.message(), HasSubstr(std::string("system call ") + GetParam().second));
  expectServing();
}

INSTANTIATE_TEST_SUITE_P(Workers, ForbiddenCallTest,
                         ::testing::Values(std::pair(FakeBehavior::Execute, "execve"),
                                           std::pair(FakeBehavior::Connect, "socket"),
                                           std::pair(FakeBehavior::Trace, "ptrace"),
                                           std::pair(FakeBehavior::Signal, "kill"),
                                           std::pair(FakeBehavior::NewCode, "mmap")));

TEST_F(WorkersTest, WorkerCannotOpenFiles) {
  if (isSanitizerBuild())
    GTEST_SKIP() << "sanitizers open files themselves";
  EXPECT_EQ(statusOf(FakeBehavior::ReadFile).code(), StatusCode::Unsupported);
}

TEST_F(WorkersTest, WorkerHoldsDescriptorsOfItsRequestOnly) {
  const ModelBytes model = bytesOf(addModel({57003}));
  // Another worker is busy at the same time.
  std::atomic<bool> isCancelled{false};
  CompileRequest other = requestFor(model);
  other.cancelled = [&] { return isCancelled.load(); };
  auto busy = std::async(std::launch::async, [&] { return workers_->compile(other).status; });
  // Standard input, output and errors, the socket, the request, the descriptor of the process.
  EXPECT_THAT(statusOf(FakeBehavior::Descriptors).message(), HasSubstr("6 descriptors"));
  isCancelled = true;
  EXPECT_EQ(busy.get().code(), StatusCode::Aborted);
}

TEST_F(WorkersTest, BackgroundWorkerYieldsToOthers) {
  const ModelBytes model = bytesOf(FakeBehavior::Hang);
  std::atomic<bool> isCancelled{false};
  CompileRequest request = requestFor(model);
  request.cancelled = [&] { return isCancelled.load(); };
  auto idleOnes = [] {
    return std::ranges::count_if(processesNamed("avocetCompile"),
                                 [](pid_t process) { return ::sched_getscheduler(process) == SCHED_IDLE; });
  };
  auto normal = std::async(std::launch::async, [&] { return workers_->compile(request).status; });
  auto background =
      std::async(std::launch::async, [&] { return workers_->compile(request, Urgency::Background).status; });
  EXPECT_TRUE(eventually([&] { return idleOnes() == 1; }));
  isCancelled = true;
  EXPECT_EQ(normal.get().code(), StatusCode::Aborted);
  EXPECT_EQ(background.get().code(), StatusCode::Aborted);
}

TEST_F(WorkersTest, OutOfMemoryFailsOneRequest) {
  if (isSanitizerBuild())
    GTEST_SKIP() << "sanitizers need more address space than any limit allows";
  WorkerOptions options;
  options.memoryBytes = uint64_t{1} << 30;
  start(options);
  const avocet::Status status = statusOf(FakeBehavior::UseMemory);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted) << status.toString();
  EXPECT_THAT(status.message(), HasSubstr("1073741824 bytes"));
  expectServing();
}

TEST_F(WorkersTest, ExhaustedShareIsRepeatedWithAllMemory) {
  if (isSanitizerBuild())
    GTEST_SKIP() << "sanitizers need more address space than any limit allows";
  WorkerOptions options;
  options.allMemoryBytes = uint64_t{3} << 29; // less than the default of one worker
  start(options);
  const avocet::Status status = statusOf(FakeBehavior::UseMemory);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted) << status.toString();
  EXPECT_THAT(status.message(), HasSubstr("1610612736 bytes"));
  EXPECT_EQ(workers_->counters().crashes, 1u) << "the first attempt does not count";
  expectServing();
}

TEST_F(WorkersTest, CompilationsWaitForMemoryOfAll) {
  for (const uint64_t shares : {1, 2}) {
    WorkerOptions options;
    options.allMemoryBytes = shares * ((uint64_t{1} << 30) + (uint64_t{1} << 20)); // of small models
    start(options);
    expectServing();
    const ModelBytes hang = bytesOf(FakeBehavior::Hang), add = bytesOf(addModel({4}));
    std::atomic<bool> isCancelled{false};
    std::atomic<int> asked{0};
    CompileRequest endless = requestFor(hang);
    endless.cancelled = [&] { return ++asked, isCancelled.load(); };
    auto first = std::async(std::launch::async, [&] { return workers_->compile(endless).status; });
    ASSERT_TRUE(eventually([&] { return asked > 0; }));
    auto second = std::async(std::launch::async, [&] { return compile(add).status; });
    if (shares == 1)
      EXPECT_EQ(second.wait_for(std::chrono::milliseconds(200)), std::future_status::timeout);
    else
      EXPECT_TRUE(second.get().isOk());
    isCancelled = true;
    EXPECT_EQ(first.get().code(), StatusCode::Aborted);
    if (shares == 1)
      EXPECT_TRUE(second.get().isOk());
  }
}

TEST_F(WorkersTest, CancellationEndsEndlessCompilation) {
  const ModelBytes model = bytesOf(FakeBehavior::Hang);
  CompileRequest request = requestFor(model);
  request.cancelled = [end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50)] {
    return std::chrono::steady_clock::now() >= end;
  };
  EXPECT_EQ(workers_->compile(request).status.code(), StatusCode::Aborted);
  EXPECT_EQ(workers_->counters().crashes, 0u);
  expectServing();
}

TEST_F(WorkersTest, TimeLimitEndsEndlessCompilation) {
  WorkerOptions options;
  options.timeLimit = std::chrono::seconds(1);
  start(options);
  const avocet::Status status = statusOf(FakeBehavior::Hang);
  // The limits of processor time and of elapsed time are equal; either may be reached first.
  EXPECT_TRUE(status.code() == StatusCode::DeadlineExceeded || status.code() == StatusCode::Internal)
      << status.toString();
  expectServing();
}

TEST_F(WorkersTest, KilledWorkerFailsItsRequestOnly) {
  const ModelBytes hang = bytesOf(FakeBehavior::Hang);
  expectServing(); // starts all processes
  ASSERT_TRUE(eventually([] { return !processesNamed("avocetCompile").empty(); }));
  auto busy = std::async(std::launch::async, [&] { return compile(hang).status; });
  std::atomic<bool> isOver{false};
  auto others = std::async(std::launch::async, [&] {
    while (!isOver)
      expectServing();
  });
  // Only the worker that hangs uses this much processor time.
  while (busy.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    for (pid_t process : processesNamed("avocetCompile")) {
      if (runTimeOf(process) > 500'000'000)
        ::kill(process, SIGKILL);
    }
  }
  isOver = true;
  others.get();
  const avocet::Status status = busy.get();
  EXPECT_EQ(status.code(), StatusCode::Internal);
  EXPECT_THAT(status.message(), HasSubstr("without an answer"));
  EXPECT_EQ(workers_->counters().crashes, 1u);
}

TEST_F(WorkersTest, KilledZygoteIsReplaced) {
  expectServing();
  for (uint64_t restart = 1; restart <= 3; ++restart) {
    ASSERT_TRUE(eventually([] { return processesNamed("avocetZygote").size() == 1; }));
    ::kill(processesNamed("avocetZygote")[0], SIGKILL);
    EXPECT_TRUE(eventually([&] {
      expectServing();
      return workers_->counters().restarts == restart;
    }));
  }
  EXPECT_EQ(workers_->counters().crashes, 0u);
}

TEST_F(WorkersTest, ServesAfterLauncherIsKilled) {
  expectServing();
  ASSERT_TRUE(eventually([] { return processesNamed("avocetCompileWo").size() == 1; }));
  ::kill(processesNamed("avocetCompileWo")[0], SIGKILL);
  for (int i = 0; i < 8; ++i)
    expectServing();
}

TEST_F(WorkersTest, MoreRequestsThanPlacesAllSucceed) {
  WorkerOptions options;
  options.idleWorkers = 1;
  options.busyWorkers = 2;
  start(options);
  std::vector<std::future<void>> requests;
  for (int i = 0; i < 12; ++i)
    requests.push_back(std::async(std::launch::async, [&] { expectServing(); }));
  for (std::future<void> &request : requests)
    request.get();
  EXPECT_EQ(workers_->counters().compilations, 12u);
}

TEST_F(WorkersTest, ZygoteEndsWithItsOwner) {
  expectServing();
  ASSERT_TRUE(eventually([] { return !processesNamed("avocetZygote").empty(); }));
  const pid_t zygote = processesNamed("avocetZygote")[0];
  workers_.reset();
  EXPECT_TRUE(eventually([&] { return hasEnded(zygote); }));
}

/// A process that waits for a compilation without end.
pid_t startHangingOwner() {
  const pid_t owner = ::fork();
  if (owner != 0)
    return owner;
  WorkerOptions options;
  options.compilerLibrary = AVOCET_FAKE_COMPILER;
  auto workers = CompileWorkers::start(options);
  const ModelBytes model = bytesOf(FakeBehavior::Hang);
  if (workers)
    (void)(*workers)->compile(requestFor(model));
  ::_exit(1);
}

TEST(WorkersStart, BusyWorkerEndsWithItsKilledOwner) {
  const pid_t owner = startHangingOwner();
  ASSERT_GT(owner, 0);
  pid_t busy = -1;
  EXPECT_TRUE(eventually([&] {
    for (pid_t process : processesNamed("avocetCompile"))
      if (runTimeOf(process) > 200'000'000)
        busy = process;
    return busy > 0;
  }));
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return hasEnded(busy); }));
}

TEST(WorkersStart, MissingProgramIsNamed) {
  WorkerOptions options;
  options.program = "/nonexistent/worker";
  auto started = CompileWorkers::start(options);
  ASSERT_FALSE(started.isOk());
  EXPECT_THAT(started.status().message(), HasSubstr("/nonexistent/worker"));
}

TEST(WorkersStart, MissingLibraryFailsEachRequest) {
  WorkerOptions options;
  options.compilerLibrary = "/nonexistent/libavocetCompiler.so";
  auto started = CompileWorkers::start(options);
  ASSERT_TRUE(started.isOk());
  const ModelBytes model = bytesOf(addModel({4}));
  const avocet::Status status = (*started)->compile(requestFor(model)).status;
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_THAT(status.message(), HasSubstr("/nonexistent"));
}

} // namespace
} // namespace avocet::hal
