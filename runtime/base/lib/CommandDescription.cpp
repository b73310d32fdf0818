//===- CommandDescription.cpp - What a command line accepts ---------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/base/CommandDescription.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <numeric>

namespace avocet {
namespace {

/// Names of values, as in "table|json"; placeholders such as "LEVEL|SECONDS" are none.
bool isChoice(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == '_';
  }) && std::ranges::any_of(text, [](char c) { return c < 'A' || c > 'Z'; });
}

std::vector<std::string> choicesOf(const std::string &value) {
  std::vector<std::string> choices = CLI::detail::split(value, '|');
  return choices.size() > 1 && std::ranges::all_of(choices, isChoice) ? choices : std::vector<std::string>();
}

OptionDescription describe(const CLI::Option &option) {
  OptionDescription described;
  for (const std::string &name : option.get_snames())
    described.names.push_back("-" + name);
  for (const std::string &name : option.get_lnames())
    described.names.push_back("--" + name);
  if (described.names.empty())
    described.names.push_back(option.get_name(true));
  if (option.get_items_expected_max() > 0)
    described.value = option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
  described.choices = choicesOf(described.value);
  described.help = option.get_description();
  described.group = option.get_group();
  described.isRequired = option.get_required();
  return described;
}

CommandDescription describe(const CLI::App &app) {
  CommandDescription described{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option *option : app.get_options([](const CLI::Option *) { return true; }))
    if (!option->get_group().empty())
      (option->get_positional() ? described.arguments : described.options).push_back(describe(*option));
  for (const CLI::App *subcommand : app.get_subcommands([](const CLI::App *) { return true; }))
    described.subcommands.push_back(describe(*subcommand));
  return described;
}

/// Insertions, removals, replacements and exchanges of neighbors that lead from one text to the other (optimal string
/// alignment).
size_t distance(std::string_view from, std::string_view to) {
  std::vector<size_t> twoBefore, before(to.size() + 1), costs(to.size() + 1);
  std::iota(costs.begin(), costs.end(), size_t{0});
  for (size_t i = 0; i < from.size(); ++i) {
    twoBefore = std::exchange(before, costs);
    costs[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      costs[j + 1] = std::min({before[j] + (from[i] == to[j] ? 0 : 1), costs[j] + 1, before[j + 1] + 1});
      if (i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j])
        costs[j + 1] = std::min(costs[j + 1], twoBefore[j - 1] + 1);
    }
  }
  return costs.back();
}

} // namespace

CommandDescription describe(const CommandLine &line) { return describe(std::as_const(line.parser())); }

std::string_view nearestName(std::string_view text, const std::vector<std::string> &names) {
  constexpr size_t kLongestText = 64; // the cost is quadratic
  std::string_view nearest;
  size_t least = std::max<size_t>(1, text.size() / 3) + 1;
  for (const std::string &name : names) {
    const size_t changes = text.size() > kLongestText ? least : distance(text, name);
    if (changes < least) {
      least = changes;
      nearest = name;
    }
  }
  return nearest;
}

} // namespace avocet
