//===- Views.cpp - Tensors inside others ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Views.h"

#include "RowMoves.h"

#include "avocet/firmware_iface/Command.h"
#include "avocet/kernels/BlockChoice.h"
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

namespace {

/// Longer rows are not moved one by one: the device stops between rows.
constexpr int64_t kLongestRow = 16384;

/// The shape of so many elements in rows of `width` pixels if possible.
StorageShape shapeOfRows(int64_t elements, int64_t rows, int64_t width) {
  const int64_t row = elements / rows;
  return row % width == 0 ? StorageShape{rows, width, row / width} : StorageShape{rows, 1, row};
}

/// The moves of each of `rows` rows, if the command can run row by row.
std::optional<kernels::RearrangeParameters> movesOfRow(const kernels::RearrangeParameters &parameters,
                                                       ValueRange inputs, StorageShape shape, int64_t rows,
                                                       int64_t longest) {
  SmallVector<int64_t> counts{shape[0] * shape[1] * shape[2]};
  for (Value input : inputs)
    counts.push_back(tensorOf(input).getNumElements());
  if (rows == 1 || llvm::any_of(counts, [&](int64_t count) { return count % rows || count / rows > longest; }))
    return std::nullopt;
  SmallVector<uint64_t> row;
  for (int64_t count : counts)
    row.push_back(count / rows);
  return rowMoves(parameters, rows, ArrayRef(row).drop_front(), row.front());
}

/// Creates the command; the operands have the shapes of the moves.
FailureOr<Value> createRearrange(Operation *op, ValueRange inputs, StorageShape shape,
                                 const kernels::RearrangeParameters &parameters, Placement &placement,
                                 std::optional<uint32_t> layer) {
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
  dsp.rowWise = parameters.areOfRows;
  dsp.layer = layer;
  FailureOr<npu::DspOp> moved = placement.dsp(op, dsp);
  if (failed(moved))
    return failure();
  return moved->getResult(0);
}

} // namespace

bool isOfNetworkInput(Value storage) {
  while (isa_and_nonnull<npu::ViewOp, npu::PartOp>(storage.getDefiningOp()))
    storage = storage.getDefiningOp()->getOperand(0);
  return isa<BlockArgument>(storage);
}

FailureOr<Value> placeRearrange(Operation *op, ValueRange inputs, StorageShape shape,
                                kernels::RearrangeParameters parameters, Placement &placement,
                                std::optional<uint32_t> layer, std::optional<int64_t> givenRows) {
  for (kernels::Move &move : parameters.moves)
    move = kernels::simplified(move);
  // In the rows of the tensor that is moved, so that stripes of it can be moved while others are made; or in those of
  // the result, so that stripes can be moved while others are loaded.
  const Value root = npu::rootOf(inputs.front());
  int64_t rows = givenRows.value_or(tensorOf(root).getDimSize(0)), width = givenRows ? 1 : tensorOf(root).getDimSize(1);
  auto ofRows = movesOfRow(parameters, inputs, shape, rows, givenRows ? INT64_MAX : kLongestRow);
  if (!ofRows && !givenRows && llvm::all_of(inputs, isOfNetworkInput)) {
    rows = shape[0], width = shape[1];
    ofRows = movesOfRow(parameters, inputs, shape, rows, kLongestRow);
  }
  if (!ofRows)
    return createRearrange(op, inputs, shape, parameters, placement, layer);
  SmallVector<Value> views;
  for (Value input : inputs) {
    const RankedTensorType type = tensorOf(input);
    views.push_back(
        placement.view(op->getLoc(), npu::rootOf(input),
                       storageType(shapeOfRows(type.getNumElements(), rows, width), type.getElementType())));
  }
  const StorageShape result = shapeOfRows(shape[0] * shape[1] * shape[2], rows, width);
  FailureOr<Value> moved = createRearrange(op, views, result, *ofRows, placement, layer);
  if (failed(moved))
    return failure();
  return placement.view(op->getLoc(), *moved, shape);
}

/// The move in the tensor that contains its input. Each axis of the move is one of rows, of columns or of channels.
static kernels::Move inWhole(const kernels::Move &move, const npu::Layout &layout, RankedTensorType storage) {
  const int64_t element = sizeOf(*npu::dataTypeOf(storage.getElementType()));
  const int64_t pixel = storage.getDimSize(2), row = storage.getDimSize(1) * pixel;
  const auto inWhole = [&](int64_t distance) {
    return (distance / row * layout.rowStride + distance % row / pixel * layout.pixelStride) / element +
           distance % pixel;
  };
  kernels::Move moved = move;
  moved.inputOffset = static_cast<uint32_t>(layout.offset / element + inWhole(move.inputOffset));
  for (kernels::MoveAxis &axis : moved.axes)
    axis.inputStride = static_cast<int32_t>(inWhole(axis.inputStride));
  return moved;
}

FailureOr<Value> placeRowsOfWhole(Operation *op, Value storage, StorageShape shape, const kernels::Move &move,
                                  Placement &placement) {
  const std::optional<npu::Layout> layout = placement.layouts().of(storage);
  if (!layout || placement.layouts().isDense(storage))
    return Value();
  const Value whole = layout->whole;
  if (tensorOf(whole).getElementType() != tensorOf(storage).getElementType())
    return Value();
  const kernels::RearrangeParameters moves{false, 0, {kernels::simplified(inWhole(move, *layout, tensorOf(storage)))}};
  if (!movesOfRow(moves, whole, shape, tensorOf(whole).getDimSize(0), kLongestRow))
    return Value();
  return placeRearrange(op, whole, shape, moves, placement);
}

namespace {

PoolCommand copyCommand(Value storage) {
  PoolCommand command;
  command.kind = PoolKind::Max;
  if (tensorOf(storage).getElementType().isF32())
    command.clamp = kernels::plainActivationClamp(kernels::Activation::kNone);
  command.input = command.output = fullMap(storage, 0);
  return command;
}

/// Cycles of the moves as one command of the DSP; nullopt if it does not take them.
std::optional<uint64_t> moveCycles(ArrayRef<RankedTensorType> inputs, RankedTensorType output,
                                   const kernels::RearrangeParameters &parameters, const Target &target) {
  DspCommand command;
  command.kernel = kernels::kRearrangeKernel.number;
  command.parameters = kernels::packRearrange(parameters);
  for (RankedTensorType input : inputs)
    command.inputs.push_back(fullMap(input, 0));
  command.outputs = {fullMap(output, 0)};
  const kernels::Kernel &kernel = *kernels::findKernel(CommandBody(command));
  if (command.parameters.size() > DspCommand::kMaxDspParameters || !kernel.check(target, command).isOk())
    return std::nullopt;
  return kernel.cost(target, command).cycles;
}

/// Pixels of fewer bytes take a whole access of the SRAM port each.
constexpr uint64_t kThinBytes = 16;

/// Whether the DSP copies `sources` to `result` in less time than the array, which makes few channels in the time of
/// many. A command of the DSP needs all elements at once, while transfers go on beside the array. In rows (RowMoves)
/// they go on beside the DSP too, and small results wait little: half of the array's time is then enough for pixels of
/// few bytes.
bool isForDsp(ArrayRef<Value> sources, std::optional<uint64_t> dspCycles, uint64_t arrayCycles, RankedTensorType result,
              const Target &target) {
  if (!dspCycles)
    return false;
  const uint64_t bytes = fullMap(result, 0).rowStride * uint64_t(result.getDimSize(0));
  const uint64_t transfers = 2 * kernels::loadRate(target).cyclesFor(bytes);
  if (*dspCycles + transfers < std::max(arrayCycles, transfers))
    return true;
  const auto isThin = [](Value source) { return fullMap(source, 0).pixelStride < kThinBytes; };
  const bool isInRows =
      llvm::all_of(sources, [](Value source) { return tensorOf(npu::rootOf(source)).getDimSize(0) > 1; });
  return llvm::any_of(sources, isThin) && (isInRows || bytes <= target.sram().bytes / 8) &&
         *dspCycles * 2 < arrayCycles;
}

} // namespace

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

/// The move that copies a storage tensor out of the one that contains it.
static kernels::Move moveOutOf(const npu::Layout &layout, RankedTensorType storage) {
  const int64_t element = sizeOf(*npu::dataTypeOf(storage.getElementType()));
  const SmallVector<int64_t> dense = denseStrides(storage.getShape());
  const int64_t strides[] = {layout.rowStride / element, layout.pixelStride / element, 1};
  kernels::Move move;
  move.inputOffset = static_cast<uint32_t>(layout.offset / element);
  for (unsigned axis = 0; axis < 3; ++axis)
    move.axes.push_back({static_cast<uint32_t>(storage.getDimSize(axis)), static_cast<int32_t>(strides[axis]),
                         static_cast<int32_t>(dense[axis])});
  return kernels::simplified(move);
}

/// A max pool with windows of one element moves every type of the array unchanged.
static FailureOr<Value> copyOnArray(Operation *op, Value storage, uint32_t layer, Placement &placement) {
  PoolCommand command = copyCommand(storage);
  if (failed(placement.check(op, command)))
    return failure();
  command.input = command.output = FeatureMap(); // follow from the operands
  return npu::PoolOp::create(placement.builder(), op->getLoc(), storage.getType(), storage, command, 0, 0, layer)
      .getResult();
}

FailureOr<Value> placeCopy(Operation *op, Value storage, uint32_t layer, Placement &placement) {
  const RankedTensorType type = tensorOf(storage);
  if (!isMovedByArray(type.getElementType()))
    return copyOnDsp(op, storage, layer, placement);
  if (const std::optional<npu::Layout> layout = placement.layouts().of(storage);
      layout && !placement.layouts().isDense(storage)) {
    const kernels::RearrangeParameters moves{false, 0, {moveOutOf(*layout, type)}};
    if (isForDsp(storage, moveCycles(tensorOf(layout->whole), type, moves, placement.target()),
                 kernels::chooseBlock(placement.target(), copyCommand(storage)).cycles, type, placement.target()))
      return placeRearrange(op, layout->whole, {type.getDimSize(0), type.getDimSize(1), type.getDimSize(2)}, moves,
                            placement, layer);
  }
  return copyOnArray(op, storage, layer, placement);
}

/// The shape of dense bytes with the most channels that a block has, and then the most columns.
static StorageShape wideShape(int64_t bytes, const Extent3 &block) {
  const auto divisorUpTo = [](int64_t number, int64_t most) {
    int64_t divisor = std::min(number, most);
    while (number % divisor != 0)
      --divisor;
    return divisor;
  };
  const int64_t channels = divisorUpTo(bytes, block.channels), columns = divisorUpTo(bytes / channels, block.width);
  return {bytes / channels / columns, columns, channels};
}

FailureOr<Value> placeCopyOfBytes(Operation *op, Value storage, uint32_t layer, Placement &placement) {
  const RankedTensorType type = tensorOf(storage);
  const int64_t bytes = type.getNumElements() * sizeOf(*npu::dataTypeOf(type.getElementType()));
  const StorageShape shape = wideShape(bytes, placement.target().mac().largestBlock);
  if (!placement.layouts().isDense(storage) || type.getDimSize(2) >= shape[2])
    return placeCopy(op, storage, layer, placement);
  const Value source = placement.view(op->getLoc(), storage, storageType(shape, placement.builder().getI8Type()));
  FailureOr<Value> copied = placeCopy(op, source, layer, placement);
  if (failed(copied))
    return failure();
  return placement.view(op->getLoc(), *copied, type);
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
  const bool isPlain = isMovedByArray(tensorOf(join).getElementType()) || placement.layouts().isDense(root) ||
                       isa_and_nonnull<npu::ConvOp, npu::EltwiseOp>(root.getDefiningOp());
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
    FailureOr<Value> copied = copyOnArray(op, join.getInputs()[index], placement.layerOf(op), placement);
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

/// Whether one command of the DSP copies all parts faster than the array, part by part.
static bool isJoinForDsp(ArrayRef<Value> parts, unsigned axis, RankedTensorType type, const Target &target) {
  kernels::RearrangeParameters moves;
  SmallVector<RankedTensorType> inputs;
  SmallVector<int64_t> position(3, 0);
  uint64_t arrayCycles = 0;
  for (auto [number, part] : llvm::enumerate(parts)) {
    inputs.push_back(tensorOf(part));
    moves.moves.push_back(kernels::simplified(
        placedAt(static_cast<uint32_t>(number), inputs.back().getShape(), type.getShape(), position)));
    position[axis] += inputs.back().getDimSize(axis);
    arrayCycles += kernels::chooseBlock(target, copyCommand(part)).cycles;
  }
  return isForDsp(parts, moveCycles(inputs, type, moves, target), arrayCycles, type, target);
}

FailureOr<Value> placeJoin(Operation *op, ArrayRef<Value> parts, unsigned axis, Placement &placement) {
  npu::JoinOp join = createJoin(op, parts, axis, false, placement);
  const RankedTensorType type = tensorOf(join);
  SmallVector<unsigned> copied;
  for (unsigned index = 0; index < parts.size(); ++index)
    if (!placeInput(join, index, placement))
      copied.push_back(index);
  const bool isOneMove = copied.size() == parts.size() && isJoinForDsp(parts, axis, type, placement.target());
  if (!copied.empty() && (isOneMove || !isMovedByArray(type.getElementType()))) {
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

/// Whether only operations of elements on the array read the results, which they do at any distances.
static bool isReadByArray(Operation *op) {
  return !op->use_empty() && llvm::all_of(op->getUsers(), [](Operation *user) {
    return isa<nn::AddOp, nn::SubOp, nn::MulOp, nn::MinimumOp, nn::MaximumOp>(user);
  });
}

Value placePart(Operation *op, Value storage, StorageShape position, StorageShape shape, Placement &placement,
                int64_t columnStep) {
  if (isConstant(storage))
    return Value();
  SmallVector<int32_t> at(position.begin(), position.end()), steps{1, static_cast<int32_t>(columnStep)};
  auto part = npu::PartOp::create(placement.builder(), op->getLoc(),
                                  storageType(shape, tensorOf(storage).getElementType()), storage, at, steps);
  if (isMovedByArray(tensorOf(storage).getElementType()) || placement.layouts().isDense(part) || isReadByArray(op))
    return part;
  part.erase();
  return Value();
}

} // namespace avocet::compiler
