//===- AvocetOpt.cpp - Runs passes on modules -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like mlir-opt, with the dialects and passes of this compiler:
//   avocet-opt --avocet-compile="target=e256 stop-after=place" model.mlir
//
//===----------------------------------------------------------------------===//

#include "ToolStreams.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/compiler/Pipeline/Phases.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <new>
#include <string>
#include <vector>

using namespace mlir;

using llvm::StringRef;
using mlir::PassInfo;

namespace {

enum class Group { Input, Text, Print, Debug, Hidden };

llvm::cl::OptionCategory &categoryOf(Group group) {
  static llvm::cl::OptionCategory categories[] = {llvm::cl::OptionCategory("1. Input, output and pipeline"),
                                                  llvm::cl::OptionCategory("2. Text of the output"),
                                                  llvm::cl::OptionCategory("3. IR between passes"),
                                                  llvm::cl::OptionCategory("4. Time, statistics and reproducers")};
  return categories[static_cast<size_t>(group)];
}

/// Options whose names start with `prefix`. The first group that fits counts.
struct OptionGroup {
  StringRef prefix;
  Group group; ///< Hidden: only in --help-hidden
};

constexpr OptionGroup kOptionGroups[] = {
    {"mlir-print-ir-", Group::Print},
    {"mlir-print-stacktrace-", Group::Hidden},
    {"mlir-print-debug-counter", Group::Hidden},
    {"mlir-print-op-on-diagnostic", Group::Debug},
    {"mlir-print-", Group::Text},
    {"mlir-elide-", Group::Text},
    {"mlir-pretty-debuginfo", Group::Text},
    {"mlir-use-nameloc-", Group::Text},
    {"mlir-timing", Group::Debug},
    {"mlir-output-format", Group::Debug},
    {"mlir-pass-", Group::Debug},
    {"mlir-generate-reproducer", Group::Debug},
    {"mlir-disable-threading", Group::Debug},
    {"run-reproducer", Group::Debug},
    {"verify-", Group::Input},
    {"split-input-file", Group::Input},
    {"output-split-marker", Group::Input},
    {"allow-unregistered-dialect", Group::Input},
    {"no-implicit-module", Group::Input},
    {"emit-bytecode", Group::Input},
    {"pass-pipeline", Group::Input},
    {"dump-pass-pipeline", Group::Input},
    {"list-passes", Group::Input},
    {"show-dialects", Group::Input},
    {"load-", Group::Input},
    // Actions and counters: for work on MLIR itself.
    {"mlir-", Group::Hidden},
    {"irdl-file", Group::Hidden},
    {"log-", Group::Hidden},
    {"profile-actions-to", Group::Hidden},
    {"elide-resource-data-from-bytecode", Group::Hidden},
};

/// Passes whose flags start with `prefix`, in the order of the phases. The last group has all others.
struct PassGroup {
  StringRef title, prefix;
};

constexpr PassGroup kPassGroups[] = {
    {"Phases of the compiler", "avocet-"},         {"Passes from TOSA to nn", "convert-tosa-to-"},
    {"Passes on the dialect nn", "nn-"},           {"Passes from nn to npu", "convert-nn-to-"},
    {"Passes from nn to npu", "compress-weights"}, {"Passes on the dialect npu", "npu-"},
    {"Passes from npu to cmd", "convert-npu-to-"}, {"Passes of MLIR", ""},
};

const PassGroup &groupOf(StringRef flag) {
  return *llvm::find_if(kPassGroups, [&](const PassGroup &group) { return flag.starts_with(group.prefix); });
}

/// The flags of all passes, sorted. MLIR has no list of its registry; each flag is an option, though.
std::vector<std::string> passFlags() {
  std::vector<std::string> flags;
  for (const auto &option : llvm::cl::getRegisteredOptions())
    if (PassInfo::lookup(option.first))
      flags.push_back(option.first.str());
  llvm::sort(flags);
  return flags;
}

/// Options of no group come from LLVM's code generators, which a program with shared LLVM libraries contains.
void hideIfGeneral(llvm::cl::Option &option) {
  if (llvm::is_contained(option.Categories, &llvm::cl::getGeneralCategory()))
    option.setHiddenFlag(llvm::cl::Hidden);
}

void groupOptions() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions()) {
    if (PassInfo::lookup(name)) { // the one option of all passes; printHelp() lists them
      option->setHiddenFlag(llvm::cl::Hidden);
      continue;
    }
    auto group = llvm::find_if(kOptionGroups, [&](const OptionGroup &each) { return name.starts_with(each.prefix); });
    if (name == "o")
      option->addCategory(categoryOf(Group::Input));
    else if (group == std::end(kOptionGroups))
      hideIfGeneral(*option);
    else if (group->group == Group::Hidden)
      option->setHiddenFlag(llvm::cl::Hidden);
    else
      option->addCategory(categoryOf(group->group));
  }
}

} // namespace

namespace avocet::compiler {
namespace {

/// Whether the command line asks for --help.
bool wantsHelp(int argc, char **argv) {
  return std::any_of(argv + 1, argv + argc, [](StringRef each) { return each == "--help" || each == "-help"; });
}

/// Prints the options in groups, without those for work on MLIR itself, which --help-hidden has. Then the passes in
/// groups by the dialect on which they work. All options and passes must be registered.
void printHelp() {
  constexpr size_t kIndent = 2, kDescription = 34;
  groupOptions();
  llvm::cl::PrintHelpMessage(/*Hidden=*/false, /*Categorized=*/true);
  const std::vector<std::string> flags = passFlags();
  StringRef title;
  for (const PassGroup &group : kPassGroups) {
    for (const std::string &flag : flags) {
      if (&groupOf(flag) != &group)
        continue;
      if (title != group.title)
        llvm::outs() << "\n" << group.title << ":\n\n";
      title = group.title;
      PassInfo::lookup(flag)->printHelpStr(kIndent, kDescription);
    }
  }
  llvm::outs()
      << "\nThe reference of passes with the IR before and after each is generated by the target avocetDocs.\n";
}

} // namespace

} // namespace avocet::compiler

namespace {

/// Same as MlirOptMain(argc, argv, ...), with the nesting check between opening and parsing.
LogicalResult run(int argc, char **argv) {
  DialectRegistry registry;
  avocet::compiler::registerDialects(registry);
  avocet::compiler::registerPasses();
  const std::string overview = registerCLIOptions(
      "Runs passes of the Avocet compiler on modules\n" + avocet::compiler::kBytecodeHelp.str(), registry);
  if (avocet::compiler::wantsHelp(argc, argv)) {
    parseCLIOptions(1, argv, overview); // registers the last options
    avocet::compiler::printHelp();
    return success();
  }
  auto [input, output] = parseCLIOptions(argc, argv, overview);
  const MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // These print lists and read no input.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return MlirOptMain(argc, argv, input, output, registry);
  std::unique_ptr<llvm::MemoryBuffer> buffer = avocet::compiler::openChecked(input);
  std::string message;
  auto file = buffer ? openOutputFile(output, &message) : nullptr;
  if (!message.empty())
    llvm::errs() << message << "\n";
  if (!file || failed(MlirOptMain(file->os(), std::move(buffer), registry, config)))
    return failure();
  file->keep();
  return success();
}

} // namespace

static int runMain(int argc, char **argv) {
  avocet::compiler::prepareTool("avocet-opt");
  llvm::InitLLVM init(argc, argv);
  std::set_new_handler(nullptr); // that of LLVM ends the program by abort()
  return asMainReturnCode(run(argc, argv));
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
