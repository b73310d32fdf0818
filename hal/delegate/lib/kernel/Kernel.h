//===- Kernel.h - One partition of the interpreter on the device - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Legal sequence: make(), then any number of times {prepare(), any number of invoke()}, and release(). One thread at a
// time, as in the interpreter.
//
// Tensors that the partition reads and writes are moved into an area, so that the device uses the memory that the
// application or another operator fills: the interpreter leaves a tensor of kind Custom alone. The bytes of a tensor
// that cannot be moved are copied for each run. Variables alternate between two places; the interpreter's pointer
// follows, so that its function for resetting variables works on the device's state.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_KERNEL_KERNEL_H
#define AVOCET_HAL_DELEGATE_LIB_KERNEL_KERNEL_H

#include "avocet/hal/plugin/Executions.h"
#include "kernel/Shared.h"
#include "model/PartitionModel.h"

#include <array>
#include <memory>
#include <vector>

namespace avocet::delegate {

using plugin::Binding, plugin::Executions;

/// What the device gets for a partition, with the shapes that its tensors have now.
Network networkOf(PartitionModel &model, const abi::Context &context);

class Kernel {
public:
  static Result<std::unique_ptr<Kernel>> make(std::shared_ptr<Shared> shared, abi::Context &context,
                                              const abi::DelegateParameters &parameters);

  /// Compiles for the present shapes, and places the tensors.
  Status prepare(abi::Context &context);
  Status invoke(abi::Context &context);
  /// Gives the tensors back to the interpreter.
  void release(abi::Context &context);

private:
  struct Operand {
    int32_t tensor = 0;
    uint64_t bytes = 0;
    uint64_t offset = 0; ///< its place in area_
  };
  struct State {
    int32_t tensor = 0;
    uint64_t bytes = 0;
    std::array<uint64_t, 2> offsets{}; ///< in stateArea_
    void *own = nullptr;               ///< the interpreter's memory
  };

  explicit Kernel(std::shared_ptr<Shared> shared, PartitionModel model)
      : shared_(std::move(shared)), model_(std::move(model)) {}
  Status placeOperands(abi::Context &context);
  Status placeStates(abi::Context &context);
  void moveIn(abi::Tensor &tensor, const Operand &operand, bool isOutput, const Area *old);
  Status allocateDynamic(abi::Context &context);
  Place placeOf(const abi::Tensor &tensor, const Operand &operand);
  std::vector<Binding> bind(abi::Context &context);
  void copyIn(abi::Context &context, std::span<const Binding> bindings);
  void copyOut(abi::Context &context, std::span<const Binding> bindings);
  void loadStates(abi::Context &context);
  void advanceStates(abi::Context &context);
  uint8_t *stateData(const State &state, size_t which) { return stateArea_->data() + state.offsets[which]; }

  std::shared_ptr<Shared> shared_;
  PartitionModel model_;
  Prepared planned_;    ///< for the shapes of the plan; null: unknown
  uint32_t number_ = 0; ///< of the partition, in the profile
  std::vector<Operand> inputs_, outputs_;
  std::vector<State> states_;
  std::shared_ptr<Area> area_, stateArea_;
  size_t current_ = 0; ///< the place of each state that the next run reads
  Executions executions_;
};

} // namespace avocet::delegate

#endif // AVOCET_HAL_DELEGATE_LIB_KERNEL_KERNEL_H
