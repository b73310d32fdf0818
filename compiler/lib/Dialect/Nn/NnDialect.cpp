//===- NnDialect.cpp - Registration of the nn dialect -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

#include "NnInferenceImpl.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.cpp.inc"
#include "avocet/compiler/Dialect/Nn/NnEnums.cpp.inc"
#include "avocet/compiler/Dialect/Nn/NnInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "avocet/compiler/Dialect/Nn/NnAttrs.cpp.inc"

// mlir-tblgen reuses names of variables in nested blocks.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#define GET_OP_CLASSES
#include "avocet/compiler/Dialect/Nn/NnOps.cpp.inc"
#pragma GCC diagnostic pop

using namespace mlir;

namespace {

/// Short names in text for types that list scales: a filter's type has one scale per channel.
struct NnAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Type type, raw_ostream &os) const override {
    if (isa<quant::UniformQuantizedPerAxisType>(type))
      os << "perAxis";
    else if (isa<quant::UniformQuantizedType>(type))
      os << "perTensor";
    else
      return AliasResult::NoAlias;
    return AliasResult::OverridableAlias;
  }
};

} // namespace

void avocet::compiler::nn::NnDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "avocet/compiler/Dialect/Nn/NnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "avocet/compiler/Dialect/Nn/NnOps.cpp.inc"
      >();
  addInterfaces<NnAsmInterface>();
}

bool avocet::compiler::nn::hasBoundedShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isBounded(tensor.getShape());
}
