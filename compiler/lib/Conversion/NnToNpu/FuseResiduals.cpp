//===- FuseResiduals.cpp - Additions in the output stage ------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseResiduals.h"

#include "OutputStage.h"
#include "Storage.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/OptionalActions.h"
#include "avocet/compiler/Support/Origin.h"
#include "avocet/compiler/Support/Remarks.h"
#include "avocet/kernels/Kernel.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// A convolution whose result is an operand of an addition, directly or in another shape.
struct Summand {
  npu::ConvOp conv; ///< null: the operand is something else
  npu::ViewOp view; ///< between both; may be null
  bool isFirst = false;

  Value value() { return view ? view.getResult() : conv.getResult(); }
};

class Fusion {
public:
  Fusion(func::FuncOp function, const Target &target)
      : function_(function), target_(target), layers_(function, target) {}

  void run() {
    SmallVector<npu::EltwiseOp> additions;
    for (npu::EltwiseOp op : function_.front().getOps<npu::EltwiseOp>())
      if (op.getCommand().kind == EltwiseKind::Add)
        additions.push_back(op);
    for (npu::EltwiseOp op : additions)
      fuse(op);
    layers_.write();
  }

private:
  void fuse(npu::EltwiseOp add) {
    if (add.getInputA().getType() != add.getInputB().getType() || add.getInputA() == add.getInputB())
      return remarkNotFused(add, "its operands differ in shape or type, or are the same tensor");
    Summand first = summandOf(add.getInputA()), second = summandOf(add.getInputB());
    first.isFirst = true;
    for (Summand *summand : {&first, &second}) {
      Value other = summand->isFirst ? add.getInputB() : add.getInputA();
      if (summand->conv && isBefore(other, summand->conv) && arrayTakes(*summand, add))
        return add->getContext()->executeAction<OptionalRewrite>([&] { replace(*summand, add); }, {add.getOperation()},
                                                                 "FuseResidual");
    }
    if (!first.conv && !second.conv)
      return remarkNotFused(add, "no operand is made by a convolution for it alone");
    remarkNotFused(add,
                   "the other operand is made later, or the output stage of the array does not take this addition");
  }

  static constexpr llvm::StringLiteral kRemark = "residual";

  static void remarkNotFused(npu::EltwiseOp add, StringRef reason) {
    remark::failed(add.getLoc(), remarkOptions(remarks::kFusion, kRemark))
        << remark::metric(remarks::kReason, reason.str());
  }

  Summand summandOf(Value operand) const {
    Summand summand;
    if (!operand.hasOneUse())
      return summand;
    summand.view = operand.getDefiningOp<npu::ViewOp>();
    Value result = summand.view ? summand.view.getInput() : operand;
    if (auto conv = result.getDefiningOp<npu::ConvOp>(); conv && result.hasOneUse() && canAdd(conv))
      summand.conv = conv;
    return summand;
  }

  static bool canAdd(npu::ConvOp conv) {
    return !conv.getTable() && !conv.getAddend() && cast<RankedTensorType>(conv.getWeights().getType()).getRank() == 1;
  }

  /// Whether a value is there when the convolution runs. It may be seen through a view, which takes no time.
  static bool isBefore(Value value, npu::ConvOp conv) {
    while (auto view = value.getDefiningOp<npu::ViewOp>())
      value = view.getInput();
    Operation *op = value.getDefiningOp();
    return !op || (!isa<npu::ConstantOp>(op) && op->isBeforeInBlock(conv));
  }

  static Residual residualOf(Summand &summand, npu::EltwiseOp add) {
    const EltwiseCommand &command = add.getCommand();
    Residual residual;
    residual.zeroPoint = summand.conv.getCommand().output.zeroPoint;
    residual.addend.zeroPoint = (summand.isFirst ? command.inputB : command.inputA).zeroPoint;
    residual.leftShift = command.leftShift;
    residual.rescaleResult = summand.isFirst ? command.rescaleA : command.rescaleB;
    residual.rescaleAddend = summand.isFirst ? command.rescaleB : command.rescaleA;
    residual.rescaleOutput = command.rescaleOutput;
    residual.rounding = command.rounding;
    residual.clamp = command.clamp;
    return residual;
  }

  static ConvCommand commandOf(Summand &summand, npu::EltwiseOp add) {
    ConvCommand command = summand.conv.getCommand();
    command.residual = residualOf(summand, add);
    command.output.zeroPoint = add.getCommand().output.zeroPoint;
    return command;
  }

  /// Whether the device takes the command on whole tensors.
  bool arrayTakes(Summand &summand, npu::EltwiseOp add) const {
    ConvCommand command = wholeCommand(summand.conv, commandOf(summand, add));
    command.residual.addend = fullMap(summand.conv.getResult(), command.residual.addend.zeroPoint);
    return kernels::findKernel(command)->check(target_, command).isOk();
  }

  /// Replaces both operations by one in the place of the addition, which all operands precede.
  void replace(Summand &summand, npu::EltwiseOp add) {
    npu::ConvOp conv = summand.conv;
    OpBuilder builder(add);
    auto viewed = [&](Value value, Type type) -> Value {
      return value.getType() == type ? value : npu::ViewOp::create(builder, add.getLoc(), type, value).getResult();
    };
    Value addend = viewed(summand.isFirst ? add.getInputB() : add.getInputA(), conv.getResult().getType());
    auto sum =
        npu::ConvOp::create(builder, fusedIntoResult(conv.getLoc(), add.getLoc()), conv.getResult().getType(),
                            conv.getInput(), conv.getWeights(), conv.getRecords(), conv.getDynamicScale(), Value(),
                            addend, commandOf(summand, add), conv.getPadBottom(), conv.getPadRight(), conv.getLayer());
    remark::passed(sum.getLoc(), remarkOptions(remarks::kFusion, kRemark))
        << remark::metric(remarks::kChoice, std::string("the output stage of the convolution adds"));
    layers_.join(conv.getLayer(), add.getLayer());
    add.getResult().replaceAllUsesWith(viewed(sum.getResult(), add.getResult().getType()));
    add.erase();
    if (summand.view)
      summand.view.erase();
    conv.erase();
  }

  func::FuncOp function_;
  const Target &target_;
  JoinedLayers layers_;
};

} // namespace

void fuseResiduals(func::FuncOp placed, const Target &target) {
  placed->getContext()->executeAction<OptionalTransform>([&] { Fusion(placed, target).run(); }, {placed.getOperation()},
                                                         "fuse-residuals");
}

} // namespace avocet::compiler
