//===- CommandText.cpp - Commands as text, by reflection --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandText.h"

#include "Support/FieldText.h"
#include "avocet/firmware_iface/Control.h"

using namespace mlir;

namespace avocet::compiler::cmd {
namespace {

using namespace fields;

/// Prints the fields of the variant's struct; nothing if all have default values.
template <typename Variant> void printFields(OpAsmPrinter &printer, const Variant &body) {
  std::visit(
      [&]<typename T>(const T &command) {
        if (command == T{})
          return;
        printer << ' ';
        printValue(printer.getStream(), command);
      },
      body);
}

/// A missing brace means that every field has its default value.
template <typename Variant> ParseResult parseFields(OpAsmParser &parser, Variant &body) {
  return std::visit(
      [&]<typename T>(T &command) -> ParseResult {
        llvm::SmallVector<StringRef, 16> seen;
        return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::OptionalBraces,
                                              [&] { return parseField(parser, command, seen); });
      },
      body);
}

ParseResult parseInstruction(OpAsmParser &parser, firmware::ControlInstruction &instruction) {
  SMLoc place = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  auto found = llvm::find(firmware::kControlNames, std::string_view(name.data(), name.size()));
  if (found == firmware::kControlNames.end())
    return parser.emitError(place) << "'" << name << "' is none of " << llvm::join(firmware::kControlNames, ", ");
  firmware::withAlternative<firmware::ControlInstruction>(found - firmware::kControlNames.begin(),
                                                          [&](auto index) { instruction.template emplace<index>(); });
  return parseFields(parser, instruction);
}

} // namespace

void printCommandBody(OpAsmPrinter &printer, const firmware::CommandBody &body) { printFields(printer, body); }

ParseResult parseCommandBody(OpAsmParser &parser, firmware::CommandBody &body) { return parseFields(parser, body); }

void printInstructions(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr words) {
  llvm::ArrayRef<int32_t> raw = words.asArrayRef();
  auto program = firmware::decodeControl({reinterpret_cast<const uint32_t *>(raw.data()), raw.size()});
  printer << '[';
  // Invalid programs are printed in generic form only.
  for (size_t i = 0; program && i < program->size(); ++i) {
    printer << (i ? "," : "");
    printer.printNewline();
    printer << "  " << StringRef(firmware::kControlNames[(*program)[i].index()]);
    printFields(printer, (*program)[i]);
  }
  printer << ']';
}

ParseResult parseInstructions(OpAsmParser &parser, DenseI32ArrayAttr &words) {
  std::vector<firmware::ControlInstruction> program;
  auto parseElement = [&] { return parseInstruction(parser, program.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseElement))
    return failure();
  std::vector<uint32_t> encoded = firmware::encodeControl(program);
  llvm::SmallVector<int32_t> signedWords(encoded.begin(), encoded.end());
  words = parser.getBuilder().getDenseI32ArrayAttr(signedWords);
  return success();
}

void printLayer(OpAsmPrinter &printer, uint32_t layer) {
  if (layer != firmware::kNoLayer)
    printer << " layer " << layer;
}

ParseResult parseLayer(OpAsmParser &parser, uint32_t &layer) {
  if (failed(parser.parseOptionalKeyword("layer")))
    return success();
  return parser.parseInteger(layer);
}

} // namespace avocet::compiler::cmd
