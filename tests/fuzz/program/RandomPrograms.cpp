//===- RandomPrograms.cpp -----------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programs of calls of a fuzz target without libFuzzer, for all presets: inputs are random bytes, or those of files.
//
//   PROGRAM [--seconds N | --runs N] [--seed N] [FILE...]

#include "Program.h"

#include "avocet/base/GuardedMain.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  long seconds = 0, runs = 200;
  unsigned long seed = 1;
  std::vector<std::vector<uint8_t>> inputs;
};

Options optionsOf(int count, char **arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (i + 1 < count && name == "--seconds")
      options.seconds = std::strtol(arguments[++i], nullptr, 10);
    else if (i + 1 < count && name == "--runs")
      options.runs = std::strtol(arguments[++i], nullptr, 10);
    else if (i + 1 < count && name == "--seed")
      options.seed = std::strtoul(arguments[++i], nullptr, 10);
    else {
      std::ifstream file(arguments[i], std::ios::binary);
      options.inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  }
  return options;
}

/// A random input, or a known one with some bytes changed.
std::vector<uint8_t> makeInput(const Options &options, std::mt19937_64 &random) {
  std::vector<uint8_t> input(64 + random() % 700);
  if (!options.inputs.empty() && random() % 2 == 0) {
    input = options.inputs[random() % options.inputs.size()];
    for (int i = 0; i < 4 && !input.empty(); ++i)
      input[random() % input.size()] = static_cast<uint8_t>(random());
    return input;
  }
  for (uint8_t &byte : input)
    byte = static_cast<uint8_t>(random());
  return input;
}

int runMain(int count, char **arguments) {
  avocet::fuzz::prepareProcess();
  const Options options = optionsOf(count, arguments);
  std::mt19937_64 random(options.seed);
  for (const std::vector<uint8_t> &input : options.inputs)
    avocet::fuzz::performProgram(input);
  const Clock::time_point end = Clock::now() + std::chrono::seconds(options.seconds);
  long runs = 0;
  for (; options.seconds != 0 ? Clock::now() < end : runs < options.runs; ++runs) {
    const std::vector<uint8_t> input = makeInput(options, random);
    // Kept, so that it is there if the process ends in it.
    if (const char *path = std::getenv("AVOCET_LAST_INPUT"))
      std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(input.data()), std::ssize(input));
    avocet::fuzz::performProgram(input);
  }
  std::printf("%ld programs of calls\n", runs);
  return 0;
}

} // namespace

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
