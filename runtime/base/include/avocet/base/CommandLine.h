//===- CommandLine.h - Options and exit codes of all programs ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the programs of the tree share: options whose values are checked, and a function that turns every outcome of
// their work into an exit code. CLI11 parses; only CommandLine.cpp includes it, because its headers take seconds to
// compile in each file. Numbers accept no -1 for an unsigned one and no NaN; enumerations accept names only.
//
//   CommandLine line("Draws a picture.", "draw");
//   line.addText("model", model, "Model file").required();
//   line.addFlag("-v,--verbose", isVerbose, "Print each step");
//   addNumber(line, "--seed", seed, "Seed of the random inputs");
//   addNumber(line, "--deadline", milliseconds, "Limit of one run", 0.001, 1e9);
//   addChoice(line, "--report", form, "Form of the report", {{"table", Form::Table}, {"json", Form::Json}});
//   return runProgram(line, argc, argv, [&] { return draw(model); });
//
// The variables of options must outlive the parsing. Not for use by several threads.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_COMMANDLINE_H
#define AVOCET_BASE_COMMANDLINE_H

#include "avocet/base/GuardedMain.h"
#include "avocet/base/Status.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the name of the library
class App;
class Option;
} // namespace CLI

namespace avocet {

/// For the end of a program's help.
inline constexpr const char *kExitCodesHelp =
    "Exit codes: 0 done; 1 the work failed, or its output could not be written; 2 the command line or an environment "
    "variable is wrong.";

/// One option. A handle, valid as long as its CommandLine. Each function changes the option and returns the handle.
class CommandOption {
public:
  explicit CommandOption(CLI::Option *option) : option_(option) {}

  CommandOption required();
  CommandOption needs(CommandOption other);
  CommandOption needsOneOf(CommandOption first, CommandOption second);
  CommandOption excludes(CommandOption other);
  CommandOption group(const std::string &heading);   ///< its heading in the help; empty: the help leaves the option out
  CommandOption showDefault();                       ///< the help shows the variable's value at this moment
  CommandOption oneEach();                           ///< of a list: one value for each occurrence ("-i a -i b")
  CommandOption delimiter(char separator);           ///< of a list: also "1,2,3"
  CommandOption valueName(const std::string &shown); ///< in the help, after the option's name

private:
  CLI::Option *option_;
};

/// The command line of a program or of a subcommand. A handle: copies stand for the same command line.
class CommandLine {
public:
  /// The name in messages; empty: the name of the program's file.
  explicit CommandLine(const std::string &description, const std::string &name = "");

  /// `name` of all options: "-t,--target", or "model" for an argument without a name.
  CommandOption addText(const std::string &name, std::string &value, const std::string &help = "");
  CommandOption addTexts(const std::string &name, std::vector<std::string> &values, const std::string &help = "");
  CommandOption addFlag(const std::string &name, bool &value, const std::string &help = "");
  CommandOption addFlag(const std::string &name, std::function<void()> whenGiven, const std::string &help);
  CommandOption option(const std::string &name) const; ///< one that was added already

  CommandLine addSubcommand(const std::string &name, const std::string &description);
  void requireSubcommand();
  void onSelected(std::function<void()> action); ///< of a subcommand: called after parsing

  void setDescription(const std::string &text);
  void setFooter(const std::string &text); ///< the end of the help
  void setHelpColumn(size_t column);       ///< where the descriptions of the help begin

  CLI::App &parser() const { return *app_; }

private:
  explicit CommandLine(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}
  std::shared_ptr<CLI::App> app_;
};

/// A check with the description of the value in the help ("N from 1 to 100").
struct ValueCheck {
  std::function<std::string(std::string &)> convert; ///< rewrites the text for storing; returns what is wrong, or ""
  std::string shown;
};

/// Whole numbers, finite numbers, and numbers of bytes ("65536" or "64K", see parseBytes()) from `least` to `most`.
ValueCheck unsignedCheck(uint64_t least, uint64_t most);
ValueCheck signedCheck(int64_t least, int64_t most);
ValueCheck realCheck(double least, double most);
ValueCheck byteCheck(uint64_t least, uint64_t most);

namespace detail {
template <typename T> struct ElementOf {
  using Type = T;
  static constexpr bool kIsList = false;
};
template <typename T> struct ElementOf<std::optional<T>> {
  using Type = T;
  static constexpr bool kIsList = false;
};
template <typename T> struct ElementOf<std::vector<T>> {
  using Type = T;
  static constexpr bool kIsList = true;
};
/// The type of one value of an option: T, or what a vector or an optional holds.
template <typename T> using Element = typename ElementOf<T>::Type;

template <typename T> ValueCheck numberCheck(T least, T most) {
  if constexpr (std::is_floating_point_v<T>)
    return realCheck(least, most);
  else if constexpr (std::is_unsigned_v<T>)
    return unsignedCheck(least, most);
  else
    return signedCheck(least, most);
}

/// Instantiated in CommandLine.cpp for the types that programs use.
template <typename T>
CommandOption addValue(CommandLine &line, const std::string &name, T &value, const std::string &help, ValueCheck check);

/// The values of one option as places in the list of names.
struct ChoiceSink {
  std::vector<std::string> names;
  std::function<void(const std::vector<size_t> &places)> store;
};
enum class ChoiceForm { One, List, Flag };
CommandOption addChoice(CommandLine &line, const std::string &name, const std::string &help, ChoiceForm form,
                        ChoiceSink sink);
} // namespace detail

/// An option for a number from `least` to `most`, or for several if `value` is a vector.
template <typename T>
CommandOption addNumber(CommandLine &line, const std::string &name, T &value, const std::string &help,
                        std::type_identity_t<detail::Element<T>> least, std::type_identity_t<detail::Element<T>> most) {
  return detail::addValue(line, name, value, help, detail::numberCheck(least, most));
}

/// The same, for all numbers of the type.
template <typename T>
CommandOption addNumber(CommandLine &line, const std::string &name, T &value, const std::string &help) {
  using Limits = std::numeric_limits<detail::Element<T>>;
  return addNumber(line, name, value, help, Limits::lowest(), Limits::max());
}

/// An option for a number of bytes.
template <std::unsigned_integral T>
CommandOption addBytes(CommandLine &line, const std::string &name, T &value, const std::string &help,
                       std::type_identity_t<T> least = 0,
                       std::type_identity_t<T> most = std::numeric_limits<T>::max() / 2) {
  return detail::addValue(line, name, value, help, byteCheck(least, most));
}

/// An option for a number that `whenGiven` receives.
CommandOption addUnsigned(CommandLine &line, const std::string &name, std::function<void(uint64_t)> whenGiven,
                          const std::string &help, uint64_t least, uint64_t most);

/// The names of enumerators.
template <typename Enum> using Choices = std::vector<std::pair<std::string, Enum>>;

namespace detail {
template <typename T> ChoiceSink choiceSink(T &value, const Choices<Element<T>> &choices) {
  ChoiceSink sink;
  for (const auto &choice : choices)
    sink.names.push_back(choice.first);
  sink.store = [&value, choices](const std::vector<size_t> &places) {
    if constexpr (ElementOf<T>::kIsList) {
      value.clear();
      for (size_t place : places)
        value.push_back(choices[place].second);
    } else {
      value = choices[places.back()].second;
    }
  };
  return sink;
}
} // namespace detail

/// An option for one of the names, or for several if `value` is a vector. An optional stays empty without the option.
template <typename T>
CommandOption addChoice(CommandLine &line, const std::string &name, T &value, const std::string &help,
                        const std::type_identity_t<Choices<detail::Element<T>>> &choices) {
  constexpr auto kForm = detail::ElementOf<T>::kIsList ? detail::ChoiceForm::List : detail::ChoiceForm::One;
  return detail::addChoice(line, name, help, kForm, detail::choiceSink(value, choices));
}

/// A flag that may have a value: "--burst" stores the choice named "true", "--burst=queues" the choice of that name.
template <typename Enum>
CommandOption addChoiceFlag(CommandLine &line, const std::string &name, Enum &value, const std::string &help,
                            const std::type_identity_t<Choices<Enum>> &choices) {
  return detail::addChoice(line, name, help, detail::ChoiceForm::Flag, detail::choiceSink(value, choices));
}

/// Prepares the standard streams, adds --version, checks the environment's knobs, parses, and runs `work`. Prints
/// errors on the standard error stream as "PROGRAM: error: ...". The result is what main() returns: an ExitCode, or the
/// code of `work`, which becomes 1 if it was 0 and the output could not be written. Exceptions of `work` pass through;
/// main() handles them (GuardedMain.h).
int runProgram(CommandLine &line, int argc, const char *const *argv, const std::function<int()> &work);

/// For programs whose work ends with a Status.
int runProgram(CommandLine &line, int argc, const char *const *argv, const std::function<Status()> &work);

} // namespace avocet

#endif // AVOCET_BASE_COMMANDLINE_H
