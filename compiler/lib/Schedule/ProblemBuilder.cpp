//===- ProblemBuilder.cpp - A placed function as a problem ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProblemBuilder.h"

#include "Schedule.h"
#include "avocet/compiler/Dialect/Npu/Layouts.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/firmware_iface/WindowInputs.h"
#include "avocet/kernels/Kernel.h"
#include "avocet/kernels/dsp/Window.h"

#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <optional>

using namespace mlir;

namespace avocet::compiler::schedule {

namespace {

MapShape shapeOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto shape = type.getShape();
  firmware::DataType element = *npu::dataTypeOf(type.getElementType());
  if (shape.size() == 1)
    return {1, 1, uint32_t(shape[0]), element};
  return {uint32_t(shape[0]), uint32_t(shape[1]), uint32_t(shape[2]), element};
}

RowWindow rowWindow(const firmware::Window &window) {
  return {window.strideHeight, firmware::windowReach(window.kernelHeight, window.dilationHeight), window.padTop};
}

class Builder {
public:
  Builder(func::FuncOp function, std::shared_ptr<const firmware::Target> target) : function_(function) {
    result_.problem.target = std::move(target);
  }

  FailureOr<PlacedProblem> run() {
    for (auto join : function_.front().getOps<npu::JoinOp>())
      if (failed(addJoin(join)))
        return failure();
    for (auto [index, argument] : llvm::enumerate(function_.getArguments()))
      problem().tensors[tensorOf(argument)].networkInput = uint32_t(index);
    for (mlir::Operation &op : function_.front())
      if (isCancelled() || failed(addOperation(op)))
        return failure();
    takeShapesOfReaders();
    if (Status status = problem().check(); !status.isOk())
      return function_.emitError(status.message());
    return std::move(result_);
  }

private:
  Problem &problem() { return result_.problem; }

  LogicalResult addJoin(npu::JoinOp join) {
    for (unsigned index = 0; index < join.getInputs().size(); ++index)
      if (failed(layouts_.place(join, index)))
        return join.emitOpError() << "input " << index << " cannot be written in place";
    return success();
  }

  /// The tensor of a value with its own memory.
  uint32_t tensorOf(Value whole) {
    auto [entry, isNew] = origins_.try_emplace(whole);
    if (isNew) {
      entry->second = {false, uint32_t(problem().tensors.size())};
      problem().tensors.push_back({shapeOf(whole), kNone, {}});
    }
    return entry->second.id;
  }

  /// Whether loading stripes always pays. A fully connected layer would load its weights again for each stripe, but
  /// computed weights are on chip.
  static bool gainsFromStripes(const schedule::Operation &op) {
    return std::holds_alternative<firmware::EltwiseCommand>(op.command) ||
           std::holds_alternative<firmware::LookupCommand>(op.command) || op.hasWeightsInput() ||
           (std::holds_alternative<firmware::DspCommand>(op.command) && op.rowWise);
  }

  /// Network inputs have the rows in which all operations read them, so that stripes can be loaded: the network may
  /// have given them another shape.
  void takeShapesOfReaders() {
    std::map<uint32_t, std::optional<MapShape>> shapes; ///< by tensor; nullopt: readers differ
    for (const schedule::Operation &op : problem().operations)
      for (const Operand &operand : op.inputs) {
        if (operand.isConstant || problem().tensors[operand.id].networkInput == kNone)
          continue;
        const bool isWhole = operand.isDense() &&
                             operand.shape.bytes() == problem().tensors[operand.id].shape.bytes() &&
                             gainsFromStripes(op);
        auto [entry, isNew] = shapes.try_emplace(operand.id, operand.shape);
        if (!isWhole || entry->second != operand.shape)
          entry->second = std::nullopt;
      }
    for (const auto &[tensor, shape] : shapes)
      if (shape)
        problem().tensors[tensor].shape = *shape;
  }

  LogicalResult addOperation(mlir::Operation &op) {
    return llvm::TypeSwitch<mlir::Operation *, LogicalResult>(&op)
        .Case([&](npu::ConstantOp constant) { return addConstant(constant); })
        .Case<npu::ViewOp, npu::JoinOp, npu::PartOp>([&](auto moved) { return checkLayout(moved.getResult()); })
        .Case<npu::ConvOp, npu::PoolOp, npu::EltwiseOp, npu::LookupOp, npu::DspOp>([&](auto placed) {
          schedule::Operation operation;
          operation.layer = uint32_t(placed.getLayer());
          if (failed(fill(placed, operation)))
            return failure();
          for (auto [index, result] : llvm::enumerate(placed->getResults()))
            if (failed(checkLayout(result)))
              return failure();
            else
              setPlace(result, operation.outputs[index]);
          problem().operations.push_back(std::move(operation));
          result_.operations.push_back(placed);
          return success();
        })
        .Case([&](func::ReturnOp end) { return addOutputs(end); })
        .Default([](mlir::Operation *other) { return other->emitOpError("is not allowed at the placed level"); });
  }

  LogicalResult checkLayout(Value value) const {
    if (layouts_.of(value))
      return success();
    return value.getDefiningOp()->emitOpError("has rows or pixels that are not at constant distances in memory");
  }

  /// Sets tensor and place of an operand; requires a layout.
  void setPlace(Value value, Operand &operand) {
    const npu::Layout layout = *layouts_.of(value);
    auto constant = origins_.find(layout.whole);
    operand.isConstant = constant != origins_.end() && constant->second.isConstant;
    operand.id = tensorOf(layout.whole);
    operand.offset = uint64_t(layout.offset);
    operand.rowStride = uint32_t(layout.rowStride);
    operand.pixelStride = uint32_t(layout.pixelStride);
  }

  LogicalResult addConstant(npu::ConstantOp constant) {
    origins_[constant.getResult()] = {true, uint32_t(problem().constants.size())};
    problem().constants.push_back({shapeOf(constant.getResult()).bytes()});
    result_.constants.push_back(constant.getValue());
    return success();
  }

  LogicalResult addOutputs(func::ReturnOp end) {
    for (auto [index, value] : llvm::enumerate(end.getOperands())) {
      const Operand operand = operandOf(value, 0);
      if (operand.isConstant)
        return end.emitOpError() << "network output " << index << " is a constant";
      if (layouts_.isInside(value))
        return end.emitOpError() << "network output " << index << " is a part of another tensor";
      problem().tensors[operand.id].networkOutputs.push_back(uint32_t(index));
    }
    return success();
  }

  Operand operandOf(Value value, int32_t zeroPoint) {
    Operand operand{false, kNone, shapeOf(value), zeroPoint};
    setPlace(value, operand);
    return operand;
  }

  static Operand resultOf(Value value, int32_t zeroPoint, int32_t fill = -1) {
    return {false, kNone, shapeOf(value), zeroPoint, fill};
  }

  /// Requires the value to be a constant that the device reads as bytes; returns its index in `id`.
  LogicalResult constantOf(mlir::Operation *op, Value value, uint32_t &id) {
    const Operand operand = operandOf(value, 0);
    if (!operand.isConstant)
      return op->emitOpError("weights, records and tables must be constants");
    id = operand.id;
    return success();
  }

  /// A pointwise window with strides skips rows and columns. The operand is then what it reads, so that the rest need
  /// not be loaded. Pixels shorter than a burst are loaded faster with those between them.
  void readOnlyWindows(firmware::Window &window, const MapShape &output, Operand &input) const {
    if (window.kernelHeight != 1 || window.kernelWidth != 1 || window.padTop != 0 || window.padLeft != 0)
      return;
    if (window.strideHeight > 1) {
      input.rowStride = input.rowStep() * window.strideHeight;
      input.shape.height = output.height;
      window.strideHeight = 1;
    }
    if (window.strideWidth > 1 && input.shape.pixelBytes() >= result_.problem.target->dram().burstBytes) {
      input.rowStride = input.rowStep();
      input.pixelStride = input.pixelStep() * window.strideWidth;
      input.shape.width = output.width;
      window.strideWidth = 1;
    }
  }

  LogicalResult fill(npu::ConvOp op, schedule::Operation &out) {
    firmware::ConvCommand command = op.getCommand();
    out.inputs = {operandOf(op.getInput(), command.input.zeroPoint)};
    out.outputs = {resultOf(op.getResult(), command.output.zeroPoint)};
    readOnlyWindows(command.window, out.outputs[0].shape, out.inputs[0]);
    out.command = command;
    out.window = rowWindow(command.window);
    if (cast<RankedTensorType>(op.getWeights().getType()).getRank() > 1)
      out.inputs.push_back(operandOf(op.getWeights(), 0));
    else if (failed(constantOf(op, op.getWeights(), out.weights)))
      return failure();
    if (failed(constantOf(op, op.getRecords(), out.records)) ||
        (op.getTable() && failed(constantOf(op, op.getTable(), out.table))))
      return failure();
    if (Value addend = op.getAddend())
      out.inputs.push_back(operandOf(addend, command.residual.addend.zeroPoint));
    if (Value scale = op.getDynamicScale()) {
      if (layouts_.isInside(scale))
        return op.emitOpError("its dynamic scale is a part of another tensor");
      out.dynamicScale = operandOf(scale, 0).id;
    }
    auto layout = npu::filterLayout(op, *problem().target);
    if (!layout)
      return op.emitOpError(layout.status().message());
    out.channelGranule = channelGranule(out, layout->granule());
    return setStoredWeights(op, *layout, out);
  }

  LogicalResult setStoredWeights(npu::ConvOp op, const firmware::WeightLayout &layout, schedule::Operation &out) {
    if (op.getCommand().weightFormat == firmware::WeightFormat::Packed) {
      out.storedWeights = StoredWeights::packed(layout.bytes() / layout.outputChannels());
      return success();
    }
    std::vector<uint8_t> slice(problem().constants[out.weights].bytes);
    if (failed(copyConstant(result_.constants[out.weights], 0, slice)))
      return op.emitOpError("weights have no contents");
    auto index = firmware::WeightIndex::read(
        slice, firmware::SliceShape::of(layout, op.getCommand().weightType, layout.outputChannels()));
    if (!index)
      return op.emitOpError(index.status().message());
    out.storedWeights = StoredWeights::compressed(std::move(*index), layout.granule());
    return success();
  }

  /// A depthwise part must also begin at a whole input channel.
  static uint32_t channelGranule(const schedule::Operation &op, uint32_t granule) {
    if (std::get<firmware::ConvCommand>(op.command).kind != firmware::ConvKind::Depthwise)
      return granule;
    const uint32_t multiplier = op.outputs[0].shape.channels / op.inputs[0].shape.channels;
    return granule % multiplier ? granule * multiplier : granule;
  }

  LogicalResult fill(npu::PoolOp op, schedule::Operation &out) {
    out.command = op.getCommand();
    out.inputs = {operandOf(op.getInput(), op.getCommand().input.zeroPoint)};
    out.outputs = {resultOf(op.getResult(), op.getCommand().output.zeroPoint)};
    out.window = rowWindow(op.getCommand().window);
    return success();
  }

  LogicalResult fill(npu::EltwiseOp op, schedule::Operation &out) {
    const firmware::EltwiseCommand &command = op.getCommand();
    out.command = command;
    out.inputs = {operandOf(op.getInputA(), command.inputA.zeroPoint),
                  operandOf(op.getInputB(), command.inputB.zeroPoint)};
    out.outputs = {resultOf(op.getResult(), command.output.zeroPoint)};
    return success();
  }

  LogicalResult fill(npu::LookupOp op, schedule::Operation &out) {
    out.command = op.getCommand();
    out.inputs = {operandOf(op.getInput(), op.getCommand().input.zeroPoint)};
    out.outputs = {resultOf(op.getResult(), op.getCommand().output.zeroPoint)};
    return constantOf(op, op.getTable(), out.table);
  }

  LogicalResult fill(npu::DspOp op, schedule::Operation &out) {
    firmware::DspCommand command;
    auto number = kernels::dspKernelNumber(op.getKernel().str());
    if (!number.isOk())
      return op.emitOpError(number.status().message());
    command.kernel = *number;
    for (int32_t word : op.getParameters())
      command.parameters.push_back(uint32_t(word));
    out.command = command;
    out.rowWise = op.getRowWise();
    if (const auto pool = kernels::poolParametersOf(command); pool && out.rowWise)
      out.window = rowWindow(pool->window);
    for (auto [value, zeroPoint] : llvm::zip(op.getInputs(), op.getInputZeroPoints()))
      out.inputs.push_back(operandOf(value, zeroPoint));
    for (auto [index, value] : llvm::enumerate(op.getResults()))
      out.outputs.push_back(resultOf(value, op.getOutputZeroPoints()[index],
                                     op.getResultFills().empty() ? -1 : op.getResultFills()[index]));
    return success();
  }

  struct Origin {
    bool isConstant = false;
    uint32_t id = kNone;
  };
  func::FuncOp function_;
  PlacedProblem result_;
  npu::Layouts layouts_;
  llvm::DenseMap<Value, Origin> origins_; ///< by value with its own memory
};

} // namespace

FailureOr<PlacedProblem> buildProblem(func::FuncOp function, std::shared_ptr<const firmware::Target> target) {
  return Builder(function, std::move(target)).run();
}

} // namespace avocet::compiler::schedule
