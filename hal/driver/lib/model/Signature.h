//===- Signature.h - Inputs and outputs of a model --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DRIVER_LIB_MODEL_SIGNATURE_H
#define AVOCET_HAL_DRIVER_LIB_MODEL_SIGNATURE_H

#include "avocet/hal/types/Types.h"

#include <vector>

namespace avocet::hal {

/// Inputs and outputs of a model's main subgraph, in order: the data that requests are checked against.
class Signature {
public:
  Signature() = default;
  explicit Signature(const Model &model) {
    for (uint32_t index : model.main.inputIndexes)
      addInput(model.main.operands[index]);
    for (uint32_t index : model.main.outputIndexes)
      addOutput(model.main.operands[index]);
  }

  void addInput(Operand operand) { add(std::move(operand), model_.main.inputIndexes); }
  void addOutput(Operand operand) { add(std::move(operand), model_.main.outputIndexes); }

  size_t numInputs() const { return model_.main.inputIndexes.size(); }
  size_t numOutputs() const { return model_.main.outputIndexes.size(); }
  const Operand &input(size_t index) const { return model_.main.operands[model_.main.inputIndexes[index]]; }
  const Operand &output(size_t index) const { return model_.main.operands[model_.main.outputIndexes[index]]; }

  /// A model without operations that has these inputs and outputs.
  const Model &model() const { return model_; }

private:
  void add(Operand operand, std::vector<uint32_t> &list) {
    list.push_back(static_cast<uint32_t>(model_.main.operands.size()));
    model_.main.operands.push_back(std::move(operand));
  }

  Model model_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_DRIVER_LIB_MODEL_SIGNATURE_H
