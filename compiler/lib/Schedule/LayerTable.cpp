//===- LayerTable.cpp - Report figures of each layer ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramWriter.h"
#include "avocet/compiler/Schedule/Core/TileCommand.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/firmware_iface/Reflection.h"
#include "avocet/kernels/Roofline.h"

#include "mlir/IR/Builders.h"

#include <map>

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

/// Sums over the operations of one layer.
struct LayerSums {
  uint64_t macs = 0, rooflineCycles = 0, weightBytes = 0, inputBytes = 0, outputBytes = 0;
  uint64_t longest = 0; ///< roofline of the operation that determines the engine
  bool onDsp = false;
};

uint64_t constantBytesOf(const Problem &problem, const schedule::Operation &op) {
  uint64_t bytes = 0;
  for (uint32_t constant : {op.weights, op.records, op.table})
    if (constant != kNone)
      bytes += problem.constants[constant].bytes;
  for (const Operand &input : op.inputs)
    if (input.isConstant)
      bytes += problem.constants[input.id].bytes;
  return bytes;
}

void addOperation(const Problem &problem, uint32_t index, LayerSums &sums) {
  const schedule::Operation &op = problem.operations[index];
  kernels::RooflineTerms terms = kernels::rooflineTerms(*problem.target, wholeCommand(problem, index));
  sums.macs += terms.macs;
  sums.rooflineCycles += terms.cycles();
  sums.weightBytes += constantBytesOf(problem, op);
  for (const Operand &input : op.inputs)
    sums.inputBytes += input.isConstant ? 0 : input.shape.bytes();
  for (const Operand &output : op.outputs)
    sums.outputBytes += output.shape.bytes();
  if (terms.cycles() >= sums.longest) {
    sums.longest = terms.cycles();
    sums.onDsp = std::holds_alternative<firmware::DspCommand>(op.command);
  }
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
              builder.getStringAttr(valueName(s.onDsp ? firmware::EngineKind::Dsp : firmware::EngineKind::Mac)));
    entry.set(attrs::kLayerMacs, builder.getI64IntegerAttr(int64_t(s.macs)));
    entry.set(attrs::kLayerRooflineCycles, builder.getI64IntegerAttr(int64_t(s.rooflineCycles)));
    entry.set(attrs::kLayerWeightBytes, builder.getI64IntegerAttr(int64_t(s.weightBytes)));
    entry.set(attrs::kLayerInputBytes, builder.getI64IntegerAttr(int64_t(s.inputBytes)));
    entry.set(attrs::kLayerOutputBytes, builder.getI64IntegerAttr(int64_t(s.outputBytes)));
    entries.push_back(entry.getDictionary(builder.getContext()));
  }
  return builder.getArrayAttr(entries);
}

} // namespace avocet::compiler::schedule
