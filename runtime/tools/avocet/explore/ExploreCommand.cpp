//===- ExploreCommand.cpp - avocet explore -------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exploration.h"
#include "ExploreFiles.h"
#include "ExplorePage.h"
#include "ExploreTable.h"
#include "SlurmJob.h"
#include "avocet/base/File.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/base/StandardStreams.h"
#include "model/Optimization.h"
#include "programs/SubcommandProgram.h"

#include <algorithm>
#include <fmt/format.h>
#include <thread>

namespace avocet::tool {
namespace {

struct ExploreOptions {
  std::vector<std::string> models;
  std::string target;
  std::vector<std::string> sets;
  std::string output;
  std::string optimize;
  std::string share;
  ShownRows rows = ShownRows::Front;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  bool slurm = false;
  unsigned tasks = 16;
  std::vector<std::string> slurmOptions;
};

constexpr const char *kExamples = R"(Examples:
  avocet explore --models nets --target m512 --set sram.bytes=256K,512K,1M -o out
                                       every network in nets on three targets
  avocet explore --models a.tflite b.tflite --set sram.bytes=1M,2M --set dram.bandwidth=0.5,1,2 -o out
                                       all combinations: six targets, from e256
  avocet explore --models nets --set sram.bytes=1M,2M -o out --rows all
                                       print all rows, not only those on the front
  avocet explore --models nets --set sram.bytes=1M,2M -o out --slurm --slurm-option=--partition=long
                                       the same as one array job of a Slurm cluster
Keys of --set are those of target files: clockHz, mac.cores, sram.bytes, dram.bandwidth, ... Rates are numbers such as 4, 0.5 or 3/2.
Values of keys that end in bytes accept K, M and G. A combination that no device can have, or a network that cannot run on a target,
is a row with the reason.
The directory gets explore.html, explore.csv, explore.json, changes.csv (layers with another schedule on the next target of an axis),
targets/ (a file for each target, for 'avocet run -t') and results/ (one line for each point). A run that was ended goes on when it
is started again, and further values or networks cost only the points that are new.
In tables, 'x best' is the multiple of the network's fewest cycles, and * marks the front: the points that no other point of
the network beats in cycles, energy, bytes of SRAM and off-chip bandwidth together.)";

Result<Share> parseShare(const std::string &text) {
  if (text.empty())
    return Share{};
  const size_t slash = std::min(text.find('/'), text.size());
  const auto number = parseUnsigned(std::string_view(text).substr(0, slash), 0, 1'000'000);
  const auto count = parseUnsigned(std::string_view(text).substr(std::min(slash + 1, text.size())), 1, 1'000'000);
  if (!number || !count || *number >= *count)
    return invalidArgument(
        fmt::format("--share {}: must be a number from 0, '/', and a larger number of shares, such as 0/8", text));
  return Share{*number, *count};
}

/// Levels only: with a time, the results would depend on the host.
Status checkOptimize(const std::string &text) {
  if (text.empty() || (text.size() == 1 && text[0] >= '0' && text[0] <= '3'))
    return Status::ok();
  return invalidArgument(
      fmt::format("--optimize {}: must be a level from 0 to {}; a time would give results that depend "
                  "on the computer's speed",
                  text, compiler::kMostOptimize));
}

Result<Exploration> makeExploration(const ExploreOptions &options, const compiler::LoadedCompiler &compiler) {
  Exploration exploration;
  exploration.directory = options.output;
  AVOCET_RETURN_IF_ERROR(checkOptimize(options.optimize));
  exploration.optimize = options.optimize.empty() ? std::to_string(compiler::kDefaultOptimize) : options.optimize;
  exploration.build = explorationBuild(compiler);
  const std::string target = options.target.empty() ? knobText(knobs::kTarget) : options.target;
  AVOCET_ASSIGN_OR_RETURN(exploration.space, makeDesignSpace(target, options.sets));
  Result<std::vector<Network>> networks = findNetworks(options.models);
  if (!networks)
    return Status(networks.status().code(), "--models " + networks.status().message());
  exploration.networks = std::move(*networks);
  return exploration;
}

Status writeReports(const Results &results, const std::string &directory) {
  AVOCET_RETURN_IF_ERROR(writeFile(directory + "/explore.csv", exploreCsv(results)));
  AVOCET_RETURN_IF_ERROR(writeFile(directory + "/changes.csv", changesCsv(results)));
  AVOCET_RETURN_IF_ERROR(writeFile(directory + "/explore.json", exploreJson(results)));
  return writeFile(directory + "/explore.html", explorePage(results));
}

/// The command line of one task, except for its share.
std::vector<std::string> taskArguments(const ExploreOptions &options, const Exploration &exploration) {
  std::vector<std::string> arguments = {"--models"};
  for (const Network &network : exploration.networks)
    arguments.push_back(network.path);
  arguments.insert(arguments.end(), {"--output", options.output, "--optimize", exploration.optimize});
  if (!options.target.empty())
    arguments.insert(arguments.end(), {"--target", options.target});
  for (const std::string &set : options.sets)
    arguments.insert(arguments.end(), {"--set", set});
  return arguments;
}

Status computeWithSlurm(const ExploreOptions &options, const Exploration &exploration, ResultStore &store,
                        Progress &progress) {
  const size_t numMissing = pendingPoints(exploration, store).size();
  if (numMissing == 0)
    return Status::ok();
  SlurmJob job;
  job.arguments = taskArguments(options, exploration);
  job.directory = options.output;
  job.options = options.slurmOptions;
  job.tasks = static_cast<unsigned>(std::min<size_t>(options.tasks, numMissing));
  return runSlurmJob(job, exploration, store, progress);
}

Status computeHere(const ExploreOptions &options, const Exploration &exploration,
                   const compiler::LoadedCompiler &compiler, Share share, ResultStore &store, Progress &progress) {
  const std::string writer = options.share.empty() ? "local" : fmt::format("share-{}-of-{}", share.number, share.count);
  AVOCET_RETURN_IF_ERROR(store.startWriting(writer));
  return computePoints(exploration, compiler, pendingPointsOf(exploration, store, share), options.jobs, store,
                       progress);
}

Status explore(const ExploreOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(const Share share, parseShare(options.share));
  AVOCET_ASSIGN_OR_RETURN(const compiler::LoadedCompiler compiler, compiler::LoadedCompiler::load());
  AVOCET_ASSIGN_OR_RETURN(const Exploration exploration, makeExploration(options, compiler));
  AVOCET_ASSIGN_OR_RETURN(ResultStore store, ResultStore::open(exploration.resultFolder()));
  AVOCET_RETURN_IF_ERROR(writeTargets(exploration));
  Progress progress;
  if (options.slurm)
    AVOCET_RETURN_IF_ERROR(computeWithSlurm(options, exploration, store, progress));
  else
    AVOCET_RETURN_IF_ERROR(computeHere(options, exploration, compiler, share, store, progress));
  if (!options.share.empty())
    return Status::ok(); // the reports are written when all shares are done
  const Results results = collectResults(exploration, store);
  AVOCET_RETURN_IF_ERROR(writeReports(results, options.output));
  printOut("{}", exploreTable(results, options.rows));
  if (results.numMissing + results.numFailed > 0)
    return internalError(fmt::format("{} points failed and {} are missing; {}/explore.csv has the reasons; the same "
                                     "command tries them again",
                                     results.numFailed, results.numMissing, options.output));
  return Status::ok();
}

void addSlurmOptions(CommandLine &command, ExploreOptions &options) {
  CommandOption slurm = command.addFlag("--slurm", options.slurm,
                                        "Compute the points as one array job of a Slurm cluster, and wait for it; the "
                                        "output directory must be visible on its nodes");
  slurm.excludes(command.option("--share"));
  addNumber(command, "--tasks", options.tasks, "Tasks of the array job; default: 16", 1, 10'000).needs(slurm);
  command
      .addTexts("--slurm-option", options.slurmOptions,
                "An option for sbatch, such as --slurm-option=--time=10; repeatable")
      .oneEach()
      .valueName("OPTION")
      .needs(slurm);
}

} // namespace

void addExploreCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<ExploreOptions>();
  CommandLine command = addSubcommandOf(app, "explore");
  command.setFooter(kExamples);
  command.addTexts("--models", options->models, "Networks (.tflite, .mlir), or folders with .tflite files")
      .required()
      .valueName("DIR|FILE...");
  command.addText("-o,--output", options->output, "Directory for results and reports").required().valueName("DIR");
  command.addText("-t,--target", options->target,
                  "The target whose figures are changed: a name from 'avocet targets' or a target file; default: e256");
  command
      .addTexts("--set", options->sets,
                "A figure of the target and its values, such as sram.bytes=256K,1M; repeatable: all combinations")
      .oneEach()
      .valueName("KEY=VALUE,...");
  command.addText("--optimize", options->optimize, "Effort for the schedules: 0, 1 (default), 2 or 3")
      .valueName("LEVEL");
  addChoice(command, "--rows", options->rows, "Rows to print; default: front",
            {{"front", ShownRows::Front}, {"all", ShownRows::All}});
  addNumber(command, "-j,--jobs", options->jobs, "Threads; default: one for each processor", 1, 256);
  command
      .addText("--share", options->share,
               "Compute only share K of N, from 0, and write no report: for the tasks of a cluster")
      .valueName("K/N");
  addSlurmOptions(command, *options);
  command.onSelected([options, &action] { action = [options] { return explore(*options); }; });
}

} // namespace avocet::tool
