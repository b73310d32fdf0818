//===- TargetParser.cpp - Parses target files -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// With NDEBUG, toml++ makes the optimizer assume conditions that a file can break (the text "[}" breaks one). Without
// NDEBUG the same conditions are asserted. An assertion without effect lets the parser continue to its own error.
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "avocet/base/Checksum.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/firmware_iface/Target.h"

#include "TargetFields.h"
#include "TargetRules.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace avocet::firmware {

namespace {

/// Target files are plain ASCII: figures need no more, and toml++ 3.3 has undefined behavior for some other characters
/// in keys.
Status checkCharacters(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    auto byte = static_cast<uint8_t>(text[i]);
    bool isAllowed = (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\r' || byte == '\t';
    if (!isAllowed)
      return invalidArgument(fmt::format("byte {} is {:#04x}, must be printable ASCII", i, byte));
  }
  return Status::ok();
}

/// Visitor of TargetFields that fills them from a TOML table. The first error is kept.
class FieldParser {
public:
  explicit FieldParser(const toml::table &root) : table_(&root) {}

  template <typename T> void number(const char *key, T &field, uint64_t min, uint64_t max) {
    const toml::node *node = take(key);
    if (!node)
      return;
    if (!node->is_integer())
      return fail(key, "must be an integer");
    int64_t value = node->as_integer()->get();
    if (value < 0 || static_cast<uint64_t>(value) < min || static_cast<uint64_t>(value) > max)
      return fail(key, fmt::format("is {}, must be {} to {}", value, min, max));
    field = static_cast<T>(value);
  }

  template <typename T> void optionalNumber(const char *key, T &field, uint64_t max) {
    if (table_->contains(key))
      number(key, field, 0, max);
    seen_.emplace(key);
  }

  void real(const char *key, double &field, double max) {
    const toml::node *node = take(key);
    if (!node)
      return;
    std::optional<double> value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value)
      return fail(key, "must be a number");
    if (!(*value >= 0.0 && *value <= max))
      return fail(key, fmt::format("is {}, must be 0 to {}", *value, max));
    field = *value;
  }

  void text(const char *key, std::string &field, size_t maxBytes) {
    const toml::node *node = take(key);
    if (!node)
      return;
    if (!node->is_string())
      return fail(key, "must be a string");
    field = node->as_string()->get();
    if (field.empty() || field.size() > maxBytes)
      fail(key, fmt::format("is {} bytes long, must be 1 to {}", field.size(), maxBytes));
  }

  void rate(const char *key, const char *unit, Rate &field) {
    section(key, [&] {
      number(unit, field.count, 1, kMaxTargetRate);
      number("cycles", field.cycles, 1, kMaxTargetRate);
    });
  }

  void perType(const char *key, std::array<uint32_t, kNumDataTypes> &fields, uint64_t min, uint64_t max) {
    section(key, [&] {
      for (uint32_t type = 0; type < kNumDataTypes; ++type)
        number(std::string(toString(static_cast<DataType>(type))).c_str(), fields[type], min, max);
    });
  }

  template <typename Function> void section(const char *key, Function &&function) {
    const toml::node *node = take(key);
    if (!node)
      return;
    enter(key, *node, function);
  }

  /// A section that may be missing; the fields keep their values then.
  template <typename Function> void optionalSection(const char *key, Function &&function) {
    if (table_->contains(key))
      section(key, function);
    seen_.emplace(key);
  }

  template <typename Element, typename Function>
  void list(const char *key, std::vector<Element> &elements, size_t most, Function &&function) {
    const toml::node *node = take(key);
    if (!node)
      return;
    const toml::array *array = node->as_array();
    if (!array || array->size() > most)
      return fail(key, fmt::format("must be an array of at most {} tables", most));
    elements.assign(array->size(), Element());
    for (size_t i = 0; i < elements.size() && status_.isOk(); ++i)
      enter(fmt::format("{}[{}]", key, i), *array->get(i), [&] { function(elements[i]); });
  }

  /// A key that belongs to no field is treated as a typing error and not as an extension.
  void rejectUnknown() {
    for (const auto &[key, node] : *table_)
      if (!seen_.contains(key.str()))
        return fail(std::string(key.str()), "is no known field");
  }

  Status takeStatus() { return std::move(status_); }

private:
  template <typename Function> void enter(const std::string &key, const toml::node &node, Function &&function) {
    if (!node.is_table())
      return fail(key, "must be a table");
    FieldParser outer = *this;
    table_ = node.as_table();
    path_ += key + ".";
    seen_.clear();
    function();
    rejectUnknown();
    outer.status_ = std::move(status_);
    *this = std::move(outer);
  }

  const toml::node *take(const char *key) {
    if (!status_.isOk())
      return nullptr;
    seen_.emplace(key);
    const toml::node *node = table_->get(key);
    if (!node)
      fail(key, "is missing");
    return node;
  }

  void fail(std::string_view key, std::string_view rule) {
    if (status_.isOk())
      status_ = invalidArgument(fmt::format("{}{} {}", path_, key, rule));
  }

  const toml::table *table_;
  std::string path_;
  std::set<std::string, std::less<>> seen_;
  Status status_;
};

/// Visitor of TargetFields: FNV-1a over all figures in list order.
class FieldHasher {
public:
  template <typename T> void number(const char *, const T &field, uint64_t, uint64_t) { add(field); }
  /// Targets without it keep the fingerprint that they had before the figure existed.
  void optionalNumber(const char *, const auto &field, uint64_t) {
    if (field != 0)
      add(field);
  }
  void real(const char *, double field, double) { add(std::bit_cast<uint64_t>(field)); }
  void rate(const char *, const char *, const Rate &rate) {
    add(rate.count);
    add(rate.cycles);
  }
  void perType(const char *, const std::array<uint32_t, kNumDataTypes> &fields, uint64_t, uint64_t) {
    for (uint32_t field : fields)
      add(field);
  }
  template <typename Function> void section(const char *, Function &&function) { function(); }

  uint64_t hash() const { return hash_.value(); }

private:
  void add(uint64_t value) { hash_.addNumber(value); }

  Fnv1a hash_;
};

} // namespace

/// Target's friend: the only code that fills one.
class TargetParser {
public:
  static Result<std::shared_ptr<const Target>> parse(const toml::table &root) {
    std::shared_ptr<Target> target(new Target());
    FieldParser parser(root);
    parser.text("name", target->name_, kMaxTargetNameBytes);
    parser.text("description", target->description_, kMaxTargetBytes);
    TargetFields::all(parser, *target);
    parser.optionalSection("power", [&] { TargetFields::power(parser, target->power_); });
    parser.rejectUnknown();
    AVOCET_RETURN_IF_ERROR(parser.takeStatus());
    AVOCET_RETURN_IF_ERROR(checkRules(*target));
    target->power_.defaultLevel = indexOfDefaultLevel(target->power_);
    FieldHasher hasher;
    TargetFields::all(hasher, std::as_const(*target));
    target->fingerprint_ = hasher.hash();
    return std::shared_ptr<const Target>(std::move(target));
  }
};

Result<std::shared_ptr<const Target>> Target::parse(std::string_view text, std::string_view origin) {
  std::string context = fmt::format("target {}", origin);
  if (text.size() > kMaxTargetBytes)
    return invalidArgument(
        fmt::format("{}: is {} bytes long, at most {} are allowed", context, text.size(), kMaxTargetBytes));
  AVOCET_RETURN_IF_ERROR(checkCharacters(text).withContext(context));
  toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return invalidArgument(fmt::format("{}: line {}, column {}: {}", context, parsed.error().source().begin.line,
                                       parsed.error().source().begin.column, parsed.error().description()));
  Result<std::shared_ptr<const Target>> target = TargetParser::parse(parsed.table());
  return target ? target : target.status().withContext(context);
}

} // namespace avocet::firmware
