//===- AsmText.h - Parts of the text of several dialects --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SUPPORT_ASMTEXT_H
#define AVOCET_COMPILER_LIB_SUPPORT_ASMTEXT_H

#include "mlir/IR/OpImplementation.h"

namespace avocet::compiler {

/// Prints or parses "attributes {...}" of a program. A list of several dictionaries, such as the table of layers, has a
/// line for each of them. The symbol name is omitted, since it is in the text already.
void printTables(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::DictionaryAttr attributes);
mlir::ParseResult parseTables(mlir::OpAsmParser &parser, mlir::NamedAttrList &attributes);

/// Names a constant after its resource: %weights3. Other constants keep their number.
void nameConstant(mlir::Value constant, mlir::ElementsAttr elements, mlir::OpAsmSetValueNameFn setName);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_SUPPORT_ASMTEXT_H
