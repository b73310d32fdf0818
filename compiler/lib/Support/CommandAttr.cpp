//===- CommandAttr.cpp - Scalars of the command reflection ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Support/CommandAttr.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace avocet::compiler::detail {

Attribute numberToAttribute(MLIRContext *context, int64_t number) {
  return IntegerAttr::get(IntegerType::get(context, 64), number);
}

LogicalResult numberFromAttribute(Attribute attribute, StringRef field, int64_t min, int64_t max, int64_t &number,
                                  EmitError emitError) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger(64))
    return wrongKind(field, "a 64-bit integer", emitError);
  number = integer.getInt();
  if (number >= min && number <= max)
    return success();
  return emitError() << "command field '" << field << "' is " << number << ", must be in [" << min << ", " << max
                     << "]";
}

LogicalResult nameFromAttribute(Attribute attribute, StringRef field, std::span<const std::string_view> names,
                                uint32_t &number, EmitError emitError) {
  auto text = dyn_cast_if_present<StringAttr>(attribute);
  if (!text)
    return wrongKind(field, "a name", emitError);
  for (auto [index, name] : llvm::enumerate(names))
    if (text.getValue() == StringRef(name)) {
      number = static_cast<uint32_t>(index);
      return success();
    }
  return emitError() << "command field '" << field << "' has no value '" << text.getValue() << "'";
}

LogicalResult wrongKind(StringRef field, StringRef expected, EmitError emitError) {
  return emitError() << "command field '" << field << "' must be " << expected;
}

LogicalResult unknownField(StringRef field, EmitError emitError) {
  return emitError() << "command has no field '" << field << "'";
}

} // namespace avocet::compiler::detail
