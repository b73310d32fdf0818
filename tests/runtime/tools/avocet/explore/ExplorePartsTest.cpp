//===- ExplorePartsTest.cpp - The parts of avocet explore ----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "explore/DesignSpace.h"
#include "explore/ExploreFiles.h"
#include "explore/ExplorePage.h"
#include "explore/ExploreTable.h"
#include "explore/Results.h"
#include "explore/SlurmJob.h"
#include "output/TextTable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

namespace avocet::tool {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string messageOf(const std::vector<std::string> &sets) { return makeDesignSpace("e256", sets).status().message(); }

TEST(DesignSpaceTest, CombinesValuesWithFirstAxisSlowest) {
  const DesignSpace space = makeDesignSpace("e256", {"sram.bytes=256K,512K", "dram.bandwidth=0.5,1,2"}).value();
  ASSERT_EQ(space.targets.size(), 6u);
  EXPECT_EQ(space.targets[1].target->sram().bytes, 256u * 1024);
  EXPECT_EQ(bandwidthOf(*space.targets[1].target), 1);
  EXPECT_EQ(shownValues(space, space.targets[5]), "sram.bytes 512 KiB, dram.bandwidth 2");
  EXPECT_EQ(space.next(1, 0), std::optional<size_t>(4));
  EXPECT_EQ(space.next(1, 1), std::optional<size_t>(2));
  EXPECT_EQ(space.next(2, 1), std::nullopt);
  EXPECT_EQ(space.next(3, 0), std::nullopt);
}

TEST(DesignSpaceTest, NameDependsOnFiguresOnly) {
  const DesignSpace first = makeDesignSpace("e256", {"sram.bytes=1M", "dram.bandwidth=2"}).value();
  const DesignSpace second = makeDesignSpace("e256", {"dram.bandwidth=4/2", "sram.bytes=1048576"}).value();
  EXPECT_EQ(first.targets[0].target->name(), second.targets[0].target->name());
  const firmware::Target &target = *first.targets[0].target;
  EXPECT_EQ(firmware::Target::parse(first.targets[0].text, "t").value()->fingerprint(), target.fingerprint());
}

TEST(DesignSpaceTest, WithoutAxesIsTheBaseTarget) {
  const DesignSpace space = makeDesignSpace("m512", {}).value();
  ASSERT_EQ(space.targets.size(), 1u);
  EXPECT_EQ(space.targets[0].target->fingerprint(), space.base->fingerprint());
  EXPECT_EQ(shownValues(space, space.targets[0]), "m512");
}

TEST(DesignSpaceTest, CombinationThatBreaksARuleIsRefused) {
  const DesignSpace space = makeDesignSpace("e256", {"sram.burstBytes=32,64", "sram.bytes=4128,8192"}).value();
  EXPECT_THAT(space.targets[2].refusal, HasSubstr("must be a multiple of sram.burstBytes"));
  EXPECT_EQ(space.targets[2].target, nullptr);
  for (size_t i : {0, 1, 3})
    EXPECT_EQ(space.targets[i].refusal, "") << i;
}

TEST(DesignSpaceTest, WrongSetsAreNamed) {
  EXPECT_THAT(messageOf({"sram.bytes"}), HasSubstr("--set sram.bytes: must be a figure of a target file, '='"));
  EXPECT_THAT(messageOf({"=1"}), HasSubstr("must be a figure"));
  EXPECT_THAT(messageOf({"sram.bytes="}), HasSubstr("'' must be a number of bytes"));
  EXPECT_THAT(messageOf({"sram.bytes=1M,"}), HasSubstr("'' must be a number of bytes"));
  EXPECT_THAT(messageOf({"sram.bytes=1M,1024K"}), HasSubstr("the value 1024K occurs twice"));
  EXPECT_THAT(messageOf({"sram.bytes=1M", "sram.bytes=2M"}), HasSubstr("sram.bytes has values already"));
  EXPECT_THAT(messageOf({"sram.size=1M"}), HasSubstr("'sram.size' is no figure of a target"));
  std::string many = "dram.readLatencyCycles=0", other = "dram.writeLatencyCycles=0";
  for (int i = 1; i <= 100; ++i)
    many += "," + std::to_string(i), other += "," + std::to_string(i);
  EXPECT_THAT(messageOf({many, other}), HasSubstr("at most 10000 are accepted"));
}

class NetworksTest : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder_ + "/b"); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string &name, const std::string &text) const { std::ofstream(folder_ + "/" + name) << text; }

  std::vector<std::string> namesOf(const std::vector<std::string> &paths) const {
    const std::vector<Network> networks = findNetworks(paths).value();
    std::vector<std::string> names;
    for (const Network &network : networks)
      names.push_back(network.name);
    return names;
  }

  const std::string folder_ = testing::TempDir() + "/avocet-networks-" + std::to_string(::getpid());
};

TEST_F(NetworksTest, FolderGivesEachNetworkOnceByName) {
  write("z.tflite", "1");
  write("b/model.tflite", "2");
  write("b/copy.tflite", "1");
  write("b/notes.txt", "3");
  std::filesystem::create_symlink("absent", folder_ + "/dangling.tflite");
  const std::vector<std::string> names = namesOf({folder_});
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], "b");
  EXPECT_EQ(namesOf({folder_ + "/z.tflite", folder_}), (std::vector<std::string>{"b", "z"}));
}

TEST_F(NetworksTest, EqualNamesBecomePaths) {
  write("net.tflite", "1");
  write("b/net.tflite", "2");
  EXPECT_EQ(namesOf({folder_}), (std::vector<std::string>{folder_ + "/b/net.tflite", folder_ + "/net.tflite"}));
}

bool isDominated(const std::vector<Objectives> &all, const Objectives &one) {
  return std::ranges::any_of(all, [&](const Objectives &other) {
    bool isNowhereWorse = true;
    for (size_t i = 0; i < one.size(); ++i)
      isNowhereWorse = isNowhereWorse && other[i] <= one[i];
    return isNowhereWorse && other != one;
  });
}

TEST(ParetoFrontTest, EqualsComparisonOfAllPairs) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Objectives> all(random() % 40);
    for (Objectives &one : all)
      for (double &value : one)
        value = static_cast<double>(random() % 6);
    const std::vector<bool> front = paretoFront(all);
    for (size_t i = 0; i < all.size(); ++i)
      EXPECT_EQ(front[i], !isDominated(all, all[i]) && std::find(all.begin(), all.end(), all[i]) == all.begin() + i)
          << round;
  }
}

Record sampleRecord(const std::string &key, uint64_t cycles = 1000) {
  Record record;
  record.key = key;
  record.cycles = cycles;
  record.energyPicojoules = 12.5;
  record.dramBytes = 4096;
  record.bound = "dram";
  record.layers = {{"conv", "CONV_2D", "MAC", 4, "14x14x64", 2048, 1024, 700},
                   {"add", "ADD", "MAC", 1, "1x1x8", 64, 0, 300}};
  return record;
}

TEST(RecordTest, LineHoldsTheWholeRecord) {
  const Record record = sampleRecord("k");
  const std::optional<Record> read = parseRecord(recordLine(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(recordLine(*read), recordLine(record));
  EXPECT_EQ(read->layers[0].largestTile, "14x14x64");
  Record refused;
  refused.key = "r";
  refused.state = PointState::Refused;
  refused.reason = "not \"this\"\n";
  EXPECT_EQ(parseRecord(recordLine(refused))->reason, refused.reason);
}

TEST(RecordTest, IncompleteLineIsNoRecord) {
  const std::string line = recordLine(sampleRecord("k"));
  for (size_t length = 0; length < line.size(); ++length)
    EXPECT_FALSE(parseRecord(line.substr(0, length))) << length;
  for (auto other : {"[]", "{}", "null", "{\"key\":1}", R"({"key":"k","state":"gone"})", R"({"key":"k","state":"ok"})"})
    EXPECT_FALSE(parseRecord(other)) << other;
}

TEST(RecordTest, KeyDependsOnEveryPart) {
  const std::string key = pointKey("model", 1, "build", "options");
  EXPECT_EQ(key, pointKey("model", 1, "build", "options"));
  EXPECT_NE(key, pointKey("model2", 1, "build", "options"));
  EXPECT_NE(key, pointKey("model", 2, "build", "options"));
  EXPECT_NE(key, pointKey("model", 1, "build2", "options"));
  EXPECT_NE(key, pointKey("model", 1, "build", "options2"));
}

class ResultStoreTest : public testing::Test {
protected:
  void SetUp() override {
    const auto *info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "/avocet-store-" + info->name() + "-" + std::to_string(::getpid());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void appendText(const std::string &name, const std::string &text) const {
    std::ofstream(folder_ + "/" + name, std::ios::app) << text;
  }

  std::string folder_;
};

TEST_F(ResultStoreTest, ReadsRecordsOfAllWriters) {
  {
    ResultStore store = ResultStore::open(folder_).value();
    ASSERT_TRUE(store.startWriting("a").isOk());
    ASSERT_TRUE(store.append(sampleRecord("first")).isOk());
  }
  ResultStore store = ResultStore::open(folder_).value();
  ASSERT_NE(store.find("first"), nullptr);
  EXPECT_EQ(store.find("second"), nullptr);
  appendText("b.jsonl", recordLine(sampleRecord("second")) + "\n");
  ASSERT_TRUE(store.refresh().isOk());
  EXPECT_NE(store.find("second"), nullptr);
}

TEST_F(ResultStoreTest, LineOfKilledWriterIsLeftOut) {
  const std::string line = recordLine(sampleRecord("cut"));
  std::filesystem::create_directories(folder_);
  appendText("a.jsonl", recordLine(sampleRecord("whole")) + "\n" + line.substr(0, line.size() / 2));
  {
    ResultStore store = ResultStore::open(folder_).value();
    EXPECT_EQ(store.find("cut"), nullptr);
    ASSERT_TRUE(store.startWriting("a").isOk());
    ASSERT_TRUE(store.append(sampleRecord("next")).isOk());
  }
  ResultStore store = ResultStore::open(folder_).value();
  EXPECT_NE(store.find("whole"), nullptr);
  EXPECT_NE(store.find("next"), nullptr);
  EXPECT_EQ(store.find("cut"), nullptr);
}

TEST_F(ResultStoreTest, GrowingLineIsReadWhenComplete) {
  const std::string line = recordLine(sampleRecord("slow"));
  ResultStore store = ResultStore::open(folder_).value();
  appendText("a.jsonl", line.substr(0, 20));
  ASSERT_TRUE(store.refresh().isOk());
  EXPECT_EQ(store.find("slow"), nullptr);
  appendText("a.jsonl", line.substr(20) + "\n");
  ASSERT_TRUE(store.refresh().isOk());
  EXPECT_NE(store.find("slow"), nullptr);
}

TEST_F(ResultStoreTest, SecondWriterOfAFileIsRefused) {
  ResultStore store = ResultStore::open(folder_).value();
  ASSERT_TRUE(store.startWriting("a").isOk());
  ResultStore other = ResultStore::open(folder_).value();
  const Status status = other.startWriting("a");
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("another exploration writes to this file"));
  EXPECT_TRUE(other.startWriting("b").isOk());
}

TEST_F(ResultStoreTest, FailureDoesNotReplaceAResult) {
  Record failed;
  failed.key = "k";
  failed.state = PointState::Failed;
  std::filesystem::create_directories(folder_);
  appendText("a.jsonl", recordLine(sampleRecord("k")) + "\n");
  appendText("b.jsonl", recordLine(failed) + "\n");
  EXPECT_EQ(ResultStore::open(folder_).value().find("k")->state, PointState::Ok);
  appendText("a.jsonl", recordLine(failed) + "\n");
  EXPECT_EQ(ResultStore::open(folder_).value().find("k")->state, PointState::Ok);
}

TEST(ScheduleChangesTest, NamesWhatDiffersLargestFirst) {
  std::vector<LayerSchedule> before = sampleRecord("k").layers, after = before;
  EXPECT_TRUE(scheduleChanges(before, after).empty());
  after[0].tiles = 8;
  after[0].largestTile = "7x14x64";
  after[0].cycles = 710;
  after[1].engine = "DSP";
  after[1].dramBytes = 512;
  after[1].cycles = 900;
  after.push_back({"softmax", "SOFTMAX", "DSP", 1, "1x1x8", 8, 0, 5});
  const std::vector<LayerChange> changes = scheduleChanges(before, after);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].layer, "add");
  EXPECT_EQ(changes[0].what, "engine MAC -> DSP, off-chip 0 B -> 512 B");
  EXPECT_EQ(changes[1].what, "tiles 4 of 14x14x64 -> 8 of 7x14x64");
  EXPECT_EQ(changes[1].cyclesAfter, 710u);
  EXPECT_EQ(changes[2].layer, "softmax");
}

TEST(ScheduleChangesTest, CyclesAloneAreNoChange) {
  std::vector<LayerSchedule> before = sampleRecord("k").layers, after = before;
  after[0].cycles += 100;
  EXPECT_TRUE(scheduleChanges(before, after).empty());
}

/// An exploration of one network without files, with a record for each target that breaks no rule.
class ReportsTest : public ResultStoreTest {
protected:
  void SetUp() override {
    ResultStoreTest::SetUp();
    exploration_.space = makeDesignSpace("e256", {"sram.bytes=4128,256K,512K", "sram.burstBytes=32,64"}).value();
    exploration_.networks = {{"net,\"one\"</script><b>", "net.tflite", {}, "00"}};
    exploration_.build = "1";
    store_ = ResultStore::open(folder_).value();
    ASSERT_TRUE(store_->startWriting("a").isOk());
  }

  void addAll() {
    for (size_t i = 0; i < exploration_.space.targets.size(); ++i)
      if (exploration_.space.targets[i].target != nullptr) {
        Record record = sampleRecord(exploration_.keyOf(0, i), 100'000 - i);
        record.layers[0].name = "</script>";
        ASSERT_TRUE(store_->append(std::move(record)).isOk());
      }
  }

  Exploration exploration_;
  std::optional<ResultStore> store_;
};

TEST_F(ReportsTest, TableHasFrontAndReasons) {
  addAll();
  const Results results = collectResults(exploration_, *store_);
  const std::string table = exploreTable(results, ShownRows::All);
  EXPECT_THAT(table, HasSubstr("5 of 6 targets"));
  EXPECT_THAT(table, HasSubstr("no result for sram.bytes 4128 B, sram.burstBytes 64 B:\n  target"));
  EXPECT_THAT(table, HasSubstr("6 points: 5 with figures, 1 refused, 0 failed, 0 not computed"));
  std::istringstream lines(exploreTable(results, ShownRows::Front));
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(displayWidth(line) <= 80 || line.starts_with("  target")) << line;
}

TEST_F(ReportsTest, MissingPointsAreCounted) {
  const Results results = collectResults(exploration_, *store_);
  EXPECT_EQ(results.numMissing, 5u);
  EXPECT_THAT(exploreTable(results, ShownRows::All), HasSubstr("not computed yet"));
  EXPECT_THAT(exploreCsv(results), HasSubstr("missing,not computed yet"));
}

TEST_F(ReportsTest, CsvQuotesNames) {
  addAll();
  const Results results = collectResults(exploration_, *store_);
  EXPECT_THAT(exploreCsv(results), HasSubstr("\"net,\"\"one\"\"</script><b>\",e256-"));
  EXPECT_THAT(changesCsv(results), testing::StartsWith("network,axis,target_before"));
}

TEST_F(ReportsTest, PageIsOneFileWithEscapedNames) {
  addAll();
  const std::string page = explorePage(collectResults(exploration_, *store_));
  EXPECT_THAT(page, HasSubstr("net,&quot;one&quot;&lt;/script&gt;&lt;b&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr(R"("name":"net,\"one\"\u003c/script>\u003cb>")"));
  EXPECT_THAT(page, Not(HasSubstr("@DATA@")));
  EXPECT_THAT(page, HasSubstr("Copyright (C) 2013 Michael Bostock"));
  for (auto reference : {"src=", "<link rel=\"stylesheet\"", "@import", "url("})
    EXPECT_EQ(page.substr(0, page.find("<script")).find(reference), std::string::npos) << reference;
}

TEST(SlurmScriptTest, QuotesWordsForTheShell) {
  SlurmJob job;
  job.arguments = {"explore", "--models", "it's a net.tflite", "$HOME"};
  job.tasks = 4;
  const std::string script = slurmScript(job, "/opt/avocet");
  EXPECT_THAT(script, HasSubstr("exec '/opt/avocet' 'explore' '--models' 'it'\\''s a net.tflite' '$HOME' --share "
                                "\"$SLURM_ARRAY_TASK_ID/4\" --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n"));
  EXPECT_THAT(script, testing::StartsWith("#!/bin/sh\n"));
}

TEST(ShareTest, SharesAreDisjointAndComplete) {
  Exploration exploration;
  exploration.space = makeDesignSpace("e256", {"sram.bytes=256K,512K,1M", "dram.bandwidth=1,2,3,4"}).value();
  for (auto name : {"a", "b", "c", "d", "e"})
    exploration.networks.push_back({name, name, {}, name});
  const std::string folder = testing::TempDir() + "/avocet-shares-" + std::to_string(::getpid());
  const ResultStore store = ResultStore::open(folder).value();
  for (size_t count : {1, 3, 5, 7, 100}) {
    std::set<std::pair<size_t, size_t>> seen;
    for (size_t number = 0; number < count; ++number)
      for (const PendingPoint &point : pendingPointsOf(exploration, store, {number, count}))
        EXPECT_TRUE(seen.emplace(point.network, point.target).second);
    EXPECT_EQ(seen.size(), 60u) << count;
  }
  std::filesystem::remove_all(folder);
}

TEST(DurationTextTest, GrowsFromSecondsToHours) {
  EXPECT_EQ(durationText(0.4), "0 s");
  EXPECT_EQ(durationText(59.6), "60 s");
  EXPECT_EQ(durationText(300), "5 min");
  EXPECT_EQ(durationText(7800), "2 h 10 min");
}

} // namespace
} // namespace avocet::tool
