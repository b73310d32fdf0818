//===- LayerTable.cpp - Report figures of each layer ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramWriter.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/firmware_iface/Reflection.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

/// Sums over the operations of one layer.
struct LayerSums {
  uint64_t inputBytes = 0, outputBytes = 0;
  bool onArray = false; ///< at least a part; the DSP then only prepares operands or finishes results
};

void addOperation(const Problem &problem, uint32_t index, LayerSums &sums) {
  const schedule::Operation &op = problem.operations[index];
  for (const Operand &input : op.inputs)
    sums.inputBytes += input.isConstant ? 0 : input.shape.bytes();
  for (const Operand &output : op.outputs)
    sums.outputBytes += output.shape.bytes();
  sums.onArray |= !std::holds_alternative<firmware::DspCommand>(op.command);
}

} // namespace

ArrayAttr layerTable(func::FuncOp function, const Problem &problem) {
  mlir::Builder builder(function.getContext());
  std::map<uint32_t, LayerSums> sums;
  for (uint32_t i = 0; i < problem.operations.size(); ++i)
    addOperation(problem, i, sums[problem.operations[i].layer]);
  auto described = function->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr);
  const size_t count = std::max<size_t>(described ? described.size() : 0, sums.empty() ? 0 : sums.rbegin()->first + 1);
  SmallVector<Attribute> entries;
  for (uint32_t layer = 0; layer < count; ++layer) {
    NamedAttrList entry;
    if (described && layer < described.size())
      entry.append(cast<DictionaryAttr>(described[layer]).getValue());
    const LayerSums &s = sums[layer];
    entry.set(attrs::kLayerEngine,
              builder.getStringAttr(valueName(s.onArray ? firmware::EngineKind::Mac : firmware::EngineKind::Dsp)));
    entry.set(attrs::kLayerInputBytes, builder.getI64IntegerAttr(int64_t(s.inputBytes)));
    entry.set(attrs::kLayerOutputBytes, builder.getI64IntegerAttr(int64_t(s.outputBytes)));
    entries.push_back(entry.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(entries);
}

} // namespace avocet::compiler::schedule
