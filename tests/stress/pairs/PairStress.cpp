//===- PairStress.cpp - Pairs of artefacts under concurrency and death -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   avocetPairStress [--rounds N] [--reads N] [--flips N] [--cuts N] [--kills N] [--compile MODEL MODEL]
//
// Two writers replace the artefacts in one folder at the same time, in rounds, with two networks of equal structure and
// other constants. Readers must get one of the two pairs, and the pair of one writer must stay. Then single bits of the
// data cache are flipped and its end is cut off: each such file must be refused. Then writers are killed at random
// moments: a reader must find a pair, and the next write must leave no temporary file. With --compile rounds and kills
// are those of processes of 'avocet compile'; otherwise of threads and processes that write by the library.
//
//===----------------------------------------------------------------------===//

#include "Writers.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"

#include <atomic>
#include <random>
#include <thread>

namespace avocet::cache::test {
namespace {

struct Options {
  uint32_t rounds = 100, reads = 100, flips = 200, cuts = 50, kills = 30;
  std::vector<std::string> compile;
  std::string avocet;
};

/// What readers found.
struct Reads {
  std::atomic<uint32_t> all{0}, mixed{0}, failed{0};

  void note(const std::string &folder, const std::vector<Network> &networks) {
    const Result<Artefacts> pair = readArtefacts(folder);
    ++all;
    if (!pair) {
      ++failed;
      printErr("a read failed: {}\n", pair.status().message());
    } else if (!isPairOf(networks, *pair)) {
      ++mixed;
    }
  }
  bool isClean() const { return mixed == 0 && failed == 0; }
};

Status verdict(bool isGood, const std::string &what) { return isGood ? Status::ok() : internalError(what); }

Status writeTogether(const Options &options, const std::string &folder, const std::vector<Network> &networks) {
  Reads during, after;
  std::atomic<bool> isOver = false;
  std::jthread reader([&] {
    while (!isOver || during.all < options.reads) {
      during.note(folder, networks);
      std::this_thread::sleep_for(std::chrono::microseconds(200)); // leaves the processor to the writers
    }
  });
  uint32_t errors = 0;
  for (uint32_t round = 0; round < options.rounds; ++round) {
    Status second;
    std::jthread other([&] { second = networks[1].write(folder); });
    const Status first = networks[0].write(folder);
    other.join();
    for (const Status &status : {first, second})
      if (!status.isOk()) {
        ++errors;
        printErr("a write failed: {}\n", status.message());
      }
    after.note(folder, networks);
  }
  isOver = true;
  reader.join();
  printOut(
      "{} pairs of concurrent writes: {} failed; {} reads meanwhile: {} mixed, {} failed; {} reads after a pair: {} "
      "mixed, {} failed; {} files left\n",
      options.rounds, errors, during.all.load(), during.mixed.load(), during.failed.load(), after.all.load(),
      after.mixed.load(), after.failed.load(), filesIn(folder));
  return verdict(errors == 0 && during.isClean() && after.isClean() && filesIn(folder) == 2,
                 "concurrent writes did not leave one pair");
}

/// How many changed data caches were accepted.
Status damageData(const Options &options, const std::string &folder, std::mt19937 &random) {
  const std::string path = folder + "/data.avod";
  AVOCET_ASSIGN_OR_RETURN(const std::vector<uint8_t> whole, readFile(path));
  uint32_t accepted = 0;
  for (uint32_t i = 0; i < options.flips; ++i) {
    std::vector<uint8_t> damaged = whole;
    damaged[random() % damaged.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    AVOCET_RETURN_IF_ERROR(writeFile(path, damaged));
    accepted += readArtefacts(folder).isOk();
  }
  for (uint32_t i = 0; i < options.cuts; ++i) {
    AVOCET_RETURN_IF_ERROR(writeFile(path, std::span(whole).first(random() % whole.size())));
    accepted += readArtefacts(folder).isOk();
  }
  AVOCET_RETURN_IF_ERROR(writeFile(path, whole));
  printOut("{} flipped bits and {} cuts of {} bytes of data: {} accepted\n", options.flips, options.cuts, whole.size(),
           accepted);
  return verdict(accepted == 0 && readArtefacts(folder).isOk(), "a damaged data cache was accepted");
}

Status killWriters(const Options &options, const std::string &folder, const std::vector<Network> &networks,
                   std::mt19937 &random) {
  Reads reads;
  uint32_t withFiles = 0, afterCommit = 0, notRemoved = 0;
  const auto longest = durationOfWrite(networks[0], folder) * 3;
  for (uint32_t i = 0; i < options.kills; ++i) {
    Victim victim(networks, folder);
    std::this_thread::sleep_for(std::chrono::nanoseconds(random() % static_cast<uint64_t>(longest.count())));
    victim.kill();
    withFiles += filesIn(folder) > 2;
    afterCommit += isBetweenRenames(folder);
    reads.note(folder, networks);
    AVOCET_RETURN_IF_ERROR(networks[i % 2].write(folder));
    notRemoved += filesIn(folder) != 2;
  }
  printOut(
      "{} writers killed, {} with files left, {} of them between both renames; {} reads: {} mixed, {} failed; files "
      "left after the next write: {} times\n",
      options.kills, withFiles, afterCommit, reads.all.load(), reads.mixed.load(), reads.failed.load(), notRemoved);
  return verdict(reads.isClean() && notRemoved == 0, "killed writers left no pair, or files");
}

Status runAll(const Options &options) {
  std::mt19937 random(1);
  AVOCET_ASSIGN_OR_RETURN(const TemporaryFolder folder, TemporaryFolder::make());
  const std::string out = folder.path() + "/out";
  std::vector<Network> networks = {libraryNetwork(3), libraryNetwork(4)};
  if (!options.compile.empty()) {
    if (options.compile.size() != 2)
      return invalidArgument("--compile: give two models");
    networks = {compiledNetwork(options.avocet, options.compile[0]),
                compiledNetwork(options.avocet, options.compile[1])};
  }
  for (Network &network : networks)
    AVOCET_RETURN_IF_ERROR(network.learn(out));
  AVOCET_RETURN_IF_ERROR(writeTogether(options, out, networks));
  AVOCET_RETURN_IF_ERROR(damageData(options, out, random));
  return killWriters(options, out, networks, random);
}

int runMain(int argc, char **argv) {
  Options options;
  CommandLine line("Replaces pairs of artefacts concurrently, damages them, and kills their writers.");
  addNumber(line, "--rounds", options.rounds, "Pairs of concurrent writes");
  addNumber(line, "--reads", options.reads, "Least number of reads during the writes");
  addNumber(line, "--flips", options.flips, "Single bits of the data cache that are flipped");
  addNumber(line, "--cuts", options.cuts, "Truncations of the data cache");
  addNumber(line, "--kills", options.kills, "Writers that are killed");
  CommandOption compile =
      line.addTexts("--compile", options.compile, "Write by processes of 'avocet compile' of this model; twice")
          .oneEach();
  line.addText("--avocet", options.avocet, "The program avocet").needs(compile);
  return runProgram(line, argc, argv, std::function<Status()>([&] { return runAll(options); }));
}

} // namespace
} // namespace avocet::cache::test

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, avocet::cache::test::runMain); }
