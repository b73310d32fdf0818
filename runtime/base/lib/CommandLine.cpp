//===- CommandLine.cpp - Options and exit codes of all programs -----------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CommandLine.h"
#include "avocet/base/CleanText.h"

#include "avocet/base/CommandDescription.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/ParseNumber.h"
#include "avocet/base/StandardStreams.h"
#include "avocet/base/Terminal.h"
#include "avocet/base/Version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <unistd.h>

namespace avocet {
namespace {

/// CLI11's name is the path that started the program, if it has no other name.
std::string nameOf(const CLI::App &app) { return std::filesystem::path(app.get_name()).filename().string(); }

void printError(const CLI::App &app, std::string_view message) {
  printErr("{}: error: {}\n", nameOf(app), cleanMessage(message));
}

/// Lines as wide as the output.
class HelpFormatter final : public CLI::Formatter {
public:
  std::string make_option_desc(const CLI::Option *option) const override {
    return wrapped(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App *subcommand) const override {
    std::ostringstream text;
    CLI::detail::format_help(text, subcommand->get_name(), wrapped(subcommand->get_description()), get_column_width());
    return text.str();
  }
  std::string make_description(const CLI::App *app) const override {
    return fitHelp(CLI::Formatter::make_description(app), outputColumns(STDOUT_FILENO));
  }
  std::string make_footer(const CLI::App *app) const override {
    return app->get_footer().empty() ? "" : fitHelp(app->get_footer(), outputColumns(STDOUT_FILENO)) + "\n";
  }

private:
  /// CLI11 indents each line.
  std::string wrapped(const std::string &text) const {
    constexpr size_t kLeastColumns = 20;
    const size_t columns = outputColumns(STDOUT_FILENO), indent = get_column_width();
    return fmt::to_string(
        fmt::join(wrapText(text, std::max(kLeastColumns, columns - std::min(columns, indent))), "\n"));
  }
};

/// A check that replaces the text by the number in plain digits, so that CLI11's own conversion cannot read it
/// differently ("010" as octal).
template <typename Parse> ValueCheck numberCheck(std::string shown, Parse parse) {
  auto convert = [parse](std::string &text) {
    auto value = parse(text);
    if (!value)
      return value.status().message();
    text = fmt::format("{}", *value);
    return std::string();
  };
  return {std::move(convert), std::move(shown)};
}

/// Replaces a name by its place.
ValueCheck choiceCheck(const std::vector<std::string> &names) {
  auto convert = [names](std::string &text) {
    const auto found = std::ranges::find(names, text);
    if (found == names.end())
      return fmt::format("'{}' must be one of: {}", text, fmt::join(names, ", "));
    text = std::to_string(found - names.begin());
    return std::string();
  };
  return {std::move(convert), fmt::format("{}", fmt::join(names, "|"))};
}

CLI::Option *transform(CLI::Option *option, std::function<std::string(std::string &)> convert) {
  CLI::Validator validator("");
  validator.operation(std::move(convert));
  return option->transform(std::move(validator));
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

std::string suggestion(std::string_view text, const std::vector<std::string> &names) {
  const std::string_view nearest = nearestName(text, names);
  return nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest);
}

/// Names the first option that the chosen subcommand does not have: CLI11 reports what is missing first.
std::string suggestOption(const CLI::App &app) {
  const CLI::App *chosen = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  std::vector<std::string> names;
  for (const CLI::Option *option : chosen->get_options([](const CLI::Option *) { return true; }))
    for (const std::string &name : option->get_lnames())
      names.push_back("--" + name);
  for (const std::string &text : app.remaining(true)) {
    const std::string name = text.substr(0, text.find('='));
    if (name.starts_with("-"))
      return fmt::format("{} is no option{}\n", name, suggestion(name, names));
  }
  return "";
}

void reportSubcommand(const CLI::App &app, int argc, const char *const *argv) {
  std::vector<std::string> names;
  for (const CLI::App *subcommand : app.get_subcommands([](const CLI::App *) { return true; }))
    names.push_back(subcommand->get_name());
  std::string problem = "a subcommand is missing";
  if (argc > 1)
    problem = argv[1][0] == '-' ? fmt::format("{} is no option, and a subcommand is missing", argv[1])
                                : fmt::format("'{}' is no subcommand{}", argv[1], suggestion(argv[1], names));
  printError(app, fmt::format("{}, must be one of: {}", problem, fmt::join(names, ", ")));
}

/// Help goes to the standard output, what is wrong with the command line to the standard error stream.
int report(const CLI::App &app, const CLI::ParseError &error) {
  std::ostringstream output, errors;
  const bool isHelp = app.exit(error, output, errors) == static_cast<int>(CLI::ExitCodes::Success);
  printOut("{}", output.str());
  if (!errors.str().empty())
    printErr("{}{}", errors.str(), suggestOption(app));
  return isHelp ? finish(app, kExitOk) : static_cast<int>(kExitUsage);
}

/// Options that have another name since 0.1; the former name goes with the next minor version.
constexpr std::pair<std::string_view, std::string_view> kFormerOptions[] = {{"--optimise", "--optimize"},
                                                                            {"--optimise-log", "--optimize-log"}};

std::string withPresentName(std::string argument) {
  const size_t length = std::min(argument.find('='), argument.size());
  for (const auto &[former, present] : kFormerOptions)
    if (argument.compare(0, length, former) == 0)
      return argument.replace(0, length, present);
  return argument;
}

/// CLI11 takes the arguments from the last to the first.
std::vector<std::string> reversedArguments(int argc, const char *const *argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i)
    arguments.push_back(withPresentName(argv[i]));
  return arguments;
}

int parseAndWork(CLI::App &app, int argc, const char *const *argv, const std::function<int()> &work) {
  try {
    app.parse(reversedArguments(argc, argv));
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

CommandOption CommandOption::required() { return CommandOption(option_->required()); }
CommandOption CommandOption::needs(CommandOption other) { return CommandOption(option_->needs(other.option_)); }
CommandOption CommandOption::needsOneOf(CommandOption first, CommandOption second) {
  // All arguments have been read when the values of an option are checked.
  option_->each([option = option_, first, second](const std::string &) {
    if (first.option_->count() == 0 && second.option_->count() == 0)
      throw CLI::RequiresError(option->get_name(), first.option_->get_name() + " or " + second.option_->get_name());
  });
  return *this;
}
CommandOption CommandOption::excludes(CommandOption other) { return CommandOption(option_->excludes(other.option_)); }
CommandOption CommandOption::group(const std::string &heading) { return CommandOption(option_->group(heading)); }
CommandOption CommandOption::showDefault() { return CommandOption(option_->capture_default_str()); }
CommandOption CommandOption::oneEach() { return CommandOption(option_->allow_extra_args(false)); }
CommandOption CommandOption::delimiter(char separator) { return CommandOption(option_->delimiter(separator)); }
CommandOption CommandOption::valueName(const std::string &shown) { return CommandOption(option_->option_text(shown)); }

CommandLine::CommandLine(const std::string &description, const std::string &name)
    : app_(std::make_shared<CLI::App>(description, name)) {
  app_->formatter(std::make_shared<HelpFormatter>());
}

CommandOption CommandLine::addText(const std::string &name, std::string &value, const std::string &help) {
  return CommandOption(app_->add_option(name, value, help));
}

CommandOption CommandLine::addTexts(const std::string &name, std::vector<std::string> &values,
                                    const std::string &help) {
  return CommandOption(app_->add_option(name, values, help));
}

CommandOption CommandLine::addFlag(const std::string &name, bool &value, const std::string &help) {
  return CommandOption(app_->add_flag(name, value, help));
}

CommandOption CommandLine::addFlag(const std::string &name, std::function<void()> whenGiven, const std::string &help) {
  return CommandOption(app_->add_flag_callback(name, std::move(whenGiven), help));
}

CommandOption CommandLine::option(const std::string &name) const { return CommandOption(app_->get_option(name)); }

CommandLine CommandLine::addSubcommand(const std::string &name, const std::string &description) {
  CLI::App *subcommand = app_->add_subcommand(name, description);
  subcommand->footer(""); // CLI11 would take that of the whole program
  return CommandLine(std::shared_ptr<CLI::App>(app_, subcommand));
}

void CommandLine::requireSubcommand() { app_->require_subcommand(1); }
void CommandLine::onSelected(std::function<void()> action) { app_->callback(std::move(action)); }
void CommandLine::setDescription(const std::string &text) { app_->description(text); }
void CommandLine::setFooter(const std::string &text) { app_->footer(text); }
void CommandLine::setHelpColumn(size_t column) { app_->get_formatter()->column_width(column); }

namespace detail {

template <typename T>
CommandOption addValue(CommandLine &line, const std::string &name, T &value, const std::string &help,
                       ValueCheck check) {
  CLI::Option *option = transform(line.parser().add_option(name, value, help), std::move(check.convert));
  return CommandOption(option->type_name(check.shown));
}

#define AVOCET_INSTANTIATE(TYPE)                                                                                       \
  template CommandOption addValue(CommandLine &, const std::string &, TYPE &, const std::string &, ValueCheck);        \
  template CommandOption addValue(CommandLine &, const std::string &, std::vector<TYPE> &, const std::string &,        \
                                  ValueCheck);
AVOCET_INSTANTIATE(int32_t)
AVOCET_INSTANTIATE(uint32_t)
AVOCET_INSTANTIATE(uint64_t)
AVOCET_INSTANTIATE(double)
#undef AVOCET_INSTANTIATE

CommandOption addChoice(CommandLine &line, const std::string &name, const std::string &help, ChoiceForm form,
                        ChoiceSink sink) {
  ValueCheck check = choiceCheck(sink.names);
  const CLI::callback_t store = [store = std::move(sink.store)](const CLI::results_t &texts) {
    std::vector<size_t> places;
    for (const std::string &text : texts)
      places.push_back(std::stoul(text));
    store(places);
    return true;
  };
  CLI::Option *option = transform(line.parser().add_option(name, store, help), std::move(check.convert));
  if (form == ChoiceForm::Flag)
    return CommandOption(option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)->expected(0));
  if (form == ChoiceForm::List)
    option->expected(CLI::detail::expected_max_vector_size);
  return CommandOption(option->type_name(check.shown));
}

} // namespace detail

CommandOption addUnsigned(CommandLine &line, const std::string &name, std::function<void(uint64_t)> whenGiven,
                          const std::string &help, uint64_t least, uint64_t most) {
  ValueCheck check = unsignedCheck(least, most);
  CLI::Option *option = line.parser().add_option_function<uint64_t>(name, std::move(whenGiven), help);
  return CommandOption(transform(option, std::move(check.convert))->type_name(check.shown));
}

int runProgram(CommandLine &line, int argc, const char *const *argv, const std::function<int()> &work) {
  prepareStandardStreams();
  CLI::App &app = line.parser();
  if (app.get_name().empty() && argc > 0)
    app.name(std::filesystem::path(argv[0]).filename().string());
  app.set_version_flag("--version", versionLine(nameOf(app)), "Print version and commit, and exit");
  return parseAndWork(app, argc, argv, work);
}

int runProgram(CommandLine &line, int argc, const char *const *argv, const std::function<Status()> &work) {
  return runProgram(line, argc, argv, std::function<int()>([&] {
                      const Status status = work();
                      if (status.isOk())
                        return static_cast<int>(kExitOk);
                      printError(line.parser(), status.message().empty() ? toString(status.code()) : status.message());
                      return static_cast<int>(kExitFailed);
                    }));
}

} // namespace avocet
