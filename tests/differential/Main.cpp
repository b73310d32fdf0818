//===- Main.cpp - Random small networks against TensorFlow Lite -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteFunctions.h"
#include "Network.h"
#include "Table.h"
#include "Targets.h"
#include "Tester.h"
#include "Transformers.h"
#include "ViewGraph.h"

#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/StandardStreams.h"

#include <algorithm>
#include <regex>
#include <unistd.h>

namespace avocet::differential {
namespace {

constexpr const char *kDescription = R"(avocetDifferential: random small networks against TensorFlow Lite.

For each operator of the table and each element type: draws models with random shapes, options, quantizations and values,
runs them with Avocet's simulator and with the installed TensorFlow Lite, and compares the outputs. Prints one line for
each operator and type.)";

constexpr const char *kExamples = R"(Examples:
  avocetDifferential                                      20 cases of every operator and type
  avocetDifferential --cases 200 --filter 'CONV_2D/.*'    more of one operator
  avocetDifferential --case CONV_2D/i8/17                 one case
  avocetDifferential --case CONV_2D/i8/17 --save DIR      its model, inputs and expected outputs as files
  avocetDifferential --network model.tflite               a network: the distance of each output
  avocetDifferential --network model.tflite --each        the distances of its operators, each alone
  avocetDifferential --views 1000 --first-seed 5000       random graphs of operators that move elements, on all targets
  avocetDifferential --byte-functions 1000                8-bit functions: 1,000 scales, all inputs
  avocetDifferential --table compiler/docs/TfliteOperators.md     writes the table of operators
Exit code: 0 no difference, 1 differences or errors, 2 the command line is wrong.)";

struct Options {
  uint32_t cases = 20;
  uint32_t views = 0;
  uint64_t firstSeed = 0;
  std::string filter, oneCase, save, saveEncoders, table, network;
  std::vector<std::string> shapes;
  uint32_t byteFunctions = 0;
  bool onlyGenerators = false, isQuiet = false, each = false, stop = false;
};

void describe(CommandLine &line, Options &options) {
  line.setDescription(kDescription);
  line.setFooter(kExamples);
  addNumber(line, "--cases", options.cases, "cases for each operator and type", 1, 1'000'000).showDefault();
  addNumber(line, "--first-seed", options.firstSeed, "seed of the first case; the others follow").showDefault();
  line.addText("--filter", options.filter, "only operators and types that match, as in 'ADD/(i8|u8)'")
      .valueName("REGEX");
  line.addText("--case", options.oneCase, "only this case").valueName("OPERATOR/TYPE/SEED");
  line.addText("--save", options.save, "write the files of the case, or of wrong graphs, to this folder")
      .valueName("DIR");
  line.addText("--save-encoders", options.saveEncoders, "write the encoder blocks to this folder; compares nothing")
      .valueName("DIR");
  line.addText("--table", options.table, "write the table of operators to this file; compares nothing")
      .valueName("FILE");
  CommandOption network =
      line.addText("--network", options.network, "a whole network with random inputs, drawn from --first-seed");
  network.valueName("FILE.tflite");
  line.addTexts("--shape", options.shapes, "shape of an input of the network; repeatable")
      .oneEach()
      .valueName("NAME=EXTENTS")
      .needs(network);
  line.addFlag("--each", options.each, "run each operator of the network alone").needs(network);
  addNumber(line, "--views", options.views,
            "so many graphs of operators that move elements, on each shipped target and one small and slow", 1,
            1'000'000);
  line.addFlag("--stop", options.stop, "end after the first wrong graph of --views");
  addNumber(
      line, "--byte-functions", options.byteFunctions,
      "scales of each function of 8-bit numbers, whose 256 inputs are all compared with the reference's formula; needs "
      "no library",
      1, 1'000'000);
  line.addFlag("--only-generators", options.onlyGenerators, "only check that TensorFlow Lite accepts the models");
  line.addFlag("-q,--quiet", options.isQuiet, "print only what is wrong, and no progress");
}

class Run {
public:
  Run(const Options &options, Oracle &oracle) : options_(options), oracle_(oracle) {}

  Status all() {
    const std::regex pattern(options_.filter.empty() ? ".*" : options_.filter);
    for (const Row &row : allRows())
      for (Kind kind : row.kinds)
        if ((row.draw || !options_.onlyGenerators) && std::regex_match(cellName(row, kind), pattern))
          cell(row, kind);
    printOut("{} cells, {} wrong; {} cases\n", numCells_, numWrong_, numCases_);
    return numWrong_ ? internalError("there are differences") : Status::ok();
  }

private:
  static std::string cellName(const Row &row, Kind kind) {
    return fmt::format("{}/{}", EnumNameBuiltinOperator(row.code), kindName(kind));
  }

  void progress(const std::string &text) const {
    if (!options_.isQuiet && ::isatty(STDERR_FILENO))
      printErr("\r\x1b[K{}", text);
  }

  void cell(const Row &row, Kind kind) {
    Tally tally;
    for (uint32_t i = 0; i < options_.cases; ++i) {
      const CaseName name{&row, kind, options_.firstSeed + i};
      progress(name.text());
      const CaseResult result = options_.onlyGenerators ? checkGenerator(name, oracle_) : runCase(name, oracle_);
      tally.add(name, result);
      ++numCases_;
      if (!result.isImplemented)
        break; // the form does not matter
    }
    progress("");
    ++numCells_;
    numWrong_ += tally.isGood() ? 0 : 1;
    if (!tally.isGood() || !options_.isQuiet)
      printOut("{} {}: {}\n", tally.isGood() ? "ok   " : "WRONG", cellName(row, kind), tally.summary());
    flushStandardOutput();
  }

  const Options &options_;
  Oracle &oracle_;
  uint64_t numCells_ = 0, numWrong_ = 0, numCases_ = 0;
};

Status runOne(const Options &options, Oracle &oracle) {
  AVOCET_ASSIGN_OR_RETURN(const CaseName name, CaseName::parse(options.oneCase));
  if (!options.save.empty())
    AVOCET_RETURN_IF_ERROR(saveCase(name, oracle, options.save));
  Tally tally;
  tally.add(name, runCase(name, oracle));
  printOut("{}\n", tally.summary());
  return tally.isGood() ? Status::ok() : internalError("the case is wrong");
}

/// Prints the distances and judges nothing: whether one matters depends on the network.
Status runNetwork(const Options &options, Oracle &oracle) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<OutputDistance> distances,
                          compareNetwork(options.network, options.shapes, options.firstSeed, oracle));
  for (const OutputDistance &distance : distances)
    printOut("{}: {} of {} elements differ, by at most {:.3g} of {:.3g}\n", distance.name, distance.different,
             distance.elements, distance.greatest, distance.scale);
  return Status::ok();
}

/// The same for each operator alone, in one line for all operators of a code.
Status runOperators(const Options &options, Oracle &oracle) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<OperatorDistances> all,
                          compareOperators(options.network, options.firstSeed, oracle));
  for (const OperatorDistances &own : all) {
    const std::string where = own.different ? fmt::format(" in operator {}", own.worst) : "";
    printOut("{} ({} operators): {} of {} elements differ, by at most {:.3g}{}\n", own.name, own.compared,
             own.different, own.elements, own.greatest, where);
    for (const std::string &skipped : own.skipped)
      printOut("  not compared: {}\n", skipped);
  }
  return Status::ok();
}

/// With the simulator's outputs, which are those of the reference; the library's kernels round otherwise.
Status saveEncoders(const std::string &folder) {
  for (Kind kind : {Kind::F32, Kind::I8, Kind::I16}) {
    const TestModel model = transformerBlock(Transformer::Encoder, kind);
    const DeviceResult result = runOnDevice(model);
    AVOCET_RETURN_IF_ERROR(result.status);
    AVOCET_RETURN_IF_ERROR(saveModel(model, result.outputs, fmt::format("{}/encoder-{}", folder, kindName(kind))));
  }
  return Status::ok();
}

/// Prints what is wrong, and saves the graph's files if that is wanted. Whether the compiler refuses the graph.
Result<bool> isRefused(const Options &options, Kind kind, uint64_t seed, const std::string &target) {
  std::string refusal;
  const Status status = checkViewGraph(kind, seed, target, refusal);
  if (status.isOk())
    return !refusal.empty();
  printOut("WRONG {} {} seed {}: {}\n", target, kindName(kind), seed, status.toString());
  flushStandardOutput();
  if (!options.save.empty())
    AVOCET_RETURN_IF_ERROR(saveModel(viewGraph(kind, seed), viewGraph(kind, seed).expected,
                                     fmt::format("{}/views-{}-{}", options.save, kindName(kind), seed)));
  return internalError("the graph is wrong");
}

/// Expects what the operators say, not what the library computes, and compiles with a source map.
Status runViews(const Options &options) {
  std::vector<std::string> targets(kTargets.begin(), kTargets.end());
  targets.push_back(tightTarget());
  uint32_t wrong = 0, refused = 0;
  for (uint64_t seed = options.firstSeed; seed < options.firstSeed + options.views; ++seed)
    for (const Kind kind : {Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::F32})
      for (const std::string &target : targets) {
        const Result<bool> result = isRefused(options, kind, seed, target);
        if (!result && options.stop)
          return result.status();
        wrong += result ? 0 : 1;
        refused += result && *result ? 1 : 0;
      }
  printOut("{} graphs of 5 types on {} targets, {} wrong, {} refused\n", options.views, targets.size(), wrong, refused);
  return wrong ? internalError("there are differences") : Status::ok();
}

/// The target changes from function to function; a table of bytes does not depend on it.
Status runByteFunctions(const Options &options) {
  size_t wrong = 0, next = 0;
  for (const ByteFunction &function : byteFunctions()) {
    const std::string difference =
        compareByteFunction(function, kTargets[next++ % kTargets.size()], options.firstSeed, options.byteFunctions);
    printOut("{} {}: {} scales{}\n", difference.empty() ? "ok   " : "WRONG", function.name, options.byteFunctions,
             difference.empty() ? "" : "; " + difference);
    flushStandardOutput();
    wrong += difference.empty() ? 0 : 1;
  }
  return wrong ? internalError("there are differences") : Status::ok();
}

Status conduct(const Options &options) {
  if (options.views != 0)
    return runViews(options);
  if (options.byteFunctions != 0)
    return runByteFunctions(options);
  if (!options.table.empty())
    return writeFile(options.table, operatorTable());
  if (!options.saveEncoders.empty())
    return saveEncoders(options.saveEncoders);
  AVOCET_ASSIGN_OR_RETURN(std::string library, findOracle());
  Oracle oracle(std::move(library));
  if (!options.network.empty())
    return options.each ? runOperators(options, oracle) : runNetwork(options, oracle);
  return options.oneCase.empty() ? Run(options, oracle).all() : runOne(options, oracle);
}

} // namespace
} // namespace avocet::differential

static int runMain(int argc, char **argv) {
  using namespace avocet::differential;
  Options options;
  avocet::CommandLine line("");
  describe(line, options);
  return avocet::runProgram(line, argc, argv, [&] { return conduct(options); });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
