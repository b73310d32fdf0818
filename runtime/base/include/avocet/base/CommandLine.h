//===- CommandLine.h - Options and exit codes of all programs ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the programs of the tree share: options whose values are checked, and a function that turns every outcome of
// their work into an exit code. CLI11 itself accepts -1 for an unsigned number, NaN for a real one, and numbers for the
// names of an enumeration. Options for numbers and enumerations are therefore added with these functions only:
//
//   addNumber(app, "--seed", seed, "Seed of the random inputs");
//   addNumber(app, "--deadline", milliseconds, "Limit of one run", 0.001, 1e9);
//   addChoice(app, "--report", form, "Form of the report", {{"table", Form::Table}, {"json", Form::Json}});
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_COMMANDLINE_H
#define AVOCET_BASE_COMMANDLINE_H

#include "avocet/base/ExitCode.h"
#include "avocet/base/Status.h"

#include <CLI/CLI.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace avocet {

/// For the end of a program's help.
inline constexpr const char *kExitCodesHelp =
    "Exit codes: 0 done; 1 the work failed, or its output could not be written; 2 the command line or an environment "
    "variable is wrong.";

/// A check with the description of the value in the help text ("N from 1 to 100").
struct ValueCheck {
  CLI::Validator validator;
  std::string shown;
};

/// Whole numbers, finite numbers, and numbers of bytes ("65536" or "64K", see parseBytes()) from `least` to `most`.
ValueCheck unsignedCheck(uint64_t least, uint64_t most);
ValueCheck signedCheck(int64_t least, int64_t most);
ValueCheck realCheck(double least, double most);
ValueCheck byteCheck(uint64_t least, uint64_t most);

/// Accepts one of the names, and replaces it by its value.
ValueCheck choiceCheck(const std::vector<std::pair<std::string, std::string>> &namesAndValues);

CLI::Option *apply(CLI::Option *option, ValueCheck check);

namespace detail {
template <typename T> struct ElementOf {
  using Type = T;
};
template <typename T> struct ElementOf<std::vector<T>> {
  using Type = T;
};
/// The type of one value of an option: T, or the elements of a vector.
template <typename T> using Element = typename ElementOf<T>::Type;

template <typename T> ValueCheck numberCheck(T least, T most) {
  if constexpr (std::is_floating_point_v<T>)
    return realCheck(least, most);
  else if constexpr (std::is_unsigned_v<T>)
    return unsignedCheck(least, most);
  else
    return signedCheck(least, most);
}
} // namespace detail

/// An option for a number from `least` to `most`, or for several if `value` is a vector.
template <typename T>
CLI::Option *addNumber(CLI::App &app, const std::string &name, T &value, const std::string &help,
                       std::type_identity_t<detail::Element<T>> least, std::type_identity_t<detail::Element<T>> most) {
  return apply(app.add_option(name, value, help), detail::numberCheck(least, most));
}

/// The same, for all numbers of the type.
template <typename T>
CLI::Option *addNumber(CLI::App &app, const std::string &name, T &value, const std::string &help) {
  using Limits = std::numeric_limits<detail::Element<T>>;
  return addNumber(app, name, value, help, Limits::lowest(), Limits::max());
}

/// An option for a number of bytes.
template <std::unsigned_integral T>
CLI::Option *addBytes(CLI::App &app, const std::string &name, T &value, const std::string &help,
                      std::type_identity_t<T> least = 0,
                      std::type_identity_t<T> most = std::numeric_limits<T>::max() / 2) {
  return apply(app.add_option(name, value, help), byteCheck(least, most));
}

/// The names of enumerators.
template <typename Enum> using Choices = std::vector<std::pair<std::string, Enum>>;

/// One of the names, as an enumerator.
template <typename Enum> ValueCheck choiceCheck(const Choices<Enum> &choices) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto &[name, value] : choices)
    texts.emplace_back(name, std::to_string(static_cast<std::underlying_type_t<Enum>>(value)));
  return choiceCheck(texts);
}

/// An option for one of the names, or for several if `value` is a vector.
template <typename T>
CLI::Option *addChoice(CLI::App &app, const std::string &name, T &value, const std::string &help,
                       const std::type_identity_t<Choices<detail::Element<T>>> &choices) {
  return apply(app.add_option(name, value, help), choiceCheck<detail::Element<T>>(choices));
}

/// Prepares the standard streams, adds --version, checks the environment's knobs, parses, and runs `work`. Prints
/// errors on the standard error stream as "PROGRAM: error: ...". The result is what main() returns: an ExitCode, or the
/// code of `work`, which becomes 1 if it was 0 and the output could not be written. Exceptions of `work` pass through;
/// main() handles them (GuardedMain.h).
int runProgram(CLI::App &app, int argc, const char *const *argv, const std::function<int()> &work);

/// For programs whose work ends with a Status.
int runProgram(CLI::App &app, int argc, const char *const *argv, const std::function<Status()> &work);

} // namespace avocet

#endif // AVOCET_BASE_COMMANDLINE_H
