//===- GraphDump.cpp - A model as a Graphviz graph --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/types/GraphDump.h"

#include "avocet/hal/types/Compatibility.h"
#include "avocet/hal/types/Utils.h"
#include "util/Losses.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <vector>

namespace avocet::hal {

namespace {

/// Writes nodes and edges of one subgraph; node names begin with the subgraph's name.
class SubgraphDump {
public:
  SubgraphDump(std::string &text, const Model &model, const Subgraph &subgraph, std::string name)
      : text_(text), model_(model), subgraph_(subgraph), name_(std::move(name)) {}

  void write() {
    line("  subgraph cluster_{} {{", name_);
    line("    label=\"{}\"", name_);
    for (size_t i = 0; i < subgraph_.operands.size(); ++i)
      writeOperand(i, subgraph_.operands[i]);
    for (size_t i = 0; i < subgraph_.operations.size(); ++i)
      writeOperation(i, subgraph_.operations[i]);
    line("  }}");
  }

private:
  template <typename... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  void writeOperand(size_t index, const Operand &operand) {
    std::string label = fmt::format("{}: {}", index, toString(operand.type));
    if (!operand.dimensions.empty())
      label += " " + toString(operand.dimensions);
    label += "\\n" + toString(operand.lifetime) + valueOf(operand);
    line("    {}_d{} [shape=box{} label=\"{}\"]", name_, index, styleOf(operand.lifetime), label);
  }

  static std::string_view styleOf(OperandLifeTime lifetime) {
    if (lifetime == OperandLifeTime::SubgraphInput || lifetime == OperandLifeTime::SubgraphOutput)
      return " style=bold";
    return isConstant(lifetime) ? " style=filled" : "";
  }

  /// " = 3" and " = [1,2,...]" for constants among the operand values, " pool 1 at 64" for others, " 1" for the
  /// subgraph's number.
  std::string valueOf(const Operand &operand) const {
    if (operand.lifetime == OperandLifeTime::Subgraph)
      return fmt::format(" {}", operand.location.offset);
    if (operand.lifetime == OperandLifeTime::ConstantReference)
      return fmt::format(" pool {} at {}", operand.location.poolIndex, operand.location.offset);
    if (operand.lifetime != OperandLifeTime::ConstantCopy)
      return "";
    switch (operand.type) {
    case OperandType::Int32:
    case OperandType::TensorInt32:
      return valuesText<int32_t>(operand);
    case OperandType::UInt32:
      return valuesText<uint32_t>(operand);
    case OperandType::Float32:
    case OperandType::TensorFloat32:
      return valuesText<float>(operand);
    case OperandType::TensorQuant16Symm:
      return valuesText<int16_t>(operand);
    case OperandType::TensorQuant16Asymm:
      return valuesText<uint16_t>(operand);
    case OperandType::TensorQuant8AsymmSigned:
    case OperandType::TensorQuant8Symm:
    case OperandType::TensorQuant8SymmPerChannel:
      return valuesText<int8_t>(operand);
    case OperandType::Bool:
    case OperandType::TensorBool8:
    case OperandType::TensorQuant8Asymm:
      return valuesText<uint8_t>(operand);
    default:
      return "";
    }
  }

  /// The first elements as they are stored.
  template <typename T> std::string valuesText(const Operand &operand) const {
    constexpr uint64_t kMostValues = 8;
    const DataLocation &location = operand.location;
    const std::optional<uint64_t> end = checkedAdd(location.offset, std::max<uint64_t>(location.length, sizeof(T)));
    if (!end || *end > model_.operandValues.size())
      return "";
    std::vector<T> values(isScalar(operand.type) ? 1 : std::min(location.length / sizeof(T), kMostValues));
    if (values.empty()) // the length of an invalid model may be less than an element
      return "";
    std::memcpy(values.data(), model_.operandValues.data() + location.offset, values.size() * sizeof(T));
    if (isScalar(operand.type))
      return fmt::format(" = {}", values[0]);
    return fmt::format(" = [{}{}]", fmt::join(values, ","), location.length > values.size() * sizeof(T) ? ",..." : "");
  }

  void writeOperation(size_t index, const Operation &operation) {
    line("    {}_n{} [label=\"{}: {}\"]", name_, index, index, operationName(operation.type));
    for (size_t i = 0; i < operation.inputs.size(); ++i)
      line("    {} -> {}_n{} [label=\"{}\"]", nodeOf(operation.inputs[i]), name_, index, i);
    for (size_t i = 0; i < operation.outputs.size(); ++i)
      line("    {}_n{} -> {} [label=\"{}\"]", name_, index, nodeOf(operation.outputs[i]), i);
  }

  std::string nodeOf(uint32_t operand) const {
    if (operand < subgraph_.operands.size())
      return fmt::format("{}_d{}", name_, operand);
    return fmt::format("\"operand {}?\"", operand);
  }

  std::string &text_;
  const Model &model_;
  const Subgraph &subgraph_;
  std::string name_;
};

} // namespace

/// A string of Graphviz.
static std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

std::string graphDump(std::string_view name, const Model &model) {
  std::string text = fmt::format("digraph {} {{\n", quoted(name));
  SubgraphDump(text, model, model.main, "main").write();
  for (size_t i = 0; i < model.referenced.size(); ++i)
    SubgraphDump(text, model, model.referenced[i], fmt::format("subgraph{}", i)).write();
  return text + "}\n";
}

std::span<const Version> allVersions() {
  using enum Version;
  static constexpr std::array kAll = {V1_0, V1_1, V1_2, V1_3, AidlV1, AidlV2, AidlV3, AidlV4};
  static_assert(kAll.back() == kLatestVersion && kAll.size() == static_cast<size_t>(kLatestVersion) + 1);
  return kAll;
}

VersionAnswer answerFor(const Model &model, Version version) {
  const Result<Converted<Model>> converted = convertUnlogged(model, version);
  if (!converted)
    return {false, "no: " + converted.error().message};
  if (converted->losses.empty())
    return {true, "yes"};
  return {true, fmt::format("yes, without {}", fmt::join(converted->losses, ", "))};
}

std::string versionReport(const Model &model) {
  std::string lines;
  for (Version version : allVersions())
    lines += fmt::format("{}: {}\n", toString(version), answerFor(model, version).text);
  return lines;
}

} // namespace avocet::hal
