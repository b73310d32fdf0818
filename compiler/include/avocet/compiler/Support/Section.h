//===- Section.h - Functions and programs that are sections -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network with branches or loops is compiled as several functions, later programs: one per section of its control
// program (dialect cmd, cmd.control). Attributes of a section give the places of its operands and of its own constants
// and scratch memory. A function without these attributes is the whole network, and its operands are the network's.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_SUPPORT_SECTION_H
#define AVOCET_COMPILER_SUPPORT_SECTION_H

#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace avocet::compiler {

inline bool isSection(mlir::Operation *op) { return op->hasAttr(attrs::kConstantsRegion); }

/// Region number of the constants; the next region is the scratch memory.
inline std::optional<uint32_t> constantsRegionOf(mlir::Operation *op) {
  auto region = op->getAttrOfType<mlir::IntegerAttr>(attrs::kConstantsRegion);
  return region ? std::optional(static_cast<uint32_t>(region.getInt())) : std::nullopt;
}

/// Bytes at the start of the scratch memory that hold values passed between sections.
inline int64_t frameBytesOf(mlir::Operation *op) {
  auto bytes = op->getAttrOfType<mlir::IntegerAttr>(attrs::kFrameBytes);
  return bytes ? bytes.getInt() : 0;
}

/// Copies the section attributes of `from`, if any, to `to`.
inline void copySection(mlir::Operation *from, mlir::Operation *to) {
  for (llvm::StringRef name : {llvm::StringRef(attrs::kConstantsRegion), llvm::StringRef(attrs::kFrameBytes)})
    if (mlir::Attribute value = from->getAttr(name))
      to->setAttr(name, value);
}

/// Place of a section's operand: region and byte offset.
struct OperandPlace {
  uint32_t region = 0;
  uint64_t offset = 0;
  bool operator==(const OperandPlace &) const = default;
};

/// From the attributes of an argument or result, or a dictionary of npu.program's `inputs` and `outputs`.
inline std::optional<OperandPlace> placeOf(mlir::DictionaryAttr operand) {
  auto region = operand ? operand.getAs<mlir::IntegerAttr>(attrs::kRegion) : mlir::IntegerAttr();
  auto offset = operand ? operand.getAs<mlir::IntegerAttr>(attrs::kOffset) : mlir::IntegerAttr();
  if (!region || !offset)
    return std::nullopt;
  return OperandPlace{static_cast<uint32_t>(region.getInt()), static_cast<uint64_t>(offset.getInt())};
}

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_SUPPORT_SECTION_H
