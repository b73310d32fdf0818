//===- Lowering.cpp - Models with extensions as the driver uses them ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/extensions/Lowering.h"

#include "avocet/hal/extensions/Extension.h"
#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

namespace avocet::hal {
namespace {

/// The model's prefixes of this device's extensions.
using Prefixes = std::map<uint16_t, const ExtensionRules *>;

Prefixes prefixesOf(const Model &model) {
  Prefixes prefixes;
  for (const ExtensionNameAndPrefix &extension : model.extensionNameToPrefix)
    if (const ExtensionRules *rules = findExtension(extension.name))
      prefixes[extension.prefix] = rules;
  return prefixes;
}

/// The row of a code, or null for standard codes and those of unknown extensions.
template <typename Row, typename Code>
const Row *findRow(const Prefixes &prefixes, Code code, std::span<const Row> ExtensionRules::*rows) {
  const auto extension = isExtension(code) ? prefixes.find(extensionPrefix(code)) : prefixes.end();
  if (extension == prefixes.end())
    return nullptr;
  const std::span<const Row> list = extension->second->*rows;
  const auto row = std::ranges::find(list, static_cast<uint16_t>(code), &Row::number);
  return row == list.end() ? nullptr : &*row;
}

/// Checks operations against the lists of their extensions.
class OperationChecker {
public:
  OperationChecker(const Model &model, const Subgraph &graph, const Prefixes &prefixes)
      : model_(model), graph_(graph), prefixes_(prefixes) {}

  Outcome check(const Operation &operation) const {
    const ExtensionOperation *rules = findRow(prefixes_, operation.type, &ExtensionRules::operations);
    if (rules == nullptr)
      return success();
    const uint16_t prefix = extensionPrefix(operation.type);
    AVOCET_RETURN_IF_ERROR(checkList(operation.inputs, rules->inputs, prefix, *rules, "input"));
    AVOCET_RETURN_IF_ERROR(checkList(operation.outputs, rules->outputs, prefix, *rules, "output"));
    Outcome checked = rules->check != nullptr ? rules->check(OperationView(model_, graph_, operation)) : success();
    return checked ? success() : Outcome(error(checked.code(), inOperation(*rules, checked.error().message)));
  }

private:
  static std::string inOperation(const ExtensionOperation &rules, std::string_view message) {
    return fmt::format("{}: {}", rules.name, message);
  }

  Outcome checkList(const std::vector<uint32_t> &operands, std::span<const ExtensionOperand> list, uint16_t prefix,
                    const ExtensionOperation &rules, std::string_view kind) const {
    const auto isRequired = [](const ExtensionOperand &operand) { return !operand.isOptional; };
    const auto last = std::find_if(list.rbegin(), list.rend(), isRequired);
    const auto least = static_cast<size_t>(list.rend() - last);
    if (operands.size() < least || operands.size() > list.size())
      return invalidArgument(
          inOperation(rules, fmt::format("{} {}s, must be {} to {}", operands.size(), kind, least, list.size())));
    for (size_t i = 0; i < operands.size(); ++i)
      if (!isAllowed(graph_.operands[operands[i]], list[i], prefix))
        return invalidArgument(inOperation(
            rules,
            fmt::format("{} {} ({}) has type {}{}, which it does not take", kind, i, list[i].name,
                        toString(graph_.operands[operands[i]].type),
                        graph_.operands[operands[i]].lifetime == OperandLifeTime::NoValue ? " and no value" : "")));
    return success();
  }

  static bool isAllowed(const Operand &operand, const ExtensionOperand &rule, uint16_t prefix) {
    if (operand.lifetime == OperandLifeTime::NoValue && !rule.isOptional)
      return false;
    return std::ranges::any_of(rule.types, [&](const AllowedType &type) {
      const uint32_t upper = type.isOwn ? uint32_t{prefix} << 16 : 0;
      return static_cast<uint32_t>(operand.type) == (upper | static_cast<uint32_t>(type.code));
    });
  }

  const Model &model_;
  const Subgraph &graph_;
  const Prefixes &prefixes_;
};

/// A value of an extension's type must satisfy the rules of its storage form, which the general validation left out.
Outcome checkStorage(const ExtensionType &type, const Operand &operand) {
  if (!isTensor(operand.type) && !operand.dimensions.empty())
    return invalidArgument(fmt::format("scalar {} with dimensions {}", type.name, toString(operand.dimensions)));
  const std::optional<uint64_t> size = getNonExtensionSize(operand);
  if (!size)
    return invalidArgument(
        fmt::format("shape {} of {} has more than {} bytes", toString(operand.dimensions), type.name, kMaxByteSize));
  if (!isConstant(operand.lifetime))
    return success();
  if (!isFullySpecified(operand))
    return invalidArgument(fmt::format("constant of unknown shape {}", toString(operand.dimensions)));
  if (operand.location.length != *size)
    return invalidArgument(fmt::format("location has length {}, must be the {} bytes of {} {}", operand.location.length,
                                       *size, type.name, toString(operand.dimensions)));
  return success();
}

Result<Operand> storageOf(const ExtensionType &type, const Operand &operand) {
  AVOCET_ASSIGN_OR_RETURN(Operand storage, type.storage(operand));
  AVOCET_RETURN_IF_ERROR(checkStorage(type, storage));
  return storage;
}

Outcome lower(const Model &model, Subgraph &graph, const Prefixes &prefixes, const std::string &place) {
  const OperationChecker checker(model, graph, prefixes);
  for (size_t i = 0; i < graph.operations.size(); ++i)
    if (Outcome checked = checker.check(graph.operations[i]); !checked)
      return error(checked.code(), fmt::format("{}: operation {}: {}", place, i, checked.error().message));
  for (size_t i = 0; i < graph.operands.size(); ++i) {
    const ExtensionType *type = findRow(prefixes, graph.operands[i].type, &ExtensionRules::types);
    if (type == nullptr)
      continue;
    Result<Operand> storage = storageOf(*type, graph.operands[i]);
    if (!storage)
      return error(storage.code(), fmt::format("{}: operand {}: {}", place, i, storage.error().message));
    graph.operands[i] = std::move(*storage);
  }
  return success();
}

} // namespace

bool usesExtensions(const Model &model) {
  return std::ranges::any_of(model.extensionNameToPrefix, [](const ExtensionNameAndPrefix &extension) {
    return findExtension(extension.name) != nullptr;
  });
}

Result<Model> lowerExtensions(const Model &model) {
  const Prefixes prefixes = prefixesOf(model);
  Model lowered = model;
  AVOCET_RETURN_IF_ERROR(lower(lowered, lowered.main, prefixes, "main subgraph"));
  for (size_t i = 0; i < lowered.referenced.size(); ++i)
    AVOCET_RETURN_IF_ERROR(lower(lowered, lowered.referenced[i], prefixes, fmt::format("subgraph {}", i)));
  return lowered;
}

} // namespace avocet::hal
