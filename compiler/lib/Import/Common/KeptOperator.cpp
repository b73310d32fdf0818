//===- KeptOperator.cpp - Stand-ins for refused operators -----------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptOperator.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace avocet::compiler {

static constexpr StringLiteral kKindAttr = "file.operator", kNumberAttr = "file.number", kCustomAttr = "file.custom",
                               kAttributesAttr = "file.attributes", kObstacleAttr = "file.obstacle";

Operation *keepOperator(OpBuilder &builder, Location location, const KeptOperator &kept, TypeRange results,
                        ValueRange operands) {
  auto standIn = UnrealizedConversionCastOp::create(builder, location, results, operands);
  standIn->setAttr(kKindAttr, builder.getStringAttr(kept.kind));
  standIn->setAttr(kNumberAttr, builder.getI64IntegerAttr(kept.number));
  standIn->setAttr(kCustomAttr, builder.getStringAttr(kept.customName));
  standIn->setAttr(kAttributesAttr, builder.getStringAttr(kept.attributes));
  standIn->setAttr(kObstacleAttr, builder.getStringAttr(kept.obstacle));
  return standIn;
}

std::optional<KeptOperator> keptOperator(Operation *op) {
  auto kind = op->getAttrOfType<StringAttr>(kKindAttr);
  if (!kind)
    return std::nullopt;
  return KeptOperator{kind.str(), op->getAttrOfType<IntegerAttr>(kNumberAttr).getInt(),
                      op->getAttrOfType<StringAttr>(kCustomAttr).str(),
                      op->getAttrOfType<StringAttr>(kAttributesAttr).str(),
                      op->getAttrOfType<StringAttr>(kObstacleAttr).str()};
}

} // namespace avocet::compiler
