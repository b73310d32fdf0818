//===- VerifySchedule.cpp - Guarantees of the scheduling phases ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedule.h"
#include "avocet/base/Rounding.h"
#include "avocet/compiler/Dialect/Cmd/Cmd.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/Section.h"
#include "avocet/firmware_iface/Codec.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/kernels/Kernel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

/// Checks that the module holds one unit of type Op, or several sections of this type and their cmd.control. `level`
/// names the level in errors.
template <typename Op> llvm::LogicalResult checkUnits(mlir::ModuleOp module, llvm::StringRef level) {
  size_t units = 0, controls = 0;
  for (mlir::Operation &op : *module.getBody()) {
    units += llvm::isa<Op>(op);
    controls += llvm::isa<cmd::ControlOp>(op);
    if (!llvm::isa<Op, cmd::ControlOp>(op) || controls > 1 || (units > 1 && !cmd::controlOf(module)))
      return op.emitError("a ") << level << " module holds one " << Op::getOperationName()
                                << ", or several and one cmd.control, and no other operation";
  }
  if (units == 0)
    return module.emitError("a ") << level << " module holds one " << Op::getOperationName();
  if (!cmd::controlOf(module))
    return mlir::success();
  for (auto unit : module.getOps<Op>())
    if (!isSection(unit))
      return unit.emitError("must name the region of its constants (attribute ")
             << attrs::kConstantsRegion << "), because the module has a cmd.control";
  return mlir::success();
}

} // namespace

#define GEN_PASS_DEF_VERIFYPLACEDPASS
#define GEN_PASS_DEF_VERIFYSCHEDULEDPASS
#define GEN_PASS_DEF_VERIFYALLOCATEDPASS
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

namespace {

bool isStorage(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getRank() == 3 && npu::dataTypeOf(tensor.getElementType());
}

LogicalResult checkSignature(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (!isStorage(type) || cast<RankedTensorType>(type).getNumElements() == 0)
      return function.emitError() << "argument type " << type << " is no storage tensor of rank 3";
  for (Type type : function.getResultTypes())
    if (!isStorage(type))
      return function.emitError() << "result type " << type << " is no storage tensor of rank 3";
  return success();
}

LogicalResult checkLayers(func::FuncOp function) {
  auto layers = function->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr);
  if (!layers || !llvm::all_of(layers, [](Attribute entry) { return isa<DictionaryAttr>(entry); }))
    return function.emitError() << "needs " << npu::NpuDialect::kLayersAttr << ", an array of dictionaries";
  for (Operation &op : function.front())
    if (auto layer = op.getAttrOfType<IntegerAttr>("layer"); layer && layer.getInt() >= int64_t(layers.size()))
      return op.emitOpError() << "layer is " << layer.getInt() << ", must be below " << layers.size();
  return success();
}

LogicalResult verifyPlacedFunction(func::FuncOp function) {
  if (function.getBody().getBlocks().size() != 1)
    return function.emitError("a placed function has one block");
  if (failed(checkSignature(function)) || failed(checkLayers(function)))
    return failure();
  for (Operation &op : function.front())
    if (!isa<npu::ConstantOp, npu::ViewOp, npu::JoinOp, npu::PartOp, npu::ConvOp, npu::PoolOp, npu::EltwiseOp,
             npu::LookupOp, npu::DspOp, func::ReturnOp>(op))
      return op.emitOpError("is not allowed at the placed level");
  return success();
}

struct VerifyPlaced : impl::VerifyPlacedPassBase<VerifyPlaced> {
  void runOnOperation() override {
    if (failed(verifyPlaced(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult verifyPlaced(ModuleOp module) {
  if (failed(checkUnits<func::FuncOp>(module, "placed")))
    return failure();
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(verifyPlacedFunction(function)))
      return failure();
  return success();
}

namespace {

/// Checks that a section's operands have places, and its frame a valid size.
LogicalResult checkPlaces(npu::ProgramOp program) {
  if (frameBytesOf(program) < 0)
    return program.emitError("has a frame of negative size");
  for (ArrayAttr operands : {program.getInputs(), program.getOutputs()})
    for (auto operand : operands.getAsRange<DictionaryAttr>())
      if (isSection(program) != placeOf(operand).has_value())
        return program.emitError("must have places for its operands if it is a section, and none otherwise");
  return success();
}

/// Checks a transfer's template, with each end in a separate region.
LogicalResult checkTransfer(npu::CommandOpInterface op, MutableArrayRef<npu::BufferOp> buffers) {
  uint32_t next = 0;
  std::vector<firmware::ByteRange> ranges;
  firmware::appendFootprint(op.buildCommand([&](Value) { return npu::BufferAddress{next++, 0}; }), ranges);
  for (const auto &range : ranges)
    if (range.region >= buffers.size() || range.end > uint64_t(buffers[range.region].getBytes()))
      return op.emitError("a transfer accesses bytes outside its buffer");
  return success();
}

/// The kernel's own rules: types, shapes, windows, blocks, parameters.
LogicalResult checkKernel(npu::CommandOpInterface op, const firmware::CommandBody &command,
                          const firmware::Target &target) {
  const kernels::Kernel *kernel = kernels::findKernel(command);
  if (!kernel)
    return op.emitError("no kernel performs it: ") << firmware::nameOf(command);
  const Status status = kernel->check(target, command);
  return status.isOk() ? success()
                       : LogicalResult(op.emitError("target ") << target.name() << " refuses it: " << status.message());
}

/// Checks a tile's template, with the buffers side by side in unbounded SRAM, with gaps between them.
LogicalResult checkTile(npu::CommandOpInterface op, MutableArrayRef<npu::BufferOp> buffers,
                        const firmware::Target *target) {
  constexpr uint64_t kGap = 64, kMostBytes = uint64_t(1) << 31;
  std::vector<uint64_t> bases;
  uint64_t end = 0;
  for (npu::BufferOp buffer : buffers) {
    bases.push_back(end);
    if (uint64_t(buffer.getBytes()) > kMostBytes)
      return op.emitError("works on buffers of more than 2^31 bytes");
    end = roundUp(end + uint64_t(buffer.getBytes()) + kGap, kGap); // aligned as any address that is assigned
    if (end > kMostBytes)
      return op.emitError("works on buffers of more than 2^31 bytes");
  }
  size_t next = 0;
  const firmware::CommandBody command =
      op.buildCommand([&](Value) { return npu::BufferAddress{firmware::kSramRegion, bases[next++]}; });
  std::vector<firmware::ByteRange> ranges;
  firmware::appendFootprint(command, ranges);
  for (const auto &range : ranges) {
    bool inside = false;
    for (size_t i = 0; i < buffers.size(); ++i)
      inside |= range.begin >= bases[i] && range.end <= bases[i] + uint64_t(buffers[i].getBytes());
    if (!inside)
      return op.emitError("a tile accesses bytes outside its buffers");
  }
  return target ? checkKernel(op, command, *target) : success();
}

/// Checks that the bytes a template accesses are inside its buffers, that tiles access only SRAM, and with a target
/// that their kernels accept them.
LogicalResult checkCommand(npu::CommandOpInterface op, const firmware::Target *target) {
  const bool isDma = op.getEngine().kind == firmware::EngineKind::Dma;
  SmallVector<npu::BufferOp> buffers;
  for (Value value : op.getAddressBuffers()) {
    auto buffer = value.getDefiningOp<npu::BufferOp>();
    if (!buffer)
      return op.emitError("has an operand that is no npu.buffer");
    if (!isDma && buffer.getSpace() != npu::Space::Sram)
      return op.emitError("works outside SRAM");
    buffers.push_back(buffer);
  }
  return isDma ? checkTransfer(op, buffers) : checkTile(op, buffers, target);
}

LogicalResult verifyScheduledProgram(npu::ProgramOp program, const firmware::Target *target) {
  if (failed(checkPlaces(program)))
    return failure();
  for (Operation &op : program.getBody().front()) {
    if (isa<npu::BufferOp>(op))
      continue;
    auto command = dyn_cast<npu::CommandOpInterface>(op);
    if (isCancelled())
      return failure();
    if (!command)
      return op.emitOpError("is not allowed at the scheduled level");
    if (failed(checkCommand(command, target)))
      return failure();
  }
  return success();
}

struct VerifyScheduled : impl::VerifyScheduledPassBase<VerifyScheduled> {
  void runOnOperation() override {
    if (failed(verifyScheduled(getOperation(), nullptr)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult verifyBuffers(ModuleOp module) {
  if (failed(checkUnits<npu::ProgramOp>(module, "scheduled")))
    return failure();
  for (auto program : module.getOps<npu::ProgramOp>())
    if (failed(verifyScheduledProgram(program, nullptr)))
      return failure();
  return success();
}

LogicalResult verifyScheduled(ModuleOp module, const TargetPtr &given) {
  if (failed(checkUnits<npu::ProgramOp>(module, "scheduled")))
    return failure();
  for (auto program : module.getOps<npu::ProgramOp>()) {
    const TargetPtr target = passTarget(program, given, program.getTarget());
    if (!target || failed(verifyScheduledProgram(program, target.get())))
      return failure();
  }
  return success();
}

namespace {

LogicalResult verifyAllocatedProgram(npu::ProgramOp program, const TargetPtr &target) {
  if (!program.isAllocated())
    return program.emitError("has no sizes: it was not allocated");
  if (uint64_t(*program.getSramBytes()) > target->sram().bytes)
    return program.emitError() << "needs " << *program.getSramBytes() << " bytes of SRAM, the target has "
                               << target->sram().bytes;
  const uint64_t sizes[] = {uint64_t(*program.getSramBytes()), UINT64_MAX, UINT64_MAX,
                            uint64_t(*program.getConstantsBytes()), uint64_t(*program.getScratchBytes())};
  for (auto buffer : program.getOps<npu::BufferOp>()) {
    const uint64_t size = sizes[uint32_t(buffer.getSpace())];
    if (!buffer.getAddress())
      return buffer.emitOpError("has no address");
    if (uint64_t(*buffer.getAddress()) > size || uint64_t(buffer.getBytes()) > size - uint64_t(*buffer.getAddress()))
      return buffer.emitOpError() << "leaves its space of " << size << " bytes";
  }
  return success();
}

struct VerifyAllocated : impl::VerifyAllocatedPassBase<VerifyAllocated> {
  using VerifyAllocatedPassBase::VerifyAllocatedPassBase;

  void runOnOperation() override {
    TargetPtr target = passTarget(getOperation(), nullptr, targetName);
    if (!target || failed(verifyAllocated(getOperation(), target)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult verifyAddresses(ModuleOp module, const TargetPtr &target) {
  for (auto program : module.getOps<npu::ProgramOp>())
    if (failed(verifyAllocatedProgram(program, target)))
      return failure();
  return success();
}

LogicalResult verifyAllocated(ModuleOp module, const TargetPtr &target) {
  return success(succeeded(verifyScheduled(module, target)) && succeeded(verifyAddresses(module, target)));
}

} // namespace avocet::compiler
