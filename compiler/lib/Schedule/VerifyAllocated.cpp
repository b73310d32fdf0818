//===- VerifyAllocated.cpp - Contract of allocated modules ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Schedule/Schedule.h"
#include "avocet/compiler/Schedule/SchedulePasses.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_VERIFYALLOCATEDPASS
#include "avocet/compiler/Schedule/SchedulePasses.h.inc"

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

LogicalResult verifyAllocated(ModuleOp module, const TargetPtr &target) {
  if (failed(verifyScheduled(module)))
    return failure();
  for (auto program : module.getOps<npu::ProgramOp>())
    if (failed(verifyAllocatedProgram(program, target)))
      return failure();
  return success();
}

} // namespace avocet::compiler
