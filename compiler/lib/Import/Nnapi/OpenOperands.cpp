//===- OpenOperands.cpp - Open extents and values of a model ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenOperands.h"

#include "NnapiGraph.h"

#include <optional>

using namespace mlir;

namespace avocet::compiler {
namespace {

using Operands = std::set<uint32_t>;

/// Operations that KnownIntegers computes, if their operands are integers.
bool isKnownFunction(OperationType type) {
  switch (type) {
  case OperationType::Add:
  case OperationType::Sub:
  case OperationType::Mul:
  case OperationType::Minimum:
  case OperationType::Maximum:
  case OperationType::Equal:
  case OperationType::NotEqual:
  case OperationType::Less:
  case OperationType::LessEqual:
  case OperationType::Greater:
  case OperationType::GreaterEqual:
  case OperationType::LogicalAnd:
  case OperationType::LogicalOr:
  case OperationType::Reshape:
  case OperationType::ExpandDims:
  case OperationType::Slice:
  case OperationType::Split:
  case OperationType::Pack:
    return true;
  default:
    return false;
  }
}

/// The operations of one subgraph by the operands that they write.
class Writers {
public:
  explicit Writers(const nnapi::Subgraph &graph) : graph_(graph), writers_(graph.operands()->size()) {
    for (const nnapi::Operation *operation : *graph.operations())
      for (uint32_t operand : *operation->outputs())
        writers_[operand] = operation;
  }

  /// Adds the operands from which the values of `operands` are computed, as far as KnownIntegers follows them.
  void addSources(Operands &operands) const {
    std::vector<uint32_t> open(operands.begin(), operands.end());
    while (!open.empty()) {
      const nnapi::Operation *writer = writers_[open.back()];
      open.pop_back();
      if (writer && writer->inputs() && isKnownFunction(typeOf(*writer)) && hasIntegersOnly(*writer))
        for (uint32_t input : *writer->inputs())
          if (operands.insert(input).second)
            open.push_back(input);
    }
  }

  /// By operand, whether its elements may be known: constants, inputs, and what KnownIntegers or control flow computes
  /// from them.
  std::vector<bool> knowable() const {
    std::vector<bool> result(writers_.size());
    for (uint32_t operand = 0; operand < result.size(); ++operand)
      result[operand] = !writers_[operand];
    for (const nnapi::Operation *operation : *graph_.operations()) {
      const OperationType type = typeOf(*operation);
      const bool isKnown = type == OperationType::If || type == OperationType::While ||
                           (isKnownFunction(type) && operation->inputs() && hasIntegersOnly(*operation) &&
                            llvm::all_of(*operation->inputs(), [&](uint32_t input) { return result[input]; }));
      for (uint32_t operand : *operation->outputs())
        result[operand] = isKnown;
    }
    return result;
  }

  /// Whether `to` is the concatenation of something with a value that depends on `from`.
  bool enlarges(uint32_t from, uint32_t to) const {
    Operands seen = {to};
    std::vector<uint32_t> open = {to};
    while (!open.empty()) {
      const nnapi::Operation *writer = writers_[open.back()];
      open.pop_back();
      if (!writer || !writer->inputs())
        continue;
      for (uint32_t input : *writer->inputs()) {
        if (input == from && typeOf(*writer) == OperationType::Concatenation)
          return true;
        if (seen.insert(input).second)
          open.push_back(input);
      }
    }
    return false;
  }

private:
  bool hasIntegersOnly(const nnapi::Operation &operation) const {
    return llvm::all_of(*operation.inputs(), [&](uint32_t input) {
      const OperandType type = typeOf(*graph_.operands()->Get(input));
      return type == OperandType::Int32 || type == OperandType::TensorInt32 || type == OperandType::Bool ||
             type == OperandType::TensorBool8;
    });
  }

  const nnapi::Subgraph &graph_;
  std::vector<const nnapi::Operation *> writers_;
};

/// Finds the operands whose values determine the program, in all subgraphs. A value that an IF or WHILE passes to such
/// an operand is one too.
class ValueOperands {
public:
  explicit ValueOperands(const NnapiFile &file) : file_(file), known_(file.numSubgraphs()) {}

  /// NnapiFile::open() has excluded recursion between subgraphs.
  const Operands &of(uint32_t subgraph) {
    std::optional<Operands> &operands = known_[subgraph];
    if (operands)
      return *operands;
    operands.emplace();
    const nnapi::Subgraph &graph = file_.subgraph(subgraph);
    const Writers writers(graph);
    const std::vector<bool> knowable = writers.knowable();
    for (const nnapi::Operation *operation : *graph.operations())
      if (operation->inputs())
        addOperation(graph, *operation, knowable, *operands);
    writers.addSources(*operands);
    return *operands;
  }

  const std::set<const nnapi::Operation *> &unrolledLoops() const { return unrolled_; }

private:
  /// A slice may begin where the device computes.
  static bool isOnDevice(const nnapi::Operation &operation, uint32_t position, const std::vector<bool> &knowable) {
    return typeOf(operation) == OperationType::Slice && position == 1 && !knowable[operation.inputs()->Get(position)];
  }

  void addOperation(const nnapi::Subgraph &graph, const nnapi::Operation &operation, const std::vector<bool> &knowable,
                    Operands &found) {
    const NnapiConverter *converter = findNnapiConverter(file_, typeOf(operation));
    const uint32_t count = operation.inputs()->size();
    for (uint32_t i = 0; converter && i < std::min(count, 64u); ++i)
      if (converter->valueOperands >> i & 1 && !isOnDevice(operation, i, knowable))
        found.insert(operation.inputs()->Get(i));
    // Passed values follow the references to subgraphs, and each subgraph gets all of them.
    std::vector<uint32_t> subgraphs;
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i)
      if (const nnapi::Operand &operand = *graph.operands()->Get(operation.inputs()->Get(i));
          operand.lifetime() == nnapi::Lifetime::Subgraph) {
        subgraphs.push_back(operand.subgraph() + 1);
        first = i + 1;
      }
    if (typeOf(operation) == OperationType::While && subgraphs.size() == 2)
      return addLoop(operation, subgraphs[0], subgraphs[1], first, found);
    for (uint32_t subgraph : subgraphs)
      addPassed(subgraph, of(subgraph), operation, first, found);
  }

  void addPassed(uint32_t subgraph, const Operands &inside, const nnapi::Operation &operation, uint32_t first,
                 Operands &found) {
    const auto &inputs = *file_.subgraph(subgraph).inputs();
    for (uint32_t i = 0; i < inputs.size() && first + i < operation.inputs()->size(); ++i)
      if (inside.contains(inputs.Get(i)))
        found.insert(operation.inputs()->Get(first + i));
  }

  /// The values of an unrolled loop are known in every iteration if they are initially, and if what they are computed
  /// from is.
  void addLoop(const nnapi::Operation &operation, uint32_t condition, uint32_t body, uint32_t first, Operands &found) {
    Operands tested = of(condition), computed = of(body);
    if (isUnrolled(body)) {
      unrolled_.insert(&operation);
      tested.insert(file_.subgraph(condition).outputs()->begin(), file_.subgraph(condition).outputs()->end());
      Writers(file_.subgraph(condition)).addSources(tested);
      for (size_t before = 0; before != computed.size();) {
        before = computed.size();
        addCarried(condition, tested, body, computed);
        addCarried(body, computed, body, computed);
        Writers(file_.subgraph(body)).addSources(computed);
      }
    }
    addPassed(condition, tested, operation, first, found);
    addPassed(body, computed, operation, first, found);
  }

  /// Whether a value that the body reads has to be known and changes with the iteration, or grows.
  bool isUnrolled(uint32_t body) {
    const nnapi::Subgraph &graph = file_.subgraph(body);
    const auto &inputs = *graph.inputs(), &outputs = *graph.outputs();
    const Writers writers(graph);
    for (uint32_t i = 0; i < std::min(inputs.size(), outputs.size()); ++i)
      if (inputs.Get(i) != outputs.Get(i) &&
          (of(body).contains(inputs.Get(i)) ||
           (isDynamic(*graph.operands()->Get(inputs.Get(i))) && writers.enlarges(inputs.Get(i), outputs.Get(i)))))
        return true;
    return false;
  }

  /// Adds the body's outputs that become known inputs of a subgraph in the next iteration.
  void addCarried(uint32_t subgraph, const Operands &known, uint32_t body, Operands &computed) const {
    const auto &inputs = *file_.subgraph(subgraph).inputs();
    const auto &outputs = *file_.subgraph(body).outputs();
    for (uint32_t i = 0; i < std::min(inputs.size(), outputs.size()); ++i)
      if (known.contains(inputs.Get(i)))
        computed.insert(outputs.Get(i));
  }

  const NnapiFile &file_;
  std::vector<std::optional<Operands>> known_;
  std::set<const nnapi::Operation *> unrolled_;
};

} // namespace

NnapiOpenOperands openOperandsOf(const NnapiFile &file) {
  NnapiOpenOperands open;
  const nnapi::Subgraph &main = file.subgraph(0);
  ValueOperands valueOperands(file);
  const Operands &shaping = valueOperands.of(0);
  open.unrolledLoops = valueOperands.unrolledLoops();
  for (uint32_t index : shaping)
    if (file.data(*main.operands()->Get(index)).empty())
      open.valueOperands.insert(index);
  for (uint32_t position = 0; position < main.inputs()->size(); ++position) {
    const uint32_t index = main.inputs()->Get(position);
    const nnapi::Operand &operand = *main.operands()->Get(index);
    if (operand.lifetime() != nnapi::Lifetime::SubgraphInput)
      continue;
    open.hasOpenExtents |= isDynamic(operand);
    if (open.valueOperands.contains(index))
      open.valueInputs.push_back(position);
  }
  return open;
}

} // namespace avocet::compiler
