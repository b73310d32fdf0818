//===- FuseTables.cpp - Look-ups in the output stage ----------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseTables.h"

#include "OutputStage.h"
#include "Storage.h"
#include "avocet/compiler/Support/OptionalActions.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Remarks.h"
#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

/// The convolution that makes a value and could have a table. Null: there is none.
static npu::ConvOp makerOf(Value value) {
  if (auto view = value.getDefiningOp<npu::ViewOp>())
    value = view.getInput();
  auto conv = value.getDefiningOp<npu::ConvOp>();
  return conv && !conv.getTable() && !conv.getAddend() ? conv : npu::ConvOp();
}

std::optional<uint64_t> cyclesOfTable(Value value, const Target &target) {
  npu::ConvOp conv = makerOf(value);
  if (!conv)
    return std::nullopt;
  const ConvCommand plain = wholeCommand(conv, conv.getCommand());
  ConvCommand withTable = plain;
  withTable.lookupTable = 0;
  if (!kernels::findKernel(withTable)->check(target, withTable).isOk())
    return std::nullopt;
  const uint64_t cycles = kernels::chooseBlock(target, withTable).cycles;
  return cycles - std::min(cycles, kernels::chooseBlock(target, plain).cycles);
}

namespace {

class Fusion {
public:
  Fusion(func::FuncOp function, const Target &target)
      : function_(function), target_(target), layers_(function, target) {}

  void run() {
    for (npu::LookupOp lookup : llvm::to_vector(function_.front().getOps<npu::LookupOp>()))
      fuse(lookup);
    layers_.write();
  }

private:
  void fuse(npu::LookupOp lookup) {
    npu::ConvOp conv = makerOf(lookup.getInput());
    if (!conv)
      return remarkNotFused(lookup,
                            "its input is made by no convolution or matrix product, or by one that looks up or adds "
                            "already");
    if (!lookup.getInput().hasOneUse() || !conv.getResult().hasOneUse())
      return remarkNotFused(lookup, "its input has another reader");
    if (!arrayTakes(conv, lookup))
      return remarkNotFused(lookup, "the output stage of the array does not take this look-up");
    lookup->getContext()->executeAction<OptionalRewrite>([&] { replace(conv, lookup); }, {lookup.getOperation()},
                                                         "FuseTable");
  }

  static constexpr llvm::StringLiteral kRemark = "table";

  static void remarkNotFused(npu::LookupOp lookup, StringRef reason) {
    remark::failed(lookup.getLoc(), remarkOptions(remarks::kFusion, kRemark))
        << remark::metric(remarks::kReason, reason.str());
  }

  /// Whether the device takes the command on whole tensors. The table has the bytes of the convolution's own type.
  bool arrayTakes(npu::ConvOp conv, npu::LookupOp lookup) const {
    if (tensorOf(conv.getResult()).getElementType() != tensorOf(lookup.getResult()).getElementType())
      return false;
    ConvCommand command = wholeCommand(conv, conv.getCommand());
    command.lookupTable = 0;
    return kernels::findKernel(command)->check(target_, command).isOk();
  }

  /// Replaces both operations by one in the place of the look-up.
  void replace(npu::ConvOp conv, npu::LookupOp lookup) {
    OpBuilder builder(lookup);
    auto fused = npu::ConvOp::create(builder, fusedIntoResult(conv.getLoc(), lookup.getLoc()),
                                     conv.getResult().getType(), conv.getInput(), conv.getWeights(), conv.getRecords(),
                                     conv.getDynamicScale(), lookup.getTable(), Value(), conv.getCommand(),
                                     conv.getPadBottom(), conv.getPadRight(), conv.getLayer());
    remark::passed(fused.getLoc(), remarkOptions(remarks::kFusion, kRemark))
        << remark::metric(remarks::kChoice, std::string("the output stage looks the results up"));
    layers_.join(conv.getLayer(), lookup.getLayer());
    Value result = fused.getResult();
    auto view = lookup.getInput().getDefiningOp<npu::ViewOp>();
    if (result.getType() != lookup.getResult().getType())
      result = npu::ViewOp::create(builder, lookup.getLoc(), lookup.getResult().getType(), result);
    lookup.getResult().replaceAllUsesWith(result);
    lookup.erase();
    if (view)
      view.erase();
    conv.erase();
  }

  func::FuncOp function_;
  const Target &target_;
  JoinedLayers layers_;
};

} // namespace

void fuseTables(func::FuncOp placed, const Target &target) {
  placed->getContext()->executeAction<OptionalTransform>([&] { Fusion(placed, target).run(); }, {placed.getOperation()},
                                                         "fuse-tables");
}

} // namespace avocet::compiler
