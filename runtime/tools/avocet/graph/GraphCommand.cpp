//===- GraphCommand.cpp - avocet graph --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CleanText.h"
#include "avocet/base/File.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/GraphDump.h"
#include "avocet/hal/types/Utils.h"
#include "avocet/hal/types/Validation.h"
#include "avocet/hal/vectors/VectorFile.h"
#include "output/Progress.h"
#include "output/TextTable.h"
#include "programs/SubcommandProgram.h"

#include <fmt/format.h>
#include <optional>

namespace avocet::tool {
namespace {

using namespace hal::conformance;

struct GraphOptions {
  std::string path;
  std::string name;
  std::string output = "-";
  std::optional<hal::Version> version;
  bool check = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet graph relu.nntv | dot -Tsvg -o relu.svg      a picture of the only model of a file
  avocet graph vectors --case add_1 -o add.dot        the model of the only case whose name contains 'add_1'
  avocet graph relu.nntv --hal 1.0 -o old.dot         the model as HAL 1.0 expresses it
  avocet graph relu.nntv --check                      the HAL versions that can express the model, and why others cannot
  avocet graph vectors --check --hal 1.2              the same question about one version and all models
With --check, the exit code is 1 if a model cannot be expressed in the version of --hal.
'avocetd --dump-models DIR' writes the graph of each model that its clients prepare.)";

/// The cases whose names contain the text of --case.
Result<std::vector<CaseRef>> chosenCases(const GraphOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(std::vector<CaseRef> cases, findCases(options.path));
  std::erase_if(cases, [&](const CaseRef &ref) {
    return ref.file->info(ref.index).name.find(options.name) == std::string::npos;
  });
  if (cases.empty())
    return notFound(fmt::format("no case in {} has '{}' in its name", options.path, options.name));
  return cases;
}

Result<TestCase> load(const CaseRef &ref) { return ref.file->make(ref.index, Form::AsWritten); }

/// The model as the version of --hal expresses it; the conversion warns of what that drops.
Result<hal::Model> inVersion(TestCase test, const GraphOptions &options) {
  if (!options.version)
    return std::move(test.model);
  hal::Result<hal::Converted<hal::Model>> converted = hal::convertTo(test.model, *options.version);
  if (!converted)
    return invalidArgument(fmt::format("{}: {}", cleanLine(test.info.name), converted.error().message));
  return std::move(converted->value);
}

Status printGraph(const std::vector<CaseRef> &cases, const GraphOptions &options) {
  if (cases.size() != 1)
    return invalidArgument(fmt::format("{} holds {} models of this name; choose one with --case NAME ('{}'), or ask "
                                       "about all with --check",
                                       options.path, cases.size(), cases[0].file->info(cases[0].index).name));
  AVOCET_ASSIGN_OR_RETURN(TestCase test, load(cases[0]));
  const std::string name = test.info.name;
  AVOCET_ASSIGN_OR_RETURN(const hal::Model model, inVersion(std::move(test), options));
  return writeFile(options.output, hal::graphDump(name, model));
}

/// All versions for one model.
Status reportVersions(const CaseRef &ref) {
  AVOCET_ASSIGN_OR_RETURN(const TestCase test, load(ref));
  printOut("{}\n{}", test.info.name, hal::versionReport(test.model));
  return Status::ok();
}

/// "1.2", or "invalid" for a model that breaks a rule of the HAL.
std::string neededVersion(const hal::Model &model) {
  const hal::Result<hal::Version> needed = hal::validate(model);
  return needed ? toString(*needed) : "invalid";
}

/// One row for each model; with --hal the answer for that version.
Status reportModels(const std::vector<CaseRef> &cases, const GraphOptions &options) {
  TextTable table;
  constexpr size_t kLeastName = 20, kLeastAnswer = 24;
  table.addColumn("model", TextTable::Align::Left, 60).cutTo(kLeastName);
  table.addColumn("operations", TextTable::Align::Right);
  table.addColumn("needs", TextTable::Align::Left);
  if (options.version)
    table.addColumn("in " + toString(*options.version), TextTable::Align::Left).wrapTo(kLeastAnswer);
  size_t refused = 0;
  Progress progress;
  for (const CaseRef &ref : cases) {
    progress.count("checking", table.numRows(), cases.size());
    AVOCET_ASSIGN_OR_RETURN(const TestCase test, load(ref));
    std::vector<std::string> row = {test.info.name, std::to_string(test.model.main.operations.size()),
                                    neededVersion(test.model)};
    if (options.version) {
      hal::VersionAnswer answer = hal::answerFor(test.model, *options.version);
      refused += !answer.isExpressible;
      row.push_back(std::move(answer.text));
    }
    table.addRow(std::move(row));
  }
  progress.clear();
  printOut("{}", table.toString());
  if (refused == 0)
    return Status::ok();
  return invalidArgument(fmt::format("{} of {} models cannot be expressed in version {}", refused, cases.size(),
                                     toString(*options.version)));
}

Status graph(const GraphOptions &options) {
  AVOCET_ASSIGN_OR_RETURN(const std::vector<CaseRef> cases, chosenCases(options));
  if (!options.check)
    return printGraph(cases, options);
  if (cases.size() == 1 && !options.version)
    return reportVersions(cases[0]);
  return reportModels(cases, options);
}

/// "1.2", "aidl3"
Choices<hal::Version> versionNames() {
  Choices<hal::Version> names;
  for (hal::Version version : hal::allVersions()) {
    const bool isHidl = version < hal::Version::AidlV1;
    const uint32_t number = static_cast<uint32_t>(version) - static_cast<uint32_t>(hal::Version::AidlV1) + 1;
    names.emplace_back(isHidl ? toString(version) : fmt::format("aidl{}", number), version);
  }
  return names;
}

} // namespace

void addGraphCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<GraphOptions>();
  CommandLine command = addSubcommandOf(app, "graph");
  command.setFooter(kExamples);
  command.addText("path", options->path, "File with NNAPI test vectors (.nntv), or a folder of them").required();
  command.addText("--case", options->name, "Only models whose name (bucket/spec/case) contains this text");
  addChoice(command, "--hal", options->version, "Version of the HAL to convert the model to, or to check",
            versionNames());
  command.addFlag("--check", options->check, "Print which versions of the HAL can express the model");
  command.addText("-o,--output", options->output,
                  "File for the graph in Graphviz's language; default: - (the standard output)");
  addWideOption(command);
  command.onSelected([options, &action] { action = [options] { return graph(*options); }; });
}

} // namespace avocet::tool
