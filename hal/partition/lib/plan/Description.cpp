//===- Description.cpp - How a model was divided --------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"

#include "avocet/hal/types/Utils.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace avocet::hal {

using partition::subgraphOf;

namespace partition {

static bool hasVendorOperation(const Subgraph &subgraph) {
  return std::ranges::any_of(subgraph.operations, [](const Operation &operation) {
    return isExtension(operation.type) || operation.type == kOemOperation;
  });
}

bool hasVendorOperation(const Model &model) {
  return hasVendorOperation(model.main) ||
         std::ranges::any_of(model.referenced, [](const Subgraph &subgraph) { return hasVendorOperation(subgraph); });
}

} // namespace partition

static std::string operationsOf(const StepDescription &step, const Model &model) {
  std::string text;
  for (uint32_t operation : step.operations)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", operation,
                        operationName(subgraphOf(model, step.subgraph).operations[operation].type));
  return text;
}

static std::string subgraphName(uint32_t subgraph) {
  return subgraph == 0 ? "main" : fmt::format("subgraph {}", subgraph - 1);
}

std::string planTable(const PlanDescription &plan, const Model &model) {
  std::string text;
  for (size_t i = 0; i < plan.steps.size(); ++i)
    text += fmt::format("{:3} {:12} {:20} {}\n", i, subgraphName(plan.steps[i].subgraph), plan.steps[i].device,
                        operationsOf(plan.steps[i], model));
  return text;
}

/// `text` within the quotes of a Graphviz string.
static std::string quoted(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return result;
}

std::string planGraph(const PlanDescription &plan, const Model &model) {
  std::string text = "digraph plan {\n  node [shape=box];\n";
  std::map<std::pair<uint32_t, uint32_t>, size_t> writers;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const StepDescription &step = plan.steps[i];
    text += fmt::format("  s{} [label=\"{}\\n{}\\n{}\"];\n", i, subgraphName(step.subgraph), quoted(step.device),
                        quoted(operationsOf(step, model)));
    for (uint32_t output : step.outputs)
      writers[{step.subgraph, output}] = i;
  }
  for (size_t i = 0; i < plan.steps.size(); ++i)
    for (uint32_t input : plan.steps[i].inputs)
      if (auto writer = writers.find({plan.steps[i].subgraph, input}); writer != writers.end())
        text += fmt::format("  s{} -> s{} [label=\"{}\"];\n", writer->second, i, input);
  return text + "}\n";
}

} // namespace avocet::hal
