//===- PlacementRemarks.cpp - Engines of operations as remarks --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlacementRemarks.h"

#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/Remarks.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using mlir::remark::metric;

namespace avocet::compiler {
namespace {

constexpr llvm::StringLiteral kEngine = "engine";

std::string nameOf(firmware::EngineKind engine) {
  return engine == firmware::EngineKind::Dsp ? "the DSP" : "the MAC array";
}

/// "the DSP, kernel softmax", "the MAC array, npu.conv"; empty: an operation that computes nothing.
std::string describe(Operation *placed) {
  return llvm::TypeSwitch<Operation *, std::string>(placed)
      .Case([](npu::DspOp op) { return nameOf(firmware::EngineKind::Dsp) + ", kernel " + op.getKernel().str(); })
      .Case<npu::ConvOp, npu::PoolOp, npu::EltwiseOp, npu::LookupOp>(
          [](Operation *op) { return nameOf(firmware::EngineKind::Mac) + ", " + op->getName().getStringRef().str(); })
      .Default([](Operation *) { return std::string(); });
}

} // namespace

void PlacementRemarks::emitFor(Operation *op) {
  if (!wantsRemarks(op->getContext()) || placed_.empty())
    return;
  SmallVector<std::string> parts;
  for (Operation *placed = last_ ? last_->getNextNode() : &placed_.front(); placed; placed = placed->getNextNode())
    if (std::string part = describe(placed); !part.empty())
      parts.push_back(std::move(part));
  last_ = &placed_.back();
  if (parts.empty())
    return;
  remark::passed(op->getLoc(), remarkOptions(remarks::kPlacement, kEngine))
      << metric(remarks::kChoice, llvm::join(parts, "; then "));
}

void remarkNotOnArray(Operation *op, StringRef reason) {
  remark::failed(op->getLoc(), remarkOptions(remarks::kPlacement, kEngine))
      << metric(remarks::kChoice, nameOf(firmware::EngineKind::Mac)) << metric(remarks::kReason, reason.str());
}

void remarkEngines(Operation *op, uint64_t arrayCycles, uint64_t dspCycles, firmware::EngineKind chosen) {
  const auto emit = [&](firmware::EngineKind engine, uint64_t cycles) {
    const auto options = remarkOptions(remarks::kPlacement, kEngine);
    auto remark = engine == chosen ? remark::passed(op->getLoc(), options) : remark::missed(op->getLoc(), options);
    remark << metric(remarks::kChoice, nameOf(engine)) << metric(remarks::kCycles, cycles);
  };
  emit(firmware::EngineKind::Mac, arrayCycles);
  emit(firmware::EngineKind::Dsp, dspCycles);
}

} // namespace avocet::compiler
