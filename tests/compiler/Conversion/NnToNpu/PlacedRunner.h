//===- PlacedRunner.h - Runs placed functions with the kernels --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An interpreter of the placed level: every operation becomes one command over whole tensors in one large memory, and
// the kernels run it. There is no schedule and there are no tiles, so the result depends on placement only.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_COMPILER_PLACE_PLACEDRUNNER_H
#define AVOCET_TESTS_COMPILER_PLACE_PLACEDRUNNER_H

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/firmware_iface/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>
#include <vector>

namespace avocet::compiler {

using Bytes = std::vector<uint8_t>;

class PlacedRunner {
public:
  PlacedRunner(mlir::func::FuncOp function, const firmware::Target &target) : function_(function), target_(target) {}

  /// Raw tensors in graph order, without states, which have their initial values. Fails if an operation's kernel
  /// rejects its command or an input has a wrong size.
  Result<std::vector<Bytes>> run(const std::vector<Bytes> &inputs);

private:
  uint32_t place(mlir::Value value, llvm::ArrayRef<char> contents = {});
  /// Returns the number of states.
  size_t placeStates();
  void placeElements(mlir::Value value, mlir::ElementsAttr data);
  void placeDense(mlir::Value value, mlir::DenseElementsAttr data);
  firmware::FeatureMap mapOf(mlir::Value value, int32_t zeroPoint);
  Status step(mlir::Operation &op);
  Status execute(firmware::CommandBody command);
  Status runConv(npu::ConvOp op);
  /// One command for each set of weights, with an equal part of the rows.
  Status runSets(firmware::ConvCommand command, uint32_t weightBytes, uint32_t sets);
  Status runPool(npu::PoolOp op);
  Status runEltwise(npu::EltwiseOp op);
  Status runLookup(npu::LookupOp op);
  Status runDsp(npu::DspOp op);
  void runJoin(npu::JoinOp op);
  void runPart(npu::PartOp op);
  /// Copies between a box and its position in a tensor.
  void copyBox(mlir::Value box, mlir::Value whole, std::array<int64_t, 3> position, std::array<int64_t, 2> steps,
               bool isPart);

  mlir::func::FuncOp function_;
  const firmware::Target &target_;
  Bytes memory_;
  llvm::DenseMap<mlir::Value, uint32_t> addresses_;
};

} // namespace avocet::compiler

#endif // AVOCET_TESTS_COMPILER_PLACE_PLACEDRUNNER_H
