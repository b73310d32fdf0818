//===- StagedTest.cpp - A fast first program, a better one later ----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFixture.h"
#include "FileHook.h"
#include "model/CompiledModel.h"

#include <atomic>
#include <thread>

namespace avocet::hal {
namespace {

using namespace testing;

using Floats = std::vector<float>;

constexpr uint32_t kAskedLevel = 1;

class StagedTest : public CacheFixture {
protected:
  void SetUp() override {
    CacheFixture::SetUp();
    reopen(true);
  }
  void reopen(bool isStaged, bool withCompiler = true) {
    DriverOptions options = cachingOptions();
    options.staged = isStaged;
    options.optimize = optimize_;
    options.blobCacheBytes = blobBytes_;
    restart(options, withCompiler);
  }
  void awaitImprovements(uint64_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5); // a sanitizer build on a busy machine
    while (driver_->counters().improvements < count && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(driver_->counters().improvements, count);
    EXPECT_EQ(driver_->counters().improvementsFailed, 0u);
  }
  CompiledModel modelInFile() const { return *deserialize(contents("model")); }

  uint32_t optimize_ = kAskedLevel;
  uint64_t blobBytes_ = 0;
};

const Floats kResult = {10, 20, 30};

/// A chain of so many additions.
Model sumOfSums(uint32_t count) {
  Model model = addModel({16});
  for (uint32_t i = 1; i < count; ++i) {
    const auto last = static_cast<uint32_t>(model.main.operands.size()) - 1;
    model.main.operands[last].lifetime = OperandLifeTime::TemporaryVariable;
    model.main.operands.push_back(model.main.operands[last]);
    model.main.operations.push_back({OperationType::Add, {last, 1, 2}, {last + 1}});
    model.main.operands[last + 1].lifetime = OperandLifeTime::SubgraphOutput;
    model.main.outputIndexes = {last + 1};
  }
  return model;
}

TEST_F(StagedTest, ProgramIsReplacedAfterPreparation) {
  auto model = prepare(model_);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(run(*model), kResult);
  awaitImprovements(1);
  EXPECT_EQ(run(*model), kResult);
}

TEST_F(StagedTest, NothingIsReplacedByDefault) {
  EXPECT_FALSE(DriverOptions().staged);
  reopen(false);
  ASSERT_NE(prepare(model_, withCache()), nullptr);
  close();
  EXPECT_EQ(modelInFile().optimize, kAskedLevel);
}

/// Level 2 simulates its alternatives.
TEST_F(StagedTest, AcceptsLevelsThatSimulate) {
  optimize_ = 2;
  reopen(true);
  auto model = prepare(model_);
  ASSERT_NE(model, nullptr);
  awaitImprovements(1);
  EXPECT_EQ(run(*model), kResult);
}

TEST_F(StagedTest, RejectsUnknownLevel) {
  DriverOptions options;
  options.optimize = compiler::kMostOptimize + 1;
  EXPECT_EQ(Driver::open(options).code(), ErrorStatus::InvalidArgument);
}

/// Each kind of execution runs without a pause while programs are replaced.
TEST_F(StagedTest, ExecutionsGoOnWhileProgramsAreReplaced) {
  constexpr uint64_t kModels = 12;
  for (uint64_t round = 1; round <= kModels; ++round) {
    auto model = prepare(model_);
    ASSERT_NE(model, nullptr);
    std::atomic<bool> isOver{false};
    std::atomic<int> wrong{0};
    auto repeat = [&](auto &&execute) {
      return std::jthread([&isOver, &wrong, &execute] {
        TestPool inputs(12), outputs(12);
        const Request request = requestOf({12}, {12}, inputs, outputs);
        do {
          std::ranges::fill(outputs.as<float>(), 0.0f);
          if (!execute(request) || !std::ranges::equal(outputs.as<float>(), kResult))
            ++wrong;
        } while (!isOver);
      });
    };
    auto plain = [&](const Request &request) { return model->execute(request, {}).isOk(); };
    auto reusable = [&, kept = std::shared_ptr<IExecution>()](const Request &request) mutable {
      if (kept == nullptr)
        kept = *model->createReusableExecution(request, {});
      return kept->compute({}).isOk();
    };
    auto burst = [&, kept = *model->configureBurst()](const Request &request) {
      return kept->execute(request, {1, 2}, {}).isOk();
    };
    auto fenced = [&](const Request &request) {
      Result<FencedLaunch> launch = model->executeFenced(request, {}, {});
      return launch && launch->fence.wait(std::nullopt) == FenceState::Signaled;
    };
    {
      std::jthread threads[] = {repeat(plain), repeat(reusable), repeat(burst), repeat(fenced)};
      awaitImprovements(round);
      isOver = true;
    }
    EXPECT_EQ(wrong, 0) << round;
  }
}

TEST_F(StagedTest, ProgramsOfExecutionsAreReplaced) {
  Model model = model_;
  model.main.operands[0].dimensions = model.main.operands[3].dimensions = {0, 3};
  auto prepared = prepare(model, withCache());
  ASSERT_NE(prepared, nullptr);
  TestPool inputs(24), outputs(24);
  Request request = requestOf({24}, {24}, inputs, outputs);
  request.inputs[0].dimensions = {2, 3};
  ASSERT_TRUE(prepared->execute(request, {}).isOk());
  awaitImprovements(1);
  ASSERT_TRUE(prepared->execute(request, {}).isOk());
  EXPECT_EQ(outputs.as<float>()[5], 30);
  EXPECT_EQ(driver_->counters().specializations, 1u);
  prepared.reset();
  close();
  const CompiledModel saved = modelInFile();
  ASSERT_EQ(saved.specializations.size(), 1u);
  EXPECT_EQ(saved.specializations[0].optimize, kAskedLevel);
}

TEST_F(StagedTest, FilesGetBetterProgram) {
  auto model = prepare(model_, withCache());
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(load(), ErrorStatus::None) << "the first pair";
  awaitImprovements(1);
  model.reset();
  close();
  const CompiledModel saved = modelInFile();
  EXPECT_EQ(saved.optimize, kAskedLevel);
  EXPECT_EQ(saved.source, nullptr) << "only a better program needs it";
  reopen(true, false);
  auto loaded = loadModel(files_);
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(run(*loaded), kResult);
}

TEST_F(StagedTest, DriversCacheGetsBetterProgram) {
  blobBytes_ = 1 << 24;
  reopen(true);
  auto model = prepare(model_);
  ASSERT_NE(model, nullptr);
  awaitImprovements(1);
  model.reset();
  reopen(true, false);
  model = prepare(model_);
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(run(*model), kResult);
  awaitImprovements(0);
}

/// Another driver, as in another process, loads the files of models while their programs are replaced.
TEST_F(StagedTest, ReadersLoadFilesWhileReplaced) {
  Result<std::shared_ptr<IDevice>> reader = openDevice(cachingOptions());
  ASSERT_TRUE(reader.isOk());
  const CacheFiles theirs = openFiles("model", "data", O_RDWR);
  for (uint64_t round = 1; round <= 10; ++round) {
    auto model = prepare(model_, withCache());
    ASSERT_NE(model, nullptr);
    do {
      auto loaded = (*reader)->prepareModelFromCache({}, theirs);
      ASSERT_TRUE(isLoadedOrLocked(loaded));
      if (loaded) {
        EXPECT_EQ(run(**loaded), kResult);
      }
    } while (driver_->counters().improvements < round);
  }
}

/// A driver that ends has written the files, also if the model ends while its better program is written.
TEST_F(StagedTest, DriverWaitsForWriteOfEndedModel) {
  std::atomic<bool> isWriting{false}, isWritten{false};
  for (int round = 0; round < 20 && !isWriting; ++round) {
    auto model = prepare(model_, withCache());
    ASSERT_NE(model, nullptr);
    const test::FileHook hook(*files_.modelCache[0], test::FileHook::Call::Write, [&] {
      isWriting = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      isWritten = true;
    });
    while (!isWriting && driver_->counters().improvements == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    model.reset();
    close();
    EXPECT_EQ(isWriting, isWritten) << "the driver has ended before its write";
    reopen(true);
  }
  EXPECT_TRUE(isWriting) << "no program was written after its model had been prepared";
}

/// A client's mistake: another process saves another model under the same token. The better program of the first model
/// comes later, since that of a long model is compiled before it.
TEST_F(StagedTest, AnotherModelInTheFilesStays) {
  Result<std::shared_ptr<IDevice>> other = openDevice(cachingOptions());
  ASSERT_TRUE(other.isOk());
  PrepareOptions theirs;
  theirs.cache = openFiles("model", "data", O_RDWR);
  auto before = prepare(sumOfSums(2000)), first = prepare(model_, withCache());
  ASSERT_TRUE(before && first && (*other)->prepareModel(addConstantModel({1, 2, 3}), theirs));
  EXPECT_EQ(driver_->counters().improvements, 0u) << "the files had the better program of the first model before";
  awaitImprovements(2);
  auto loaded = loadModel(files_);
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(run(*loaded), Floats({1, 2, 3}));
}

/// Models that end take their compilations with them; the driver waits for none of them.
TEST_F(StagedTest, ModelsMayEndBeforeTheirPrograms) {
  for (int i = 0; i < 40; ++i) {
    auto model = prepare(model_, withCache());
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(run(*model), kResult);
  }
  std::static_pointer_cast<ClientDevice>(device_)->abandon();
  close();
  reopen(true);
  awaitImprovements(0);
}

} // namespace
} // namespace avocet::hal
