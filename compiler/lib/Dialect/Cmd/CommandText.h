//===- CommandText.h - Commands as text, by reflection ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a command's fields: "{kind = depthwise, window = {padTop = 1}}". Fields with default values are omitted,
// enumerations are words, lists are in brackets.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_DIALECT_CMD_COMMANDTEXT_H
#define AVOCET_COMPILER_LIB_DIALECT_CMD_COMMANDTEXT_H

#include "avocet/firmware_iface/Command.h"

#include "mlir/IR/OpImplementation.h"

namespace avocet::compiler::cmd {

/// Prints " {fields}", or nothing if all have their defaults.
void printCommandBody(mlir::OpAsmPrinter &printer, const firmware::CommandBody &body);

/// Parses the fields into `body`, which already holds a default command of the right kind.
mlir::ParseResult parseCommandBody(mlir::OpAsmParser &parser, firmware::CommandBody &body);

/// Prints or parses a control program as a list of instructions; `words` is its encoding.
void printInstructions(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DenseI32ArrayAttr words);
mlir::ParseResult parseInstructions(mlir::OpAsmParser &parser, mlir::DenseI32ArrayAttr &words);

/// Prints or parses " layer N", or nothing for kNoLayer.
void printLayer(mlir::OpAsmPrinter &printer, uint32_t layer);
mlir::ParseResult parseLayer(mlir::OpAsmParser &parser, uint32_t &layer);

} // namespace avocet::compiler::cmd

#endif // AVOCET_COMPILER_LIB_DIALECT_CMD_COMMANDTEXT_H
