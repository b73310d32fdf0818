//===- Hints.cpp - Schedule hints as attributes -----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hints.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

/// Rows, bytes and numbers of layers are at most this.
constexpr int64_t kMostNumber = UINT32_MAX;
/// Doublings of a block's extent, up and down.
constexpr int64_t kMostDoublings = 8;

std::optional<int64_t> numberIn(Attribute value, int64_t least, int64_t most) {
  auto number = dyn_cast<IntegerAttr>(value);
  if (!number || number.getType().isInteger(1) || !number.getValue().isSignedIntN(64))
    return std::nullopt;
  const int64_t found = number.getValue().getSExtValue();
  return found >= least && found <= most ? std::optional(found) : std::nullopt;
}

/// Reads the values of one hint. The first error is reported; what follows it returns defaults.
class Reader {
public:
  Reader(Location location, size_t number, DictionaryAttr hint) : location_(location), number_(number), hint_(hint) {}

  bool failed() const { return failed_; }
  bool has(StringRef key) const { return hint_.contains(key); }

  void error(const Twine &message) {
    if (!failed_)
      emitError(location_) << "hint " << number_ + 1 << ": " << message;
    failed_ = true;
  }

  /// Refuses other keys.
  void accept(ArrayRef<StringRef> keys) {
    for (NamedAttribute entry : hint_)
      if (!llvm::is_contained(keys, entry.getName().getValue()))
        return error("has the key '" + entry.getName().getValue() + "', accepted beside '" + keys.front() + "' " +
                     (keys.size() == 1 ? "is none" : "are '" + llvm::join(keys.drop_front(), "', '") + "'"));
  }

  template <typename T> std::optional<T> number(StringRef key, int64_t least = 0, int64_t most = kMostNumber) {
    if (!has(key))
      return std::nullopt;
    const std::optional<int64_t> found = numberIn(hint_.get(key), least, most);
    if (!found)
      error("'" + key + "' must be an integer from " + Twine(least) + " to " + Twine(most));
    return T(found.value_or(least));
  }

  std::optional<bool> flag(StringRef key) {
    if (!has(key))
      return std::nullopt;
    auto value = hint_.getAs<BoolAttr>(key);
    if (!value)
      error("'" + key + "' must be true or false");
    return value && value.getValue();
  }

  OperatorRef ref(StringRef key) { return readRef(key, hint_.get(key)); }

  std::vector<OperatorRef> refs(StringRef key, size_t least, size_t most) {
    auto list = hint_.getAs<ArrayAttr>(key);
    std::vector<OperatorRef> refs;
    if (!list || list.size() < least || list.size() > most)
      error("'" + key + "' must be a list of " + (most > 2 ? Twine("results") : Twine("one or two operators")));
    else
      for (Attribute value : list)
        refs.push_back(readRef(key, value));
    return refs;
  }

  std::array<int64_t, 3> extents(StringRef key, int64_t least, int64_t most) {
    auto list = hint_.getAs<ArrayAttr>(key);
    std::array<int64_t, 3> found{least, least, least};
    for (size_t i = 0; i < 3; ++i)
      if (const auto number = list && list.size() == 3 ? numberIn(list[i], least, most) : std::nullopt)
        found[i] = *number;
      else
        error("'" + key + "' must be three integers from " + Twine(least) + " to " + Twine(most) +
              ": rows, columns, channels");
    return found;
  }

private:
  OperatorRef readRef(StringRef key, Attribute value) {
    OperatorRef ref;
    if (auto parts = dyn_cast_or_null<DictionaryAttr>(value); parts && parts.contains("operator")) {
      for (NamedAttribute entry : parts) {
        const std::optional<int64_t> number = numberIn(entry.getValue(), 0, kMostNumber);
        if (entry.getName() == "operation" && number)
          ref.operation = uint32_t(*number);
        else if (entry.getName() == "output" && number)
          ref.output = uint32_t(*number);
        else if (entry.getName() != "operator")
          error("'" + key +
                "': an operator in braces has the keys 'operator', 'operation' and 'output', the last two "
                "with integers");
      }
      value = parts.get("operator");
    }
    if (auto name = dyn_cast_or_null<StringAttr>(value); name && !name.empty())
      ref.name = name.str();
    else if (const auto number = value ? numberIn(value, 0, kMostNumber) : std::nullopt)
      ref.number = uint32_t(*number);
    else
      error("'" + key +
            "' must name operators: by a name, by the number of a layer, or as {\"operator\": NAME, "
            "\"operation\": 0, \"output\": 0}");
    return ref;
  }

  Location location_;
  size_t number_;
  DictionaryAttr hint_;
  bool failed_ = false;
};

Hint readCascade(Reader &reader) {
  reader.accept({"cascade", "rows", "parts", "ahead", "pieces", "spill"});
  CascadeHint hint;
  const std::vector<OperatorRef> range = reader.refs("cascade", 1, 2);
  if (!range.empty())
    hint.first = range.front(), hint.last = range.back();
  hint.rows = reader.number<uint32_t>("rows", 1);
  hint.parts = reader.number<uint32_t>("parts", 1);
  hint.ahead = reader.flag("ahead");
  hint.pieces = reader.number<uint64_t>("pieces", 1);
  if (reader.has("spill"))
    hint.spills = reader.refs("spill", 0, SIZE_MAX);
  if (hint.pieces && (hint.rows || hint.parts || hint.ahead))
    reader.error("'pieces' excludes 'rows', 'parts' and 'ahead'");
  return hint;
}

Hint readCut(Reader &reader) {
  reader.accept({"cut"});
  return CutHint{reader.ref("cut")};
}

Hint readResult(Reader &reader, DictionaryAttr attribute) {
  reader.accept({"result", "memory"});
  auto memory = attribute.getAs<StringAttr>("memory");
  if (!memory || (memory != "sram" && memory != "dram"))
    reader.error("'memory' must be \"sram\" or \"dram\"");
  return ResultHint{reader.ref("result"), memory && memory == "dram"};
}

Hint readBlock(Reader &reader) {
  reader.accept({"block", "extents", "doublings"});
  BlockHint hint{reader.ref("block"), {}, {}};
  if (reader.has("extents") == reader.has("doublings"))
    reader.error("must have either 'extents' or 'doublings'");
  else if (reader.has("extents")) {
    const auto [rows, columns, channels] = reader.extents("extents", 1, kMostNumber);
    hint.extents = firmware::Block{uint32_t(rows), uint32_t(columns), uint32_t(channels)};
  } else {
    const auto [rows, columns, channels] = reader.extents("doublings", -kMostDoublings, kMostDoublings);
    hint.doublings = kernels::BlockShift{int8_t(rows), int8_t(columns), int8_t(channels)};
  }
  return hint;
}

Hint readTransfers(Reader &reader) {
  reader.accept({"transfers", "slack", "prefetch", "spread"});
  TransfersHint hint{reader.ref("transfers"), {}};
  constexpr int64_t kMostSlack = 64;
  hint.order.slackSteps = reader.number<uint32_t>("slack", 0, kMostSlack).value_or(hint.order.slackSteps);
  hint.order.prefetch = reader.flag("prefetch").value_or(true);
  hint.order.isSpread = reader.flag("spread").value_or(true);
  return hint;
}

FailureOr<Hint> readHint(Location location, size_t number, Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  Reader reader(location, number, dictionary ? dictionary : DictionaryAttr::get(attribute.getContext()));
  Hint hint;
  if (reader.has("cascade"))
    hint = readCascade(reader);
  else if (reader.has("cut"))
    hint = readCut(reader);
  else if (reader.has("result"))
    hint = readResult(reader, dictionary);
  else if (reader.has("block"))
    hint = readBlock(reader);
  else if (reader.has("transfers"))
    hint = readTransfers(reader);
  else
    reader.error("must have one of the keys 'cascade', 'cut', 'result', 'block' and 'transfers'");
  if (reader.failed())
    return failure();
  return hint;
}

} // namespace

FailureOr<std::vector<Hint>> readHints(Location location, Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!list)
    return emitError(location) << "avocet.hints must be an array of dictionaries";
  std::vector<Hint> hints;
  bool ok = true;
  for (auto [number, entry] : llvm::enumerate(list)) {
    FailureOr<Hint> hint = readHint(location, number, entry);
    if (failed(hint))
      ok = false;
    else
      hints.push_back(std::move(*hint));
  }
  if (!ok)
    return failure();
  return hints;
}

} // namespace avocet::compiler::schedule
