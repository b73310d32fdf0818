//===- PlaceElementwise.cpp - Elementwise operations of two inputs, comparisons and selection ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseTables.h"
#include "ImageRows.h"
#include "LayerNumerics.h"
#include "Layers/MacLayer.h"
#include "Lookup.h"
#include "Placement.h"
#include "PlacementRemarks.h"
#include "Views.h"
#include "avocet/compiler/Dialect/Nn/NnStored.h"
#include "avocet/kernels/BlockChoice.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Binary.h"
#include "avocet/kernels/dsp/Select.h"
#include "llvm/ADT/STLExtras.h"

#include <array>
#include <numeric>
#include <optional>
#include <vector>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// The same for any shapes: the outermost axis becomes rows, which the kernel "binary" reads with strides.
struct BroadcastRows {
  StorageShape lhs, rhs, result;
  kernels::BroadcastShape shape; ///< of a row
};

/// The operand's shape, extended to `rank` by leading axes of extent 1.
SmallVector<int64_t> alignedShape(Value value, size_t rank) {
  ArrayRef<int64_t> own = tensorOf(value).getShape();
  SmallVector<int64_t> aligned(rank - own.size(), 1);
  llvm::append_range(aligned, own);
  return aligned;
}

/// An axis of the result and its stride in both operands.
struct Axis {
  int64_t extent, strideA, strideB;

  /// Whether steps along this axis continue those along the next inner axis.
  bool continues(const Axis &inner) const {
    return strideA == inner.strideA * inner.extent && strideB == inner.strideB * inner.extent;
  }
};

/// Axes from the innermost outwards, without those of extent 1, mergeable neighbors merged.
SmallVector<Axis> mergedAxes(ArrayRef<int64_t> a, ArrayRef<int64_t> b, ArrayRef<int64_t> result) {
  SmallVector<Axis> axes;
  int64_t strideA = 1, strideB = 1;
  for (size_t axis = result.size(); axis-- > 0;) {
    Axis next{result[axis], a[axis] == 1 ? 0 : strideA, b[axis] == 1 ? 0 : strideB};
    strideA *= a[axis];
    strideB *= b[axis];
    if (next.extent == 1)
      continue;
    if (!axes.empty() && next.continues(axes.back()))
      axes.back().extent *= next.extent;
    else
      axes.push_back(next);
  }
  if (axes.empty())
    axes.push_back({1, 0, 0});
  return axes;
}

/// The storage shape of an operand that broadcasts to a result: every extent is that of the result's storage or 1. None
/// if the operand would have to repeat inside folded rows.
std::optional<StorageShape> broadcastStorage(Value value, ArrayRef<int64_t> result) {
  StorageShape shape = storageShape(alignedShape(value, result.size()));
  if (shape[0] != 1 && shape[0] != storageShape(result)[0])
    return std::nullopt;
  return shape;
}

BroadcastRows broadcastRows(Value lhs, Value rhs, ArrayRef<int64_t> result) {
  SmallVector<Axis> axes = mergedAxes(alignedShape(lhs, result.size()), alignedShape(rhs, result.size()), result);
  Axis outermost = axes.size() > 1 ? axes.pop_back_val() : Axis{1, 0, 0};
  BroadcastRows rows;
  for (const Axis &axis : llvm::reverse(axes)) {
    rows.shape.extents[rows.shape.rank] = axis.extent;
    rows.shape.stridesA[rows.shape.rank] = axis.strideA;
    rows.shape.stridesB[rows.shape.rank] = axis.strideB;
    ++rows.shape.rank;
  }
  auto storage = [](int64_t height, int64_t elements) { return StorageShape{height, 1, elements / height}; };
  int64_t elements = llvm::product_of(result);
  rows.lhs = storage(outermost.strideA == 0 ? 1 : outermost.extent, tensorOf(lhs).getNumElements());
  rows.rhs = storage(outermost.strideB == 0 ? 1 : outermost.extent, tensorOf(rhs).getNumElements());
  rows.result = storage(outermost.extent, elements);
  return rows;
}

/// Gives the operands of a result of `shape` the rows in which it is computed, and returns its shape in them.
StorageShape takeRows(Location location, MutableArrayRef<Value> operands, StorageShape shape, Placement &placement) {
  const StorageShape inRows = shapeInRows(ValueRange(operands), shape, placement);
  for (Value &operand : operands)
    operand = viewInRows(location, operand, shape, inRows, placement);
  return inRows;
}

/// Places `op` as the kernel "binary" of its first two operands; fills in parameters.shape.
LogicalResult placeBinary(Operation *op, kernels::BinaryParameters parameters, Placement &placement) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto type = tensorOf(op->getResult(0));
  auto a = broadcastStorage(lhs, type.getShape()), b = broadcastStorage(rhs, type.getShape());
  BroadcastRows rows{a.value_or(StorageShape()), b.value_or(StorageShape()), storageShape(type.getShape()), {}};
  if (!a || !b)
    rows = broadcastRows(lhs, rhs, type.getShape());
  parameters.shape = rows.shape;
  Placement::Dsp dsp;
  dsp.kernel = kernels::kBinaryKernel;
  dsp.inputs = {placement.view(op->getLoc(), placement.operand(lhs), rows.lhs),
                placement.view(op->getLoc(), placement.operand(rhs), rows.rhs)};
  if (a && b)
    rows.result = takeRows(op->getLoc(), dsp.inputs, rows.result, placement);
  dsp.parameters = kernels::packParameters(parameters);
  dsp.inputZeroPoints = {quantizationOf(lhs).zeroPoint, quantizationOf(rhs).zeroPoint};
  dsp.results = {storageType(rows.result, storageElement(type.getElementType()))};
  dsp.resultZeroPoints = {quantizationOf(op->getResult(0)).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> binary = placement.dsp(op, dsp);
  return failed(binary) ? failure() : placement.finish(op, binary->getResult(0));
}

/// An input that broadcasts has stride 0 along that axis; channels need no stride.
FeatureMap inputMap(RankedTensorType storage, const FeatureMap &output, int32_t zeroPoint) {
  FeatureMap map = fullMap(storage, zeroPoint);
  if (map.height != output.height)
    map.rowStride = 0;
  if (map.width != output.width)
    map.pixelStride = 0;
  map.height = map.ringRows = output.height;
  map.width = output.width;
  return map;
}

/// Whether the value is one pixel that an operation computes for a map, such as the gates of its channels.
bool isComputedPixel(Value value, StorageShape shape, StorageShape result, Placement &placement) {
  return shape[0] == 1 && shape[1] == 1 && shape[2] == result[2] && result[0] * result[1] > 1 &&
         !value.getDefiningOp<nn::ConstantOp>() && !isOfNetworkInput(placement.operand(value));
}

/// Whether the DSP is faster by a third or more with a pixel that is repeated: the array computes one float in several
/// cycles, and works on nothing else, since most often all of the map had to be there before the pixel. A smaller gain
/// is lost when an engine waits for the other one.
bool isForDsp(Operation *op, StorageShape shapeA, StorageShape shapeB, EltwiseCommand onArray,
              const kernels::BinaryParameters &parameters, Placement &placement) {
  const auto type = tensorOf(op->getResult(0));
  const StorageShape shape = storageShape(type.getShape());
  const Value a = op->getOperand(0), b = op->getOperand(1);
  if (!isa<FloatType>(type.getElementType()) ||
      !(isComputedPixel(a, shapeA, shape, placement) || isComputedPixel(b, shapeB, shape, placement)) ||
      !placement.layouts().isDense(placement.operand(a)) || !placement.layouts().isDense(placement.operand(b)))
    return false;
  const auto typeA = storageType(shapeA, type.getElementType()), typeB = storageType(shapeB, type.getElementType());
  onArray.output = fullMap(storageType(type), 0);
  onArray.inputA = inputMap(typeA, onArray.output, 0);
  onArray.inputB = inputMap(typeB, onArray.output, 0);
  DspCommand onDsp;
  onDsp.kernel = kernels::kBinaryKernel.number;
  onDsp.parameters = kernels::packParameters(parameters);
  onDsp.inputs = {fullMap(typeA, 0), fullMap(typeB, 0)};
  onDsp.outputs = {onArray.output};
  const uint64_t array = kernels::chooseBlock(placement.target(), onArray).cycles;
  const uint64_t dsp = kernels::findKernel(CommandBody(onDsp))->cost(placement.target(), onDsp).cycles;
  const bool isForDsp = dsp * 3 / 2 < array;
  remarkEngines(op, array, dsp, isForDsp ? EngineKind::Dsp : EngineKind::Mac);
  return isForDsp;
}

LogicalResult placeOnArray(Operation *op, StorageShape shapeA, StorageShape shapeB, EltwiseCommand command,
                           Placement &placement) {
  Value operands[] = {placement.view(op->getLoc(), placement.operand(op->getOperand(0)), shapeA),
                      placement.view(op->getLoc(), placement.operand(op->getOperand(1)), shapeB)};
  const StorageShape shape =
      takeRows(op->getLoc(), operands, storageShape(tensorOf(op->getResult(0)).getShape()), placement);
  const auto [a, b] = operands;
  command.inputA.zeroPoint = quantizationOf(op->getOperand(0)).zeroPoint;
  command.inputB.zeroPoint = quantizationOf(op->getOperand(1)).zeroPoint;
  command.output.zeroPoint = quantizationOf(op->getResult(0)).zeroPoint;
  const Type result = storageType(shape, storageElement(tensorOf(op->getResult(0)).getElementType()));
  auto eltwise =
      npu::EltwiseOp::create(placement.builder(), op->getLoc(), result, a, b, command, placement.layerOf(op));
  command.output = fullMap(eltwise.getResult(), command.output.zeroPoint);
  command.inputA = inputMap(tensorOf(a), command.output, command.inputA.zeroPoint);
  command.inputB = inputMap(tensorOf(b), command.output, command.inputB.zeroPoint);
  if (failed(placement.check(op, command)))
    return failure();
  return placement.finish(op, eltwise);
}

kernels::BinaryKind dspKind(EltwiseKind kind) {
  switch (kind) {
  case EltwiseKind::Add:
    return kernels::BinaryKind::Add;
  case EltwiseKind::Sub:
    return kernels::BinaryKind::Sub;
  case EltwiseKind::Mul:
    return kernels::BinaryKind::Mul;
  case EltwiseKind::Min:
    return kernels::BinaryKind::Minimum;
  case EltwiseKind::Max:
    return kernels::BinaryKind::Maximum;
  }
  llvm_unreachable("all kinds are listed");
}

/// The one stored number of a constant operand; nullopt: it has several, or is computed.
std::optional<uint8_t> storedByte(Value value) {
  auto constant = value.getDefiningOp<nn::ConstantOp>();
  if (!constant || tensorOf(value).getNumElements() != 1)
    return std::nullopt;
  std::vector<uint8_t> buffer;
  const ArrayRef<uint8_t> bytes = constantBytes(constant, buffer);
  return bytes.size() == 1 ? std::optional(bytes.front()) : std::nullopt;
}

/// Whether a matrix product or convolution makes the first operand for this operation with one number alone, and better
/// looks the results up (FuseTables.h), which makes its output stage slower. Before a softmax it always does: the DSP
/// takes longer for that, while the array works ahead of it.
bool isForOutputStage(Operation *op, EltwiseCommand command, Placement &placement) {
  const Value input = op->getOperand(0);
  const Quantization from = quantizationOf(input), to = quantizationOf(op->getResult(0));
  if (!isQuantized(input) || from.type != to.type || sizeOf(to.type) != 1 || !input.hasOneUse())
    return false;
  const std::optional<uint64_t> slower = cyclesOfTable(placement.operand(input), placement.target());
  if (!slower || llvm::all_of(op->getUsers(), [](Operation *user) { return isa<nn::SoftmaxOp>(user); }))
    return slower.has_value();
  const auto type = storageType(tensorOf(op->getResult(0)));
  command.inputA = command.output = fullMap(type, 0);
  command.inputB = inputMap(storageType({1, 1, 1}, type.getElementType()), command.output, 0);
  return *slower < kernels::chooseBlock(placement.target(), command).cycles;
}

/// What the array computes of each byte and `other`, in the order of the bytes' bit patterns.
std::array<uint8_t, 256> resultsWith(uint8_t other, EltwiseCommand command, Operation *op, Placement &placement) {
  std::array<uint8_t, 3 * 256> memory{};
  std::iota(memory.begin(), memory.begin() + 256, uint8_t{0});
  std::fill_n(memory.begin() + 256, 256, other);
  const auto map = [&](Value value, uint32_t address) {
    const Quantization stored = quantizationOf(value);
    FeatureMap map =
        fullMap(storageType({1, 1, 256}, storageElement(tensorOf(value).getElementType())), stored.zeroPoint);
    map.address = address;
    return map;
  };
  command.inputA = map(op->getOperand(0), 0);
  command.inputB = map(op->getOperand(1), 256);
  command.output = map(op->getResult(0), 512);
  kernels::findKernel(CommandBody(command))->run(placement.target(), command, memory);
  std::array<uint8_t, 256> results{};
  std::copy_n(memory.begin() + 512, 256, results.begin());
  return results;
}

/// The operation as a function of its first operand's bytes.
LogicalResult placeInOutputStage(Operation *op, uint8_t other, const EltwiseCommand &command, Placement &placement) {
  const std::array<uint8_t, 256> results = resultsWith(other, command, op, placement);
  const bool isSigned = quantizationOf(op->getResult(0)).type == DataType::Int8;
  return placeLookup(op, placement, [&](int32_t stored) -> int64_t {
    const uint8_t result = results[static_cast<uint8_t>(stored)];
    return isSigned ? static_cast<int8_t>(result) : int64_t(result);
  });
}

/// Places on the array if it has the type, the operands broadcast along rows, pixels and channels, and the DSP is not
/// faster; else on the DSP.
LogicalResult placeEltwise(Operation *op, const EltwiseCommand &command, Placement &placement) {
  if (const std::optional<uint8_t> other = storedByte(op->getOperand(1));
      other && isForOutputStage(op, command, placement))
    return placeInOutputStage(op, *other, command, placement);
  ArrayRef<int64_t> result = tensorOf(op->getResult(0)).getShape();
  auto a = broadcastStorage(op->getOperand(0), result), b = broadcastStorage(op->getOperand(1), result);
  kernels::BinaryParameters parameters;
  parameters.kind = dspKind(command.kind);
  parameters.clamp = command.clamp;
  parameters.leftShift = command.leftShift;
  parameters.rescaleA = command.rescaleA;
  parameters.rescaleB = command.rescaleB;
  parameters.rescaleOutput = command.rescaleOutput;
  parameters.rounding = command.rounding;
  if (a && b && placement.target().macsPerCycle(quantizationOf(op->getResult(0)).type) != 0 &&
      !isForDsp(op, *a, *b, command, parameters, placement))
    return placeOnArray(op, *a, *b, command, placement);
  return placeBinary(op, parameters, placement);
}

template <EltwiseKind kind, typename Op> LogicalResult placeSum(Op op, Placement &placement) {
  EltwiseCommand command;
  command.kind = kind;
  command.clamp = clampFor(op.getActivation(), quantizationOf(op.getOutput()));
  if (isQuantized(op.getOutput())) {
    const kernels::AddRescales rescales = rescalesOfSum(op.getNumerics(), op.getLhs(), op.getRhs(), op.getOutput());
    command.leftShift = rescales.leftShift;
    command.rescaleA = rescales.inputA;
    command.rescaleB = rescales.inputB;
    command.rescaleOutput = rescales.output;
    command.rounding = roundingOf(op.getNumerics());
  }
  return placeEltwise(op, command, placement);
}

LogicalResult placeMul(nn::MulOp op, Placement &placement) {
  EltwiseCommand command;
  command.kind = EltwiseKind::Mul;
  command.clamp = clampFor(op.getActivation(), quantizationOf(op.getOutput()));
  if (isQuantized(op.getOutput())) {
    command.rescaleOutput = rescaleOfProduct(op);
    command.rounding = roundingOf(op.getNumerics());
  }
  return placeEltwise(op, command, placement);
}

template <EltwiseKind kind, typename Op> LogicalResult placeSelecting(Op op, Placement &placement) {
  EltwiseCommand command;
  command.kind = kind;
  command.clamp = plainClampFor(nn::Activation::kNone, quantizationOf(op.getOutput()));
  return placeEltwise(op, command, placement);
}

LogicalResult placeDiv(nn::DivOp op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  kernels::BinaryParameters parameters;
  parameters.kind = op.getTruncates() ? kernels::BinaryKind::TruncatedDiv : kernels::BinaryKind::Div;
  parameters.clamp = clampFor(op.getActivation(), out);
  if (isQuantized(op.getOutput())) {
    const float ratio = a.scale / (b.scale * out.scale);
    parameters.rescaleOutput = kernels::quantizeMultiplier(ratio);
  }
  return placeBinary(op, parameters, placement);
}

kernels::BinaryKind dspKind(nn::BinaryKind kind) {
  switch (kind) {
#define AVOCET_NN_BINARY_KIND(Case, types)                                                                             \
  case nn::BinaryKind::Case:                                                                                           \
    return kernels::BinaryKind::Case;
#include "avocet/nnapi/NnOperations.inc"
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult placeFunction(nn::BinaryOp op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  kernels::BinaryParameters parameters;
  parameters.kind = dspKind(op.getKind());
  if (isQuantized(op.getOutput())) {
    kernels::AddRescales rescales = kernels::prepareSquaredDifference(a.scale, b.scale, out.scale);
    parameters.leftShift = rescales.leftShift;
    parameters.rescaleA = rescales.inputA;
    parameters.rescaleB = rescales.inputB;
    parameters.rescaleOutput = rescales.output;
  }
  return placeBinary(op, parameters, placement);
}

LogicalResult placePow(nn::PowOp op, Placement &placement) {
  kernels::BinaryParameters parameters;
  parameters.kind = kernels::BinaryKind::Pow;
  return placeBinary(op, parameters, placement);
}

LogicalResult placePrelu(nn::PreluOp op, Placement &placement) {
  Quantization a = quantizationOf(op.getLhs()), b = quantizationOf(op.getRhs()), out = quantizationOf(op.getOutput());
  kernels::BinaryParameters parameters;
  parameters.kind = kernels::BinaryKind::Prelu;
  if (isQuantized(op.getOutput())) {
    // Both ratios are of floats, as in the reference.
    parameters.rescaleA = kernels::quantizeMultiplier(a.scale / out.scale);
    parameters.rescaleOutput = kernels::prepareMul(a.scale, b.scale, out.scale);
    parameters.rounding = op->hasAttr(nn::kNearestAttr) ? Rounding::Even : Rounding::Double;
  }
  return placeBinary(op, parameters, placement);
}

template <nn::CompareKind nnKind, kernels::BinaryKind kernelKind>
constexpr bool kSameDistance = static_cast<uint32_t>(nnKind) + static_cast<uint32_t>(kernels::BinaryKind::Equal) ==
                               static_cast<uint32_t>(kernelKind);
static_assert(kSameDistance<nn::CompareKind::Equal, kernels::BinaryKind::Equal> &&
                  kSameDistance<nn::CompareKind::NotEqual, kernels::BinaryKind::NotEqual> &&
                  kSameDistance<nn::CompareKind::Less, kernels::BinaryKind::Less> &&
                  kSameDistance<nn::CompareKind::LessEqual, kernels::BinaryKind::LessEqual> &&
                  kSameDistance<nn::CompareKind::Greater, kernels::BinaryKind::Greater> &&
                  kSameDistance<nn::CompareKind::GreaterEqual, kernels::BinaryKind::GreaterEqual>,
              "the two enumerations list the relations in the same order");

LogicalResult placeCompare(nn::CompareOp op, Placement &placement) {
  kernels::BinaryParameters parameters;
  parameters.kind = static_cast<kernels::BinaryKind>(static_cast<uint32_t>(kernels::BinaryKind::Equal) +
                                                     static_cast<uint32_t>(op.getKind()));
  parameters.scaleA = quantizationOf(op.getLhs()).scale;
  parameters.scaleB = quantizationOf(op.getRhs()).scale;
  if (op.getFixedPoint()) {
    if (failed(placement.checkMultiplier(op, "first input", parameters.scaleA)) ||
        failed(placement.checkMultiplier(op, "second input", parameters.scaleB)))
      return failure();
    parameters.leftShift = 8;
    parameters.rescaleA = kernels::quantizeMultiplier(parameters.scaleA);
    parameters.rescaleB = kernels::quantizeMultiplier(parameters.scaleB);
  }
  return placeBinary(op, parameters, placement);
}

LogicalResult placeLogical(nn::LogicalOp op, Placement &placement) {
  kernels::BinaryParameters parameters;
  parameters.kind = op.getKind() == nn::LogicalKind::And ? kernels::BinaryKind::And : kernels::BinaryKind::Or;
  return placeBinary(op, parameters, placement);
}

LogicalResult placeSelect(nn::SelectOp op, Placement &placement) {
  Placement::Dsp dsp;
  dsp.kernel = kernels::kSelectKernel;
  for (Value input : op->getOperands()) {
    dsp.inputs.push_back(placement.operand(input));
    dsp.inputZeroPoints.push_back(quantizationOf(input).zeroPoint);
  }
  dsp.results = {storageType(tensorOf(op.getOutput()))};
  dsp.resultZeroPoints = {quantizationOf(op.getOutput()).zeroPoint};
  dsp.rowWise = true;
  FailureOr<npu::DspOp> select = placement.dsp(op, dsp);
  return failed(select) ? failure() : placement.finish(op, select->getResult(0));
}

} // namespace

void addElementwisePlacers(PlacerTable &table) {
  table.add(placeDiv);
  table.add(placeFunction);
  table.add(placePow);
  table.add(placePrelu);
  table.add(placeSum<EltwiseKind::Add, nn::AddOp>);
  table.add(placeSum<EltwiseKind::Sub, nn::SubOp>);
  table.add(placeMul);
  table.add(placeSelecting<EltwiseKind::Min, nn::MinimumOp>);
  table.add(placeSelecting<EltwiseKind::Max, nn::MaximumOp>);
  table.add(placeCompare);
  table.add(placeLogical);
  table.add(placeSelect);
}

} // namespace avocet::compiler
