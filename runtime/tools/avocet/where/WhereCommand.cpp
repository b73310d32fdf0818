//===- WhereCommand.cpp - avocet where --------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WhereJson.h"
#include "WhereText.h"
#include "programs/SubcommandProgram.h"

#include "avocet/base/ParseNumber.h"
#include "avocet/base/StandardStreams.h"

#include <fmt/format.h>

namespace avocet::tool {
namespace {

struct WhereOptions {
  std::string model;
  std::string target;
  bool trustData = false;
  std::optional<uint64_t> cycle;
  std::string command;
  std::string address;
  std::string layer;
  std::optional<uint64_t> constant;
  bool json = false;
};

constexpr const char *kExamples = R"(Examples:
  avocet where out --cycle 120000                  what each engine does in this cycle
  avocet where out --command mac:123               tile, layer, operator and buffers of a command
  avocet where out --address sram:0x1f40@120000    what is at an address, and who wrote it
  avocet where out --address constants:0x200       the same for constants; also: input0, output0, scratch
  avocet where out --layer conv1                   operators, commands and cycles of a layer (a part of its name)
  avocet where out --constant 512                  which layer reads a byte of the data cache
  avocet where out --cycle 120000 --json           the same for a program
Artefacts need a source map: avocet compile MODEL -g -o out. A model file is compiled with one.
Names of commands are those of 'avocet inspect': the engine and the number in its stream. A network with branches or loops is
several sections, such as 2 of the command mac.2:5. Which of them run, and how often, is that of random inputs (seed 1), or of
false conditions if a loop does not end with these. A command has the cycles of the first run of its section, or of the run in
which the cycle is.)";

struct Address {
  std::string space;
  uint64_t offset = 0;
  std::optional<uint64_t> cycle;
};

std::optional<uint64_t> parseNumber(std::string_view text) {
  const Result<uint64_t> number = parseUnsigned(text, 0, UINT64_MAX);
  return number ? std::optional(*number) : std::nullopt;
}

Result<Address> parseAddress(std::string_view text) {
  const size_t colon = text.find(':'), at = text.find('@');
  const bool hasCycle = at != std::string_view::npos;
  if (colon != std::string_view::npos && (!hasCycle || colon < at)) {
    const auto offset = parseNumber(text.substr(colon + 1, hasCycle ? at - colon - 1 : at));
    const auto cycle = hasCycle ? parseNumber(text.substr(at + 1)) : std::nullopt;
    if (offset && (cycle || !hasCycle))
      return Address{std::string(text.substr(0, colon)), *offset, cycle};
  }
  return invalidArgument(fmt::format("--address {}: must be a memory, ':', a byte, and possibly '@' and a cycle, such "
                                     "as sram:0x1f40@120000",
                                     text));
}

Result<WhereAnswer> answer(const WhereReport &report, const WhereOptions &options) {
  if (options.cycle)
    return report.ofCycle(*options.cycle);
  if (!options.command.empty())
    return report.ofCommand(options.command);
  if (!options.layer.empty())
    return report.ofLayer(options.layer);
  if (options.constant)
    return report.ofAddress("constants", *options.constant, {});
  AVOCET_ASSIGN_OR_RETURN(Address address, parseAddress(options.address));
  return report.ofAddress(address.space, address.offset, address.cycle);
}

Status where(const WhereOptions &options) {
  const int questions = options.cycle.has_value() + !options.command.empty() + !options.address.empty() +
                        !options.layer.empty() + options.constant.has_value();
  if (questions != 1)
    return invalidArgument("give one of --cycle, --command, --address, --layer and --constant");
  Progress progress;
  ModelChoice choice{options.model, options.target, ""};
  choice.trustData = options.trustData;
  choice.sourceMap = true;
  AVOCET_ASSIGN_OR_RETURN(LoadedModel model, loadModel(choice, DiagnosticsFormat::Text, progress));
  AVOCET_ASSIGN_OR_RETURN(WhereReport report, WhereReport::open(model));
  AVOCET_ASSIGN_OR_RETURN(const WhereAnswer found, answer(report, options));
  const CommandDetail detail = options.command.empty() ? CommandDetail::Summary : CommandDetail::Buffers;
  printOut("{}", options.json ? whereJson(report, found) : whereText(report, found, detail));
  return Status::ok();
}

} // namespace

void addWhereCommand(CommandLine &app, Action &action) {
  auto options = std::make_shared<WhereOptions>();
  CommandLine command = addSubcommandOf(app, "where");
  command.setFooter(kExamples);
  command.addText("model", options->model, "Directory of artefacts with a source map, or a model file").required();
  command.addText("-t,--target", options->target, kRunTargetHelp);
  addUnsigned(
      command, "--cycle", [options](uint64_t cycle) { options->cycle = cycle; }, "A cycle of a run on an idle device",
      0, UINT64_MAX);
  command.addText("--command", options->command, "A command, such as mac:123 or dma0:5").valueName("ENGINE:NUMBER");
  command.addText("--address", options->address, "A byte of a memory, in a cycle or at any time")
      .valueName("MEMORY:BYTE[@CYCLE]");
  command.addText("--layer", options->layer, "A layer: its number, its name or a part of it").valueName("LAYER");
  addUnsigned(
      command, "--constant", [options](uint64_t byte) { options->constant = byte; }, "A byte of the data cache", 0,
      UINT64_MAX);
  addTrustDataOption(command, options->trustData);
  command.addFlag("--json", options->json, "Print JSON, for programs");
  command.onSelected([options, &action] { action = [options] { return where(*options); }; });
}

} // namespace avocet::tool
