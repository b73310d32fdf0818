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

/// Finds the operands whose values determine the program, in all subgraphs. A value that an IF or WHILE passes to such
/// an operand is one too.
class ValueOperands {
public:
  explicit ValueOperands(const NnapiFile &file) : file_(file), known_(file.numSubgraphs()) {}

  /// NnapiFile::open() has excluded recursion between subgraphs.
  const std::set<uint32_t> &of(uint32_t subgraph) {
    std::optional<std::set<uint32_t>> &operands = known_[subgraph];
    if (operands)
      return *operands;
    operands.emplace();
    for (const nnapi::Operation *operation : *file_.subgraph(subgraph).operations())
      if (operation->inputs())
        addOperation(*file_.subgraph(subgraph).operands(), *operation, *operands);
    return *operands;
  }

private:
  using Operands = flatbuffers::Vector<flatbuffers::Offset<nnapi::Operand>>;

  void addOperation(const Operands &operands, const nnapi::Operation &operation, std::set<uint32_t> &found) {
    const NnapiConverter *converter = findNnapiConverter(typeOf(operation));
    const uint32_t count = operation.inputs()->size();
    for (uint32_t i = 0; converter && i < std::min(count, 64u); ++i)
      if (converter->valueOperands >> i & 1)
        found.insert(operation.inputs()->Get(i));
    // Passed values follow the references to subgraphs, and each subgraph gets all of them.
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i)
      if (operands.Get(operation.inputs()->Get(i))->lifetime() == nnapi::Lifetime::Subgraph)
        first = i + 1;
    for (uint32_t i = 0; i < first; ++i)
      if (const nnapi::Operand &reference = *operands.Get(operation.inputs()->Get(i));
          reference.lifetime() == nnapi::Lifetime::Subgraph)
        addPassed(reference.subgraph() + 1, operation, first, found);
  }

  void addPassed(uint32_t subgraph, const nnapi::Operation &operation, uint32_t first, std::set<uint32_t> &found) {
    const std::set<uint32_t> &inside = of(subgraph);
    const auto &inputs = *file_.subgraph(subgraph).inputs();
    for (uint32_t i = 0; i < inputs.size() && first + i < operation.inputs()->size(); ++i)
      if (inside.contains(inputs.Get(i)))
        found.insert(operation.inputs()->Get(first + i));
  }

  const NnapiFile &file_;
  std::vector<std::optional<std::set<uint32_t>>> known_;
};

} // namespace

NnapiOpenOperands openOperandsOf(const NnapiFile &file) {
  NnapiOpenOperands open;
  const nnapi::Subgraph &main = file.subgraph(0);
  ValueOperands valueOperands(file);
  const std::set<uint32_t> &shaping = valueOperands.of(0);
  for (uint32_t position = 0; position < main.inputs()->size(); ++position) {
    const uint32_t index = main.inputs()->Get(position);
    const nnapi::Operand &operand = *main.operands()->Get(index);
    if (operand.lifetime() != nnapi::Lifetime::SubgraphInput)
      continue;
    open.hasOpenExtents |= isDynamic(operand);
    if (shaping.contains(index) && file.data(operand).empty()) {
      open.valueInputs.push_back(position);
      open.valueOperands.insert(index);
    }
  }
  return open;
}

} // namespace avocet::compiler
