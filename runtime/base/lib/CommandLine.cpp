//===- CommandLine.cpp - Options and exit codes of all programs -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CommandLine.h"

#include "avocet/base/Knobs.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/base/StandardStreams.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace avocet {
namespace {

/// CLI11's name is the path that started the program, if it has no other name.
std::string nameOf(const CLI::App &app) { return std::filesystem::path(app.get_name()).filename().string(); }

void printError(const CLI::App &app, std::string_view message) { printErr("{}: error: {}\n", nameOf(app), message); }

/// A check that replaces the text by the number in plain digits, so that CLI11's own conversion cannot read it
/// differently ("010" as octal).
template <typename Parse> ValueCheck numberCheck(std::string shown, Parse parse) {
  CLI::Validator check("");
  check.operation([parse](std::string &text) {
    auto value = parse(text);
    if (!value)
      return value.status().message();
    text = fmt::format("{}", *value);
    return std::string();
  });
  return {std::move(check), std::move(shown)};
}

/// "N", or "N from 1 to 9" unless only the type bounds it.
template <typename T> std::string rangeText(std::string_view name, T least, T most) {
  constexpr auto kLargest32 = static_cast<T>(std::numeric_limits<uint32_t>::max());
  return most >= kLargest32 ? std::string(name) : fmt::format("{} from {} to {}", name, least, most);
}

/// 0 is kept only if all output was written.
int finish(const CLI::App &app, int code) {
  const Status status = finishStandardOutput();
  if (status.isOk() || code != kExitOk)
    return code;
  printError(app, status.message());
  return kExitFailed;
}

/// CLI11 does not list the subcommands that there are.
bool lacksSubcommand(const CLI::App &app, const CLI::ParseError &error) {
  return error.get_name() == "RequiredError" && app.get_subcommands().empty() && app.get_require_subcommand_min() > 0;
}

void reportSubcommand(const CLI::App &app, int argc, const char *const *argv) {
  std::vector<std::string> names;
  for (const CLI::App *subcommand : app.get_subcommands([](const CLI::App *) { return true; }))
    names.push_back(subcommand->get_name());
  const std::string problem = argc > 1 ? fmt::format("'{}' is no subcommand", argv[1]) : "a subcommand is missing";
  printError(app, fmt::format("{}, must be one of: {}", problem, fmt::join(names, ", ")));
}

/// Help goes to the standard output, what is wrong with the command line to the standard error stream.
int report(const CLI::App &app, const CLI::ParseError &error) {
  std::ostringstream output, errors;
  const bool isHelp = app.exit(error, output, errors) == static_cast<int>(CLI::ExitCodes::Success);
  printOut("{}", output.str());
  if (!errors.str().empty())
    printErr("{}", errors.str());
  return isHelp ? finish(app, kExitOk) : static_cast<int>(kExitUsage);
}

int parseAndWork(CLI::App &app, int argc, const char *const *argv, const std::function<int()> &work) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (lacksSubcommand(app, error)) {
      reportSubcommand(app, argc, argv);
      return kExitUsage;
    }
    return report(app, error);
  }
  // After parsing, so that --help works with any environment.
  if (Status knobs = checkKnobs(); !knobs.isOk()) {
    printError(app, knobs.message());
    return kExitUsage;
  }
  return finish(app, work());
}

} // namespace

ValueCheck unsignedCheck(uint64_t least, uint64_t most) {
  return numberCheck(rangeText("N", least, most),
                     [least, most](std::string_view text) { return parseUnsigned(text, least, most); });
}

ValueCheck signedCheck(int64_t least, int64_t most) {
  return numberCheck(rangeText("N", least, most),
                     [least, most](std::string_view text) { return parseSigned(text, least, most); });
}

ValueCheck realCheck(double least, double most) {
  return numberCheck(rangeText("X", least, most),
                     [least, most](std::string_view text) { return parseReal(text, least, most); });
}

ValueCheck byteCheck(uint64_t least, uint64_t most) {
  return numberCheck("BYTES", [least, most](std::string_view text) { return parseBytes(text, least, most); });
}

ValueCheck choiceCheck(const std::vector<std::pair<std::string, std::string>> &namesAndValues) {
  std::vector<std::string> names;
  for (const auto &[name, value] : namesAndValues)
    names.push_back(name);
  CLI::Validator check("");
  check.operation([namesAndValues, names](std::string &text) {
    for (const auto &[name, value] : namesAndValues)
      if (name == text) {
        text = value;
        return std::string();
      }
    return fmt::format("'{}' must be one of: {}", text, fmt::join(names, ", "));
  });
  return {std::move(check), fmt::format("{}", fmt::join(names, "|"))};
}

CLI::Option *apply(CLI::Option *option, ValueCheck check) {
  return option->transform(std::move(check.validator))->type_name(check.shown);
}

int runProgram(CLI::App &app, int argc, const char *const *argv, const std::function<int()> &work) {
  prepareStandardStreams();
  app.set_version_flag("--version", fmt::format("{} {}", nameOf(app), AVOCET_VERSION), "Print the version and exit");
  return parseAndWork(app, argc, argv, work);
}

int runProgram(CLI::App &app, int argc, const char *const *argv, const std::function<Status()> &work) {
  return runProgram(app, argc, argv, std::function<int()>([&] {
                      const Status status = work();
                      if (status.isOk())
                        return static_cast<int>(kExitOk);
                      printError(app, status.message().empty() ? toString(status.code()) : status.message());
                      return static_cast<int>(kExitFailed);
                    }));
}

} // namespace avocet
