//===- LayerTable.h - The layers that hints name ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layers of a module's placed functions, numbered as in the artefacts, with the operators of the user's file that
// were fused into each. Made before the first function becomes a program.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_HINTS_LAYERTABLE_H
#define AVOCET_COMPILER_LIB_SCHEDULE_HINTS_LAYERTABLE_H

#include "Hints.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace avocet::compiler::schedule {

class LayerTable {
public:
  LayerTable() = default; ///< without layers
  explicit LayerTable(mlir::ModuleOp module);

  /// The layer that a reference means; a message if it means none or several. A name is that of a layer or of one of
  /// its operators, the first of several names that stand in one (separated by ";"), or else a part of one.
  struct Found {
    uint32_t layer = 0;
    std::string error; ///< empty: found
  };
  Found find(const OperatorRef &ref) const;

  /// The section that a layer belongs to, by the name of its function, and the number of that section's first layer.
  llvm::StringRef sectionOf(uint32_t layer) const { return section(layer).function; }
  uint32_t firstLayerOf(llvm::StringRef function) const;

  /// A reference to the layer that find() understands: its name as reports show it or a longer one, else
  /// its number.
  OperatorRef refTo(uint32_t layer) const;

private:
  struct Layer {
    std::string name;
    std::set<std::string> operators;
  };
  struct Section {
    std::string function;
    uint32_t firstLayer = 0;
  };
  const Section &section(uint32_t layer) const;
  void add(const std::string &name, uint32_t layer);
  std::set<uint32_t> layersNamed(const std::string &name) const;
  std::string described(const std::set<uint32_t> &layers) const;

  std::vector<Layer> layers_;
  std::vector<std::string> shortNames_; ///< as reports show them
  std::vector<Section> sections_;
  std::map<std::string, std::set<uint32_t>, std::less<>> exact_; ///< layers by name
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_HINTS_LAYERTABLE_H
