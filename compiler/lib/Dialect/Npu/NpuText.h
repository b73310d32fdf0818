//===- NpuText.h - Text and bytecode of the device dialect ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom directives of the operations' assembly formats.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_NPU_NPUTEXT_H
#define AVOCET_COMPILER_LIB_DIALECT_NPU_NPUTEXT_H

#include "Support/AsmText.h"
#include "Support/FieldText.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"

namespace avocet::compiler::npu {

/// The fields of a command as in the cmd dialect, but always with braces: "{kind = average}", "{}".
template <typename Command> void printCommand(mlir::OpAsmPrinter &printer, mlir::Operation *, const Command &command) {
  fields::printValue(printer.getStream(), command);
}
template <typename Command> mlir::ParseResult parseCommand(mlir::OpAsmParser &parser, Command &command) {
  return fields::parseValue(parser, command);
}

/// The segments of a constants buffer, as lists of ranges of each constant, SOURCE+SIZE: "[dense<1> : tensor<8xi8>
/// [0+4, 6+2]]". A segment lies after the one before it in the list, unless the byte at which it lies follows: "6+2 at
/// 16".
void printContents(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr contents);
mlir::ParseResult parseContents(mlir::OpAsmParser &parser, mlir::ArrayAttr &contents);

/// Short names for what repeats in text or is long: the entries of the table of layers.
void addAsmInterface(NpuDialect &dialect);

class NpuDialect;

/// Called once, when the dialect is loaded.
void addBytecodeInterface(NpuDialect &dialect);

} // namespace avocet::compiler::npu

#endif // AVOCET_COMPILER_LIB_DIALECT_NPU_NPUTEXT_H
