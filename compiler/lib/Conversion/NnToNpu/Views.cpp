//===- Views.cpp - Tensors inside others ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Rearrange.h"

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

kernels::Move placedAt(uint32_t input, ArrayRef<int64_t> shape, ArrayRef<int64_t> outer, ArrayRef<int64_t> position) {
  SmallVector<int64_t> from = denseStrides(shape), to = denseStrides(outer);
  kernels::Move move;
  move.input = input;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    move.outputOffset += static_cast<uint32_t>(position[axis] * to[axis]);
    move.axes.push_back(
        {static_cast<uint32_t>(shape[axis]), static_cast<int32_t>(from[axis]), static_cast<int32_t>(to[axis])});
  }
  return move;
}

FailureOr<Value> placeRearrange(Operation *op, ValueRange inputs, StorageShape shape,
                                kernels::RearrangeParameters parameters, Placement &placement,
                                std::optional<uint32_t> layer) {
  for (kernels::Move &move : parameters.moves)
    move = kernels::simplified(move);
  Placement::Dsp dsp;
  dsp.kernel = kernels::kRearrangeKernel;
  dsp.parameters = kernels::packRearrange(parameters);
  constexpr size_t kMost = firmware::DspCommand::kMaxDspParameters;
  if (dsp.parameters.size() > kMost)
    return placement.refuse(op, "", "words that say how its elements move", Twine(dsp.parameters.size()), Twine(kMost));
  dsp.inputs.assign(inputs.begin(), inputs.end());
  dsp.inputZeroPoints.assign(inputs.size(), 0);
  dsp.results = {storageType(shape, tensorOf(inputs.front()).getElementType())};
  dsp.resultZeroPoints = {0};
  dsp.layer = layer;
  FailureOr<npu::DspOp> moved = placement.dsp(op, dsp);
  if (failed(moved))
    return failure();
  return moved->getResult(0);
}

bool isMovedByArray(Type storageElement) { return storageElement.isF32() || storageElement.isInteger(8); }

/// Copies types that the array does not pool.
static FailureOr<Value> copyOnDsp(Operation *op, Value storage, uint32_t layer, Placement &placement) {
  auto count = static_cast<uint32_t>(tensorOf(storage).getNumElements());
  Placement::Dsp dsp;
  dsp.kernel = kernels::kRearrangeKernel;
  dsp.parameters = kernels::packRearrange({false, 0, {{0, 0, 0, {{count, 1, 1}}}}});
  dsp.inputs = {storage};
  dsp.results = {storage.getType()};
  dsp.inputZeroPoints = dsp.resultZeroPoints = {0};
  dsp.layer = layer;
  FailureOr<npu::DspOp> copied = placement.dsp(op, dsp);
  if (failed(copied))
    return failure();
  return copied->getResult(0);
}

/// A max pool with windows of one element moves every type of the array unchanged.
FailureOr<Value> placeCopy(Operation *op, Value storage, uint32_t layer, Placement &placement) {
  Type element = tensorOf(storage).getElementType();
  if (!isMovedByArray(element))
    return copyOnDsp(op, storage, layer, placement);
  PoolCommand command;
  command.kind = PoolKind::Max;
  if (element.isF32())
    command.clamp = kernels::plainActivationClamp(kernels::Activation::kNone);
  auto pool = npu::PoolOp::create(placement.builder(), op->getLoc(), storage.getType(), storage, command, 0, 0, layer);
  command.input = command.output = fullMap(storage, 0);
  if (failed(placement.check(op, command)))
    return failure();
  return pool.getResult();
}

namespace {

/// Whether operations can access tensors where joins put them.
class PlaceCheck {
public:
  explicit PlaceCheck(Placement &placement) : placement_(placement) {}

  bool isGood(Value root) const {
    if (!placement_.layouts().of(root))
      return false;
    if (auto dsp = root.getDefiningOp<npu::DspOp>(); dsp && !isGood(dsp))
      return false;
    if (auto join = root.getDefiningOp<npu::JoinOp>())
      for (Value input : join.getInputs())
        if (!isGood(npu::rootOf(input)))
          return false;
    return areUsesGood(root);
  }

private:
  bool areUsesGood(Value value) const {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isa<npu::ViewOp, npu::PartOp>(user))
        return placement_.layouts().of(user->getResult(0)) && areUsesGood(user->getResult(0));
      if (auto dsp = dyn_cast<npu::DspOp>(user))
        return isGood(dsp);
      if (isa<npu::ConvOp>(user))
        return use.getOperandNumber() == 0;
      return isa<npu::PoolOp, npu::EltwiseOp, npu::LookupOp, npu::JoinOp>(user);
    });
  }

  bool isGood(npu::DspOp dsp) const {
    if (llvm::any_of(dsp.getResultFills(), [](int32_t fill) { return fill >= 0; }))
      return false;
    DspCommand command;
    command.kernel = *kernels::dspKernelNumber(dsp.getKernel().str());
    command.parameters.assign(dsp.getParameters().begin(), dsp.getParameters().end());
    for (auto [value, zeroPoint] : llvm::zip(dsp.getInputs(), dsp.getInputZeroPoints()))
      command.inputs.push_back(placement_.mapOf(value, zeroPoint));
    for (auto [value, zeroPoint] : llvm::zip(dsp.getResults(), dsp.getOutputZeroPoints()))
      command.outputs.push_back(placement_.mapOf(value, zeroPoint));
    return kernels::findKernel(CommandBody(command))->check(placement_.target(), command).isOk();
  }

  Placement &placement_;
};

bool placeInput(npu::JoinOp join, unsigned index, Placement &placement) {
  if (failed(placement.layouts().place(join, index)))
    return false;
  const Value root = npu::rootOf(join.getInputs()[index]);
  const bool isPlain = isMovedByArray(tensorOf(join).getElementType()) || placement.layouts().isDense(root);
  if (isPlain && PlaceCheck(placement).isGood(root))
    return true;
  placement.layouts().remove(join, index);
  return false;
}

/// Copies the inputs `indices` of a join to their places.
LogicalResult copyInputs(Operation *op, npu::JoinOp join, ArrayRef<unsigned> indices, Placement &placement) {
  OpBuilder::InsertionGuard guard(placement.builder());
  placement.builder().setInsertionPoint(join);
  for (unsigned index : indices) {
    FailureOr<Value> copied = placeCopy(op, join.getInputs()[index], placement.layerOf(op), placement);
    if (failed(copied))
      return failure();
    join.getInputsMutable()[index].assign(*copied);
    if (!placeInput(join, index, placement))
      return placement.refuse(op, "", "a result with rows at constant distances", "others");
  }
  return success();
}

} // namespace

static npu::JoinOp createJoin(Operation *op, ArrayRef<Value> parts, unsigned axis, bool isInterleaved,
                              Placement &placement) {
  SmallVector<int64_t> shape(tensorOf(parts.front()).getShape());
  shape[axis] = 0;
  for (Value part : parts)
    shape[axis] += tensorOf(part).getDimSize(axis);
  auto type = RankedTensorType::get(shape, tensorOf(parts.front()).getElementType());
  return npu::JoinOp::create(placement.builder(), op->getLoc(), type, parts, isInterleaved, axis);
}

FailureOr<Value> placeArrayResults(Operation *op, ArrayRef<Value> parts, unsigned axis, bool isInterleaved,
                                   Placement &placement) {
  if (parts.size() == 1)
    return parts.front();
  npu::JoinOp join = createJoin(op, parts, axis, isInterleaved, placement);
  for (unsigned index = 0; index < parts.size(); ++index)
    if (failed(placement.layouts().place(join, index)))
      return placement.refuse(op, "", "parts of its result at constant distances", "others");
  return join.getResult();
}

FailureOr<Value> placeJoin(Operation *op, ArrayRef<Value> parts, unsigned axis, Placement &placement) {
  npu::JoinOp join = createJoin(op, parts, axis, false, placement);
  const RankedTensorType type = tensorOf(join);
  SmallVector<unsigned> copied;
  for (unsigned index = 0; index < parts.size(); ++index)
    if (!placeInput(join, index, placement))
      copied.push_back(index);
  if (!copied.empty() && !isMovedByArray(type.getElementType())) {
    for (unsigned index = 0; index < parts.size(); ++index)
      if (!llvm::is_contained(copied, index))
        placement.layouts().remove(join, index);
    join.erase();
    return Value();
  }
  if (failed(copyInputs(op, join, copied, placement)))
    return failure();
  return join.getResult();
}

/// Constants are read whole.
static bool isConstant(Value storage) {
  while (isa_and_nonnull<npu::ViewOp, npu::PartOp>(storage.getDefiningOp()))
    storage = storage.getDefiningOp()->getOperand(0);
  return storage.getDefiningOp<npu::ConstantOp>();
}

Value placePart(Operation *op, Value storage, StorageShape position, StorageShape shape, Placement &placement) {
  if (isConstant(storage))
    return Value();
  SmallVector<int32_t> at(position.begin(), position.end());
  auto part = npu::PartOp::create(placement.builder(), op->getLoc(),
                                  storageType(shape, tensorOf(storage).getElementType()), storage, at);
  if (isMovedByArray(tensorOf(storage).getElementType()) || placement.layouts().isDense(part))
    return part;
  part.erase();
  return Value();
}

} // namespace avocet::compiler
