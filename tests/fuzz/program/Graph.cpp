//===- Graph.cpp --------------------------------------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include "avocet/NeuralNetworks.h"

#include <cmath>
#include <cstring>

namespace avocet::fuzz {

namespace {

constexpr int32_t kOperations[] = {ANEURALNETWORKS_ADD,     ANEURALNETWORKS_SUB,  ANEURALNETWORKS_MUL,
                                   ANEURALNETWORKS_MAXIMUM, ANEURALNETWORKS_RELU, ANEURALNETWORKS_ABS,
                                   ANEURALNETWORKS_MINIMUM};

float apply(const Graph::Step &step, float value) {
  switch (step.operation) {
  case ANEURALNETWORKS_ADD:
    return value + step.constant;
  case ANEURALNETWORKS_SUB:
    return value - step.constant;
  case ANEURALNETWORKS_MUL:
    return value * step.constant;
  case ANEURALNETWORKS_MAXIMUM:
    return std::max(value, step.constant);
  case ANEURALNETWORKS_MINIMUM:
    return std::min(value, step.constant);
  case ANEURALNETWORKS_RELU:
    return std::max(value, 0.0f);
  default:
    return std::fabs(value);
  }
}

} // namespace

std::vector<float> floatsOf(const std::vector<uint8_t> &bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

bool Graph::isEndless() const { return kind == Kind::While && std::isinf(steps[0].constant); }

std::vector<float> Graph::evaluate(const std::vector<std::vector<uint8_t>> &inputs) const {
  if (kind == Kind::If)
    return (inputs[0][0] != 0 ? yes : no)->evaluate({inputs[1], inputs[2]});
  std::vector<float> values = floatsOf(inputs[0]);
  if (kind == Kind::While) {
    while (values[0] < steps[0].constant)
      values[0] += 1;
    return values;
  }
  const std::vector<float> second = floatsOf(inputs[1]);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] += second[i];
    for (const Step &step : steps)
      values[i] = apply(step, values[i]);
  }
  return values;
}

std::string Graph::fingerprint() const {
  std::string text = std::to_string(static_cast<int>(kind)) + "/" + std::to_string(length) + "/" +
                     std::to_string(4 * isOpen + 2 * isRelaxed + isReversed);
  for (const Step &step : steps)
    text += ";" + std::to_string(step.operation) + ":" + std::to_string(step.constant);
  if (yes != nullptr)
    text += "{" + yes->fingerprint() + "}{" + no->fingerprint() + "}";
  return text;
}

std::shared_ptr<const Graph> chooseGraph(Bytes &bytes, bool mayBranch) {
  auto graph = std::make_shared<Graph>();
  const uint8_t flags = bytes.byte();
  graph->length = (flags & 1) != 0 ? 40 : 2;
  graph->isOpen = (flags & 6) == 6;
  graph->isRelaxed = (flags & 24) == 24;
  graph->isReversed = (flags & 32) != 0;
  graph->hasMemory = (flags & 192) == 192;
  const uint32_t kind = mayBranch ? bytes.below(8) : 0;
  if (kind == 6) {
    graph->kind = Graph::Kind::If;
    auto yes = std::make_shared<Graph>(*chooseGraph(bytes, false)), no = std::make_shared<Graph>(*yes);
    if (!bytes.oneIn(4))
      no = std::make_shared<Graph>(*chooseGraph(bytes, false));
    for (const auto &branch : {yes, no}) {
      branch->length = graph->length;
      branch->isOpen = graph->isOpen = false;
    }
    graph->yes = std::move(yes), graph->no = std::move(no);
    return graph;
  }
  if (kind == 7) {
    graph->kind = Graph::Kind::While;
    graph->length = 1;
    graph->isOpen = false;
    graph->steps = {{ANEURALNETWORKS_LESS, static_cast<float>(bytes.below(6))}};
    return graph;
  }
  for (uint32_t count = bytes.below(4); count != 0; --count) {
    const uint8_t choice = bytes.byte();
    const int32_t code = kOperations[choice % std::size(kOperations)];
    // Products stay below 2048, so that float16 holds them.
    const int constant = code == ANEURALNETWORKS_MUL ? choice / 16 % 4 - 1 : choice / 16 - 7;
    graph->steps.push_back({code, static_cast<float>(constant)});
  }
  return graph;
}

} // namespace avocet::fuzz
