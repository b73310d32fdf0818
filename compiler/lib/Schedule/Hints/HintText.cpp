//===- HintText.cpp - Hint files --------------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hint file is JSON: {"schemaVersion": 1, "hints": [...]}. Its values become attributes one to one.
//
//===----------------------------------------------------------------------===//

#include "Hints.h"

#include "Support/TextLimits.h"

#include "mlir/IR/Builders.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

constexpr llvm::StringLiteral kHints = "hints", kVersionKey = "schemaVersion";
constexpr int64_t kVersion = 1;

/// Null: a number that is no integer, or null.
Attribute attributeOf(Builder &builder, const llvm::json::Value &value) {
  using Kind = llvm::json::Value::Kind;
  switch (value.kind()) {
  case Kind::Boolean:
    return builder.getBoolAttr(*value.getAsBoolean());
  case Kind::Number:
    if (const std::optional<int64_t> number = value.getAsInteger())
      return builder.getI64IntegerAttr(*number);
    return {};
  case Kind::String:
    return builder.getStringAttr(*value.getAsString());
  case Kind::Array: {
    SmallVector<Attribute> list;
    for (const llvm::json::Value &entry : *value.getAsArray())
      if (!list.emplace_back(attributeOf(builder, entry)))
        return {};
    return builder.getArrayAttr(list);
  }
  case Kind::Object: {
    SmallVector<NamedAttribute> entries;
    for (const auto &[key, entry] : *value.getAsObject()) {
      const Attribute attribute = attributeOf(builder, entry);
      if (!attribute || key.str().empty())
        return {};
      entries.push_back(builder.getNamedAttr(key.str(), attribute));
    }
    return builder.getDictionaryAttr(entries);
  }
  case Kind::Null:
    return {};
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult checkVersion(Location location, const llvm::json::Object &file) {
  const llvm::json::Value *version = file.get(kVersionKey);
  if (!version || version->getAsInteger() == kVersion)
    return success();
  return emitError(location) << "hints: " << kVersionKey << " must be " << kVersion
                             << "; write the hints anew with 'avocet explain --print-hints'";
}

void writeRef(llvm::json::OStream &json, const OperatorRef &ref) {
  const auto writeOperator = [&] { ref.number ? json.value(int64_t{*ref.number}) : json.value(ref.name); };
  if (!ref.operation && ref.output == 0)
    return writeOperator();
  json.object([&] {
    json.attributeBegin("operator");
    writeOperator();
    json.attributeEnd();
    if (ref.operation)
      json.attribute("operation", int64_t{*ref.operation});
    if (ref.output)
      json.attribute("output", int64_t{ref.output});
  });
}

class Writer {
public:
  explicit Writer(llvm::json::OStream &json) : json_(json) {}

  void operator()(const CascadeHint &hint) const {
    const bool isAlone = hint.first == hint.last;
    json_.attributeArray("cascade", [&] {
      writeRef(json_, hint.first);
      if (!isAlone)
        writeRef(json_, hint.last);
    });
    write("rows", hint.rows);
    write("parts", hint.parts);
    write("ahead", hint.ahead);
    write("pieces", hint.pieces);
    if (hint.spills)
      json_.attributeArray("spill", [&] {
        for (const OperatorRef &spill : *hint.spills)
          writeRef(json_, spill);
      });
  }
  void operator()(const CutHint &hint) const { write("cut", hint.last); }
  void operator()(const ResultHint &hint) const {
    write("result", hint.result);
    json_.attribute("memory", hint.inDram ? "dram" : "sram");
  }
  void operator()(const BlockHint &hint) const {
    write("block", hint.of);
    if (hint.extents)
      json_.attribute("extents", llvm::json::Array{hint.extents->height, hint.extents->width, hint.extents->channels});
    if (hint.doublings)
      json_.attribute("doublings", llvm::json::Array{int64_t{hint.doublings->height}, int64_t{hint.doublings->width},
                                                     int64_t{hint.doublings->channels}});
  }
  void operator()(const TransfersHint &hint) const {
    write("transfers", hint.of);
    json_.attribute("slack", int64_t{hint.order.slackSteps});
    if (!hint.order.prefetch)
      json_.attribute("prefetch", false);
    if (!hint.order.isSpread)
      json_.attribute("spread", false);
  }

private:
  void write(StringRef key, const OperatorRef &ref) const {
    json_.attributeBegin(key);
    writeRef(json_, ref);
    json_.attributeEnd();
  }
  template <typename T> void write(StringRef key, const std::optional<T> &value) const {
    if constexpr (std::is_same_v<T, bool>) {
      if (value)
        json_.attribute(key, *value);
    } else if (value) {
      json_.attribute(key, static_cast<int64_t>(*value));
    }
  }

  llvm::json::OStream &json_;
};

} // namespace

FailureOr<ArrayAttr> parseHints(Location location, StringRef json) {
  if (const std::optional<TextProblem> problem = checkTextLimits(json)) // the reader needs stack for nested values
    return emitError(location) << "hints: line " << problem->line << ", column " << problem->column << ": "
                               << problem->message;
  llvm::Expected<llvm::json::Value> file = llvm::json::parse(json);
  if (!file)
    return emitError(location) << "hints: no valid JSON: " << llvm::toString(file.takeError());
  const llvm::json::Object *object = file->getAsObject();
  const llvm::json::Array *list = object ? object->getArray(kHints) : nullptr;
  if (!list)
    return emitError(location) << "hints: the file must be an object with a list 'hints', as 'avocet explain "
                                  "--print-hints' writes it";
  if (failed(checkVersion(location, *object)))
    return failure();
  Builder builder(location.getContext());
  SmallVector<Attribute> hints;
  for (auto [number, hint] : llvm::enumerate(*list))
    if (!hints.emplace_back(attributeOf(builder, hint)))
      return emitError(location) << "hint " << number + 1
                                 << ": has a number that is no integer of 64 bits, null, or an empty key";
  const ArrayAttr attribute = builder.getArrayAttr(hints);
  if (failed(readHints(location, attribute)))
    return failure();
  return attribute;
}

std::string jsonOf(const Hint &hint) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  json.object([&] { std::visit(Writer(json), hint); });
  return text;
}

} // namespace avocet::compiler::schedule
