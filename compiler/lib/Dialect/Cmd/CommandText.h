//===- CommandText.h - Commands as text, by reflection ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a command's fields: "{kind = depthwise, window = {padTop = 1}}". Fields that equal their default are left
// out; enumerations are words, lists stand in brackets.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_CMD_COMMANDTEXT_H
#define AVOCET_COMPILER_LIB_DIALECT_CMD_COMMANDTEXT_H

#include "avocet/firmware_iface/Command.h"

#include "mlir/IR/OpImplementation.h"

namespace avocet::compiler::cmd {

/// Prints " {fields}", or nothing if all have their defaults.
void printCommandBody(mlir::OpAsmPrinter &printer, const firmware::CommandBody &body);

/// Parses the fields into `body`, which already holds the command of the right kind with its defaults.
mlir::ParseResult parseCommandBody(mlir::OpAsmParser &parser, firmware::CommandBody &body);

/// " layer N", or nothing for kNoLayer.
/// A control program as a list of instructions; `words` is its encoding.
void printInstructions(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI32ArrayAttr words);
mlir::ParseResult parseInstructions(mlir::OpAsmParser &parser, mlir::DenseI32ArrayAttr &words);

void printLayer(mlir::OpAsmPrinter &printer, uint32_t layer);
mlir::ParseResult parseLayer(mlir::OpAsmParser &parser, uint32_t &layer);

} // namespace avocet::compiler::cmd

#endif // AVOCET_COMPILER_LIB_DIALECT_CMD_COMMANDTEXT_H
