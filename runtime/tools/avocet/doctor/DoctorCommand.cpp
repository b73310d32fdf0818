//===- DoctorCommand.cpp - avocet doctor ----------------------------- -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"
#include "avocet/base/CleanText.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/documents/SchemaVersions.h"
#include "avocet/runtime/KernelBackend.h"
#include "output/TextTable.h"
#include "programs/SubcommandProgram.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace avocet::tool {
namespace {

constexpr const char *kFooter = R"(States:
  good    works
  absent  is not there; only the uses that its line names need it
  note    harms nothing, and may not be what you meant
  bad     is there and does not work
The exit code is 1 if something is bad. Give the output with each report of a problem.
Examples:
  avocet doctor
  avocet doctor --json > machine.json
  avocet doctor --socket /tmp/avocetd.sock       a service at another place)";

constexpr const char *stateOf(Health health) {
  switch (health) {
  case Health::Good:
    return "good";
  case Health::Absent:
    return "absent";
  case Health::Note:
    return "note";
  case Health::Bad:
    break;
  }
  return "bad";
}

struct DoctorOptions {
  std::string socket = knobText(knobs::kSocket);
  std::string nodes = runtime::kKernelNodes;
  uint32_t seconds = 10;
  bool json = false;
};

std::vector<Finding> examine(const DoctorOptions &options) {
  std::vector<Finding> all = checkInstalledFiles();
  for (std::vector<Finding> part : {checkEnvironment(), checkKernelDevices(options.nodes), checkPlugins(),
                                    checkServices(options.socket, std::chrono::seconds(options.seconds))})
    std::ranges::move(part, std::back_inserter(all));
  return all;
}

void printTable(const std::vector<Finding> &findings) {
  TextTable table;
  constexpr size_t kLeastText = 20;
  table.addColumn("subject", TextTable::Align::Left);
  table.addColumn("state", TextTable::Align::Left);
  table.addColumn("found, and -> what to do", TextTable::Align::Left).wrapTo(kLeastText);
  for (const Finding &finding : findings) {
    table.addRow({finding.subject, stateOf(finding.health), cleanMessage(finding.found)});
    if (!finding.advice.empty())
      table.addRow({"", "", "-> " + finding.advice});
  }
  printOut("{}", table.toString());
}

void printJson(const std::vector<Finding> &findings) {
  nlohmann::json json = {{documents::kSchemaVersionKey, documents::kDoctorSchema},
                         {"findings", nlohmann::json::array()}};
  for (const Finding &finding : findings)
    json["findings"].push_back({{"subject", finding.subject},
                                {"state", stateOf(finding.health)},
                                {"found", finding.found},
                                {"advice", finding.advice}});
  printOut("{}\n", cleanJson(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace)));
}

Status diagnose(const DoctorOptions &options) {
  const std::vector<Finding> findings = examine(options);
  if (options.json)
    printJson(findings);
  else
    printTable(findings);
  const auto bad = std::ranges::count(findings, Health::Bad, &Finding::health);
  if (bad == 0)
    return Status::ok();
  return failedPrecondition(fmt::format("{} of {} subjects do not work", bad, findings.size()));
}

} // namespace

void addDoctorCommand(CommandLine &app, Action &action) {
  CommandLine command = addSubcommandOf(app, "doctor");
  auto options = std::make_shared<DoctorOptions>();
  command
      .addText("--socket", options->socket,
               "Where the service listens, or the folder of a registry of several (avocetd --registry)")
      .showDefault();
  command.addText("--devices", options->nodes, "Folder of the device nodes of the kernel").showDefault();
  addNumber(command, "--timeout", options->seconds, "Seconds to wait for each answer of a service", 1, 3600)
      .showDefault();
  command.addFlag("--json", options->json, "Print JSON, for programs");
  addWideOption(command);
  command.setFooter(kFooter);
  command.onSelected([&action, options] { action = [options] { return diagnose(*options); }; });
}

} // namespace avocet::tool
