//===- PlaceMove.cpp - Operations that move elements or only rename them ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of other operations are written in place, side by side, so that nothing is left to do. Elements that the
// array does not have are copied by the DSP if their operations cannot write them in place.
//
//===----------------------------------------------------------------------===//

#include "PlaceLstm.h"
#include "Views.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Section.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

int64_t product(ArrayRef<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents)
    result *= extent;
  return result;
}

/// Places an operation with one input whose result is one move.
LogicalResult placeMove(Operation *op, kernels::Move move, Placement &placement) {
  StorageShape shape = storageShape(tensorOf(op->getResult(0)).getShape());
  const Value input = placement.operand(op->getOperand(0));
  FailureOr<Value> moved = placeRowsOfWhole(op, input, shape, move, placement);
  if (succeeded(moved) && !*moved)
    moved = placeRearrange(op, input, shape, {false, 0, {std::move(move)}}, placement);
  return failed(moved) ? failure() : placement.finish(op, *moved);
}

kernels::MoveAxis axisOf(int64_t extent, int64_t inputStride, int64_t outputStride) {
  return {static_cast<uint32_t>(extent), static_cast<int32_t>(inputStride), static_cast<int32_t>(outputStride)};
}

/// The planes of an image, if the move puts them side by side in pixels; 0: it does something else.
int64_t interleavedPlanes(const kernels::Move &move) {
  constexpr uint32_t kMost = 8;
  const std::vector<kernels::MoveAxis> axes = kernels::simplified(move).axes;
  if (axes.size() != 2 || axes[1].extent > kMost)
    return 0;
  const kernels::MoveAxis pixels = axisOf(axes[0].extent, 1, axes[1].extent),
                          planes = axisOf(axes[1].extent, axes[0].extent, 1);
  return axes[0] == pixels && axes[1] == planes ? planes.extent : 0;
}

/// Planes of an input are operands of their own, whose rows can be moved as soon as they are loaded.
LogicalResult placePlanes(Operation *op, int64_t count, Placement &placement) {
  const Value input = placement.operand(op->getOperand(0));
  const ArrayRef<int64_t> whole = tensorOf(input).getShape();
  const StorageShape plane{whole[0] / count, whole[1], whole[2]};
  SmallVector<Value> planes;
  kernels::RearrangeParameters parameters;
  for (int64_t index = 0; index < count; ++index) {
    planes.push_back(placePart(op, input, {index * plane[0], 0, 0}, plane, placement));
    parameters.moves.push_back({static_cast<uint32_t>(index),
                                0,
                                static_cast<uint32_t>(index),
                                {axisOf(plane[0] * plane[1] * plane[2], 1, count)}});
  }
  FailureOr<Value> moved =
      placeRearrange(op, planes, storageShape(tensorOf(op->getResult(0)).getShape()), parameters, placement);
  return failed(moved) ? failure() : placement.finish(op, *moved);
}

LogicalResult placeTranspose(nn::TransposeOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getOutput()).getShape();
  SmallVector<int64_t> from = denseStrides(tensorOf(op.getInput()).getShape()), to = denseStrides(shape);
  kernels::Move move;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    move.axes.push_back(axisOf(shape[axis], from[op.getPermutation()[axis]], to[axis]));
  const Value input = placement.operand(op.getInput());
  const int64_t planes = isOfNetworkInput(input) ? interleavedPlanes(move) : 0;
  if (planes > 1 && tensorOf(input).getDimSize(0) % planes == 0 && placement.layouts().isDense(input))
    return placePlanes(op, planes, placement);
  return placeMove(op, std::move(move), placement);
}

/// Whether only transposes read the value, which can read it wherever it is.
bool isOnlyTransposed(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) { return isa<nn::TransposeOp>(user); });
}

/// The box of the storage tensor, whose columns may be at distances; nullopt if the slice is none.
std::optional<StorageShape> boxOf(nn::SliceOp op) {
  const ArrayRef<int64_t> from = tensorOf(op.getInput()).getShape(), to = tensorOf(op.getOutput()).getShape();
  StorageShape position{};
  bool isOutermost = true; // the axes before have extent 1
  for (size_t axis = 0; axis < from.size(); ++axis) {
    const size_t fromEnd = from.size() - axis;
    const bool isStep = fromEnd == 2 && op.getStrides()[axis] > 0 && isOnlyTransposed(op);
    if (op.getStrides()[axis] != 1 && to[axis] != 1 && !isStep)
      return std::nullopt;
    if (fromEnd <= 2) {
      position[fromEnd == 1 ? 2 : 1] = op.getBegin()[axis];
      continue;
    }
    if (from[axis] != to[axis] && !isOutermost)
      return std::nullopt;
    const int64_t rows = product(from.slice(axis + 1, from.size() - axis - 3));
    position[0] += op.getBegin()[axis] * rows;
    isOutermost &= to[axis] == 1;
  }
  return position;
}

LogicalResult placeSlice(nn::SliceOp op, Placement &placement) {
  if (const std::optional<StorageShape> position = boxOf(op)) {
    const StorageShape box = storageShape(tensorOf(op.getOutput()).getShape());
    const int64_t step = box[1] > 1 ? op.getStrides()[op.getStrides().size() - 2] : 1;
    if (Value part = placePart(op, placement.operand(op.getInput()), *position, box, placement, step))
      return placement.finish(op, part);
  }
  ArrayRef<int64_t> shape = tensorOf(op.getOutput()).getShape();
  SmallVector<int64_t> from = denseStrides(tensorOf(op.getInput()).getShape()), to = denseStrides(shape);
  kernels::Move move;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    move.inputOffset += static_cast<uint32_t>(op.getBegin()[axis] * from[axis]);
    move.axes.push_back(axisOf(shape[axis], op.getStrides()[axis] * from[axis], to[axis]));
  }
  return placeMove(op, std::move(move), placement);
}

/// Every axis becomes two: one from copy to copy, which reads the same elements again, and one inside a copy.
LogicalResult placeTile(nn::TileOp op, Placement &placement) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  SmallVector<int64_t> from = denseStrides(shape), to = denseStrides(tensorOf(op.getOutput()).getShape());
  kernels::Move move;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    move.axes.push_back(axisOf(op.getMultiples()[axis], 0, shape[axis] * to[axis]));
    move.axes.push_back(axisOf(shape[axis], from[axis], to[axis]));
  }
  return placeMove(op, std::move(move), placement);
}

/// Each operation that writes a part is compared with all others.
constexpr size_t kMostInPlace = 256;

/// The axis of storage tensors that is the result's axis, if the result's rows allow that.
std::optional<unsigned> storageAxis(nn::ConcatenationOp op) {
  auto type = tensorOf(op.getOutput());
  const auto rank = static_cast<size_t>(type.getRank()), axis = static_cast<size_t>(op.getAxis());
  if (axis + 2 >= rank)
    return axis + 1 == rank ? 2 : 1;
  const bool isOutermost = llvm::all_of(type.getShape().take_front(axis), [](int64_t extent) { return extent == 1; });
  return isOutermost ? std::optional(0u) : std::nullopt;
}

/// Null if the parts cannot be written in place.
FailureOr<Value> concatenateInPlace(nn::ConcatenationOp op, Placement &placement) {
  const std::optional<unsigned> axis = storageAxis(op);
  if (!axis || op.getInputs().size() > kMostInPlace)
    return Value();
  SmallVector<Value> parts;
  for (Value input : op.getInputs())
    parts.push_back(placement.operand(input));
  return placeJoin(op, parts, *axis, placement);
}

/// A tensor that one command reads or writes.
struct Part {
  Value storage;
  SmallVector<int64_t> shape;
};

/// Concatenates the parts along the axis.
FailureOr<Part> join(nn::ConcatenationOp op, ArrayRef<Part> parts, Placement &placement) {
  Part whole{{}, parts.front().shape};
  whole.shape[op.getAxis()] = 0;
  for (const Part &part : parts)
    whole.shape[op.getAxis()] += part.shape[op.getAxis()];
  kernels::RearrangeParameters parameters;
  SmallVector<int64_t> position(whole.shape.size(), 0);
  SmallVector<Value> inputs;
  for (auto [number, part] : llvm::enumerate(parts)) {
    parameters.moves.push_back(placedAt(static_cast<uint32_t>(number), part.shape, whole.shape, position));
    position[op.getAxis()] += part.shape[op.getAxis()];
    inputs.push_back(part.storage);
  }
  FailureOr<Value> joined = placeRearrange(op, inputs, storageShape(whole.shape), parameters, placement);
  if (failed(joined))
    return failure();
  whole.storage = *joined;
  return whole;
}

/// Joins up to kMost parts per command: each is a box of two axes in ten words, and a command has limited words.
FailureOr<Value> concatenateOnDsp(nn::ConcatenationOp op, Placement &placement) {
  constexpr size_t kMost = 24;
  SmallVector<Part> parts;
  for (Value input : op.getInputs())
    parts.push_back({placement.operand(input), SmallVector<int64_t>(tensorOf(input).getShape())});
  while (parts.size() > 1) {
    SmallVector<Part> joined;
    for (ArrayRef<Part> rest = parts; !rest.empty(); rest = rest.drop_front(std::min(kMost, rest.size()))) {
      FailureOr<Part> part = join(op, rest.take_front(kMost), placement);
      if (failed(part))
        return failure();
      joined.push_back(*part);
    }
    parts = joined;
  }
  return parts.front().storage;
}

LogicalResult placeConcatenation(nn::ConcatenationOp op, Placement &placement) {
  FailureOr<Value> joined = concatenateInPlace(op, placement);
  if (succeeded(joined) && !*joined)
    joined = concatenateOnDsp(op, placement);
  return failed(joined) ? failure() : placement.finish(op, *joined);
}

/// After input and states.
constexpr unsigned kFirstCellWeights = 3;

/// Only constants that are read as values become device constants; layers pack the weights that they read.
bool isReadAsValue(nn::ConstantOp op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    if (auto cell = dyn_cast<nn::LstmCellOp>(use.getOwner()))
      return use.getOperandNumber() < kFirstCellWeights || !isPlainSequence(cell);
    bool hasWeights = isa<nn::Conv2dOp, nn::DepthwiseConv2dOp, nn::GroupedConv2dOp, nn::TransposeConv2dOp,
                          nn::FullyConnectedOp, nn::LstmOp>(use.getOwner());
    return !hasWeights || use.getOperandNumber() == 0;
  });
}

LogicalResult placeConstant(nn::ConstantOp op, Placement &placement) {
  if (isReadAsValue(op))
    placement.bind(op, placement.constant(op, storageType(tensorOf(op.getOutput()))));
  return success();
}

LogicalResult placeReshape(nn::ReshapeOp op, Placement &placement) {
  return placement.finish(op, placement.operand(op.getInput()));
}

LogicalResult placeBitcast(nn::BitcastOp op, Placement &placement) {
  placement.bind(op,
                 placement.view(op.getLoc(), placement.operand(op.getInput()), storageType(tensorOf(op.getOutput()))));
  return success();
}

/// Whether the bytes are those of a network input or of a constant.
bool isBorrowed(Value storage) {
  while (auto view = storage.getDefiningOp<npu::ViewOp>())
    storage = view.getInput();
  return isa<BlockArgument>(storage) || storage.getDefiningOp<npu::ConstantOp>();
}

/// Between sections inputs are passed on unchanged: the scheduler copies from region to region, in any type and size.
bool isInput(Value storage) {
  while (auto view = storage.getDefiningOp<npu::ViewOp>())
    storage = view.getInput();
  return isa<BlockArgument>(storage);
}

StringRef outputName(func::FuncOp network, unsigned index) {
  auto name = network.getResultAttrOfType<StringAttr>(index, attrs::kOperandName);
  return name ? name.getValue() : StringRef();
}

} // namespace

LogicalResult placeReturn(func::FuncOp network, func::ReturnOp end, Placement &placement) {
  SmallVector<Value> results;
  for (auto [index, value] : llvm::enumerate(end.getOperands())) {
    Value storage = placement.operand(value);
    const bool isCopied = isBorrowed(storage) && !(isSection(network) && isInput(storage));
    if (isCopied || placement.layouts().isInside(storage)) {
      FailureOr<Value> copied =
          placeCopyOfBytes(end, storage, placement.addLayer(outputName(network, index), "COPY"), placement);
      if (failed(copied))
        return failure();
      storage = *copied;
    }
    results.push_back(storage);
  }
  func::ReturnOp::create(placement.builder(), end.getLoc(), results);
  return success();
}

void addMovePlacers(PlacerTable &table) {
  table.add(placeTranspose);
  table.add(placeSlice);
  table.add(placeTile);
  table.add(placeConcatenation);
  table.add(placeConstant);
  table.add(placeReshape);
  table.add(placeBitcast);
}

} // namespace avocet::compiler
