//===- TargetEdit.cpp - Targets with changed figures ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/firmware_iface/TargetEdit.h"

#include "avocet/base/ParseNumber.h"

#include "TargetFields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace avocet::firmware {
namespace {

/// The walk that all visitors of TargetFields here share: the path of the section, and the parts of compound fields.
/// Derived gets number(), real() and whole(), which is called for a rate before its parts.
template <typename Derived> class FieldWalker {
public:
  void rate(const char *key, const char *unit, auto &field) {
    self().whole(pathOf(key), field);
    section(key, [&] {
      self().number(unit, field.count, 1, kMaxTargetRate);
      self().number("cycles", field.cycles, 1, kMaxTargetRate);
    });
  }
  void perType(const char *key, auto &fields, uint64_t min, uint64_t max) {
    section(key, [&] {
      for (uint32_t type = 0; type < kNumDataTypes; ++type)
        self().number(std::string(toString(static_cast<DataType>(type))).c_str(), fields[type], min, max);
    });
  }
  void optionalNumber(const char *key, auto &field, uint64_t max) { self().number(key, field, 0, max); }
  template <typename Function> void section(const char *key, Function &&function) {
    const size_t length = path_.size();
    path_ += std::string(key) + ".";
    function();
    path_.resize(length);
  }

protected:
  std::string pathOf(std::string_view key) const { return path_ + std::string(key); }
  std::string path_; ///< of the open section, with a dot at its end

private:
  friend Derived;
  FieldWalker() = default;
  Derived &self() { return static_cast<Derived &>(*this); }
};

std::string printRate(const Rate &rate) {
  return rate.cycles == 1 ? std::to_string(rate.count) : fmt::format("{}/{}", rate.count, rate.cycles);
}

Rate inLowestTerms(uint64_t count, uint64_t cycles) {
  const uint64_t divisor = std::max<uint64_t>(1, std::gcd(count, cycles));
  return {count / divisor, cycles / divisor};
}

class FigureLister : public FieldWalker<FigureLister> {
public:
  void number(const char *key, const auto &field, uint64_t, uint64_t) {
    add(pathOf(key), std::to_string(uint64_t{field}));
  }
  void real(const char *key, const double &field, double) { add(pathOf(key), fmt::format("{}", field)); }
  void whole(std::string path, const Rate &field) {
    add(std::move(path), printRate(inLowestTerms(field.count, field.cycles)));
  }

  std::vector<TargetChange> figures;

private:
  void add(std::string key, std::string value) { figures.push_back({std::move(key), std::move(value)}); }
};

/// Writes inline tables: "mac.dense = { height = 2, ... }" as "mac.dense.height = 2", which TOML reads as the same.
class FieldPrinter : public FieldWalker<FieldPrinter> {
public:
  void number(const char *key, const auto &field, uint64_t, uint64_t) {
    text += fmt::format("{} = {}\n", pathOf(key), uint64_t{field});
  }
  void real(const char *key, const double &field, double) { text += fmt::format("{} = {}\n", pathOf(key), field); }
  void whole(const std::string &, const Rate &) {}

  std::string text;
};

std::string quotedText(std::string_view text) {
  std::string result = "\"";
  for (char c : text)
    result += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return result + "\"";
}

/// Writes [power], one table to a line.
class PowerPrinter {
public:
  void text(const char *key, const std::string &field, size_t) { add(key, quotedText(field)); }
  void number(const char *key, const auto &field, uint64_t, uint64_t) { add(key, std::to_string(uint64_t{field})); }
  void real(const char *key, double field, double) { add(key, fmt::format("{}", field)); }
  void list(const char *key, const auto &elements, size_t, auto &&function) {
    printed += fmt::format("power.{} = [\n", key);
    for (const auto &element : elements) {
      fields_.clear();
      function(element);
      printed += fmt::format("  {{ {} }},\n", fmt::join(fields_, ", "));
    }
    printed += "]\n";
  }

  std::string printed;

private:
  void add(const char *key, const std::string &value) { fields_.push_back(fmt::format("{} = {}", key, value)); }

  std::vector<std::string> fields_; ///< of the open table
};

/// "3/2", or "1.5", which is 15/10.
std::optional<Rate> readRate(std::string_view text) {
  constexpr uint64_t kMost = kMaxTargetRate * kMaxTargetRate;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const auto count = parseUnsigned(text.substr(0, slash), 1, kMost);
    const auto cycles = parseUnsigned(text.substr(slash + 1), 1, kMost);
    return count && cycles ? std::optional(inLowestTerms(*count, *cycles)) : std::nullopt;
  }
  std::string digits(text);
  uint64_t cycles = 1;
  if (const size_t point = digits.find('.'); point != std::string::npos) {
    for (size_t i = point + 1; i < digits.size() && cycles < kMost; ++i)
      cycles *= 10;
    digits.erase(point, 1);
  }
  const auto count = parseUnsigned(digits, 1, kMost);
  return count ? std::optional(inLowestTerms(*count, cycles)) : std::nullopt;
}

Result<Rate> parseRate(std::string_view text) {
  const std::optional<Rate> rate = readRate(text);
  if (!rate || rate->count > kMaxTargetRate || rate->cycles > kMaxTargetRate)
    return invalidArgument(fmt::format("'{}' must be a rate above 0 such as 4, 0.5 or 3/2, with at most {} items in at "
                                       "most {} cycles",
                                       text, kMaxTargetRate, kMaxTargetRate));
  return *rate;
}

/// Sets one figure of a target.
class FieldSetter : public FieldWalker<FieldSetter> {
public:
  explicit FieldSetter(const TargetChange &change) : change_(change) {}

  template <typename T> void number(const char *key, T &field, uint64_t min, uint64_t max) {
    if (!isAt(pathOf(key)))
      return;
    const bool isBytes = change_.key.ends_with("ytes");
    Result<uint64_t> value = isBytes ? parseBytes(change_.value, min, max) : parseUnsigned(change_.value, min, max);
    if (keep(value))
      setTo(field, static_cast<T>(*value), std::to_string(*value));
  }
  void real(const char *key, double &field, double max) {
    if (!isAt(pathOf(key)))
      return;
    Result<double> value = parseReal(change_.value, 0, max);
    if (keep(value))
      setTo(field, *value, fmt::format("{}", *value));
  }
  void whole(const std::string &path, Rate &field) {
    if (!isAt(path))
      return;
    Result<Rate> value = parseRate(change_.value);
    if (keep(value))
      setTo(field, *value, printRate(*value));
  }

  /// The value in its one form, once a target was visited.
  Result<std::string> result() const;

private:
  bool isAt(const std::string &path) {
    isFound_ = isFound_ || path == change_.key;
    return path == change_.key;
  }
  bool keep(const auto &value) {
    if (!value)
      status_ = value.status();
    return value.isOk();
  }
  template <typename T> void setTo(T &field, T value, std::string text) {
    field = value;
    normal_ = std::move(text);
  }

  const TargetChange &change_;
  bool isFound_ = false;
  Status status_;
  std::string normal_;
};

/// The keys in the section that the unknown key names, else the sections.
std::string acceptedKeys(std::string_view unknown) {
  const std::vector<std::string> keys = targetKeys();
  const std::string_view section = unknown.substr(0, unknown.find('.'));
  std::vector<std::string> inside, sections;
  for (const std::string &key : keys) {
    std::string first = key.substr(0, key.find('.'));
    if (first == section)
      inside.push_back(key);
    if (sections.empty() || sections.back() != first)
      sections.push_back(std::move(first));
  }
  return inside.empty() ? fmt::format("there are {}", fmt::join(sections, ", "))
                        : fmt::format("section {} has {}", section, fmt::join(inside, ", "));
}

Result<std::string> FieldSetter::result() const {
  if (!isFound_)
    return invalidArgument(fmt::format("'{}' is no figure of a target; {}", change_.key, acceptedKeys(change_.key)));
  if (!status_.isOk())
    return Status(status_).withContext(change_.key);
  return normal_;
}

Result<std::string> change(Target &target, const TargetChange &change) {
  FieldSetter setter(change);
  TargetFields::all(setter, target);
  return setter.result();
}

/// Any target: where only keys and limits matter.
const Target &anyTarget() {
  static const std::shared_ptr<const Target> kTarget = Target::load(Target::shippedNames().front()).value();
  return *kTarget;
}

} // namespace

std::vector<TargetChange> targetFigures(const Target &target) {
  FigureLister lister;
  TargetFields::all(lister, target);
  return std::move(lister.figures);
}

std::vector<std::string> targetKeys() {
  std::vector<std::string> keys;
  for (TargetChange &figure : targetFigures(anyTarget()))
    keys.push_back(std::move(figure.key));
  return keys;
}

Result<std::string> normalTargetValue(const TargetChange &asked) {
  Target scratch = anyTarget();
  return change(scratch, asked);
}

std::string printTarget(const Target &target, std::string_view name, std::string_view description) {
  FieldPrinter printer;
  TargetFields::all(printer, target);
  PowerPrinter power;
  TargetFields::power(power, target.power());
  return fmt::format("name = {}\ndescription = {}\n{}{}", quotedText(name), quotedText(description), printer.text,
                     power.printed);
}

Result<std::string> changedTargetText(const Target &base, std::span<const TargetChange> changes, std::string_view name,
                                      std::string_view description) {
  Target changed = base;
  for (const TargetChange &asked : changes)
    AVOCET_RETURN_IF_ERROR(change(changed, asked));
  return printTarget(changed, name, description);
}

} // namespace avocet::firmware
