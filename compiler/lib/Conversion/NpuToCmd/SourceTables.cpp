//===- SourceTables.cpp - The source map of scheduled programs --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramDescription.h"

#include "avocet/compiler/Support/Origin.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

class Collector {
public:
  /// Numbers of operations from `most` on are ignored: they may come from a text.
  Collector(cache::ModelDescription &model, size_t most) : model_(model), most_(most) {}

  void add(npu::ProgramOp program) {
    for (auto command : program.getBody().getOps<npu::CommandOpInterface>())
      if (command.getLayerIndex() != firmware::kNoLayer)
        addCommand(command->getLoc(), firstLayer_ + command.getLayerIndex());
    firstLayer_ += program.getLayers().size();
  }

  /// Appends the operators in the order of their layers and numbers.
  void finish() {
    for (std::vector<cache::SourceEntry> &entries : entries_) {
      llvm::sort(entries, [](const auto &a, const auto &b) {
        return std::tie(a.operation, a.location) < std::tie(b.operation, b.location);
      });
      for (cache::SourceEntry &entry : entries)
        model_.sourceMap.push_back(std::move(entry));
    }
  }

private:
  void addCommand(Location location, uint32_t layer) {
    if (const auto origin = placedOriginOf(location))
      addOperation(location, *origin, layer);
    // Many tiles have the same operators.
    if (seen_.insert({location.getAsOpaquePointer(), layer}).second)
      appendOperators(location, layer, entriesOf(layer));
  }

  void addOperation(Location location, const PlacedOrigin &origin, uint32_t layer) {
    if (origin.operation >= most_)
      return;
    if (origin.operation >= model_.sourceOperations.size())
      model_.sourceOperations.resize(origin.operation + 1, {"", 0, firmware::DataType::Int8, 1, 1, 1});
    const auto type = npu::dataTypeOf(origin.result.getElementType());
    const cache::ResultShape shape = resultShapeOf(origin);
    model_.sourceOperations[origin.operation] = {resultName(location).str(),
                                                 layer,
                                                 type.value_or(firmware::DataType::Int8),
                                                 shape.height,
                                                 shape.width,
                                                 shape.channels};
  }

  std::vector<cache::SourceEntry> &entriesOf(uint32_t layer) {
    if (layer >= entries_.size())
      entries_.resize(layer + 1);
    return entries_[layer];
  }

  cache::ModelDescription &model_;
  const size_t most_;
  uint32_t firstLayer_ = 0;
  std::vector<std::vector<cache::SourceEntry>> entries_; ///< by layer
  llvm::DenseSet<std::pair<const void *, uint32_t>> seen_;
};

} // namespace

void describeSources(llvm::ArrayRef<npu::ProgramOp> programs, cache::ModelDescription &model) {
  size_t commands = 0; // each operation has at least one
  for (npu::ProgramOp program : programs)
    commands += llvm::range_size(program.getBody().front());
  Collector collector(model, commands);
  for (npu::ProgramOp program : programs)
    collector.add(program);
  collector.finish();
}

} // namespace avocet::compiler
