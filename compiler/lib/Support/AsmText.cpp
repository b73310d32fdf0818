//===- AsmText.cpp - Parts of the text of several dialects ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AsmText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace {

/// A list that is easier to read with one line for each entry.
bool isTable(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && list.size() > 1 && llvm::all_of(list, llvm::IsaPred<DictionaryAttr>);
}

void printTable(OpAsmPrinter &printer, ArrayAttr table) {
  printer << '[';
  printer.increaseIndent();
  printer.increaseIndent();
  llvm::interleave(
      table,
      [&](Attribute entry) {
        printer.printNewline();
        printer << entry;
      },
      [&] { printer << ','; });
  printer.decreaseIndent();
  printer.decreaseIndent();
  printer << ']';
}

} // namespace

namespace avocet::compiler {

void printTables(OpAsmPrinter &printer, Operation *, DictionaryAttr attributes) {
  llvm::ListSeparator separator;
  printer << "attributes {";
  for (NamedAttribute named : attributes) {
    if (named.getName() == SymbolTable::getSymbolAttrName())
      continue;
    printer << StringRef(separator);
    printer.printKeywordOrString(named.getName());
    if (isa<UnitAttr>(named.getValue()))
      continue;
    printer << " = ";
    if (isTable(named.getValue()))
      printTable(printer, cast<ArrayAttr>(named.getValue()));
    else
      printer << named.getValue();
  }
  printer << '}';
}

ParseResult parseTables(OpAsmParser &parser, NamedAttrList &attributes) {
  return parser.parseOptionalAttrDictWithKeyword(attributes);
}

void nameConstant(Value constant, ElementsAttr elements, OpAsmSetValueNameFn setName) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements))
    setName(constant, resource.getRawHandle().getKey());
}

} // namespace avocet::compiler
