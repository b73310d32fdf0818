//===- CommandText.cpp - Commands as text, by reflection --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandText.h"

#include "avocet/firmware_iface/Control.h"
#include "avocet/firmware_iface/Reflection.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace avocet::compiler::cmd {
namespace {

template <std::integral T> void printValue(raw_ostream &os, T value) { os << value; }
void printValue(raw_ostream &os, firmware::SramAddress address) { os << address.offset; }
template <firmware::WireEnum E> void printValue(raw_ostream &os, E value) {
  std::string_view name = firmware::valueName(value);
  os << StringRef(name.data(), name.size());
}
template <firmware::Reflected T> void printValue(raw_ostream &os, const T &value);
template <firmware::WireList L> void printValue(raw_ostream &os, const L &list) {
  os << '[';
  llvm::interleaveComma(list, os, [&](const auto &element) { printValue(os, element); });
  os << ']';
}

/// Visits value and defaults in parallel; visitFields has the same order for both.
template <firmware::Reflected T> void printValue(raw_ostream &os, const T &value) {
  static const T kDefaults{};
  llvm::SmallVector<const void *, 16> defaultFields;
  T::visitFields(kDefaults, [&](const char *, const auto &field) { defaultFields.push_back(&field); });
  llvm::ListSeparator separator;
  size_t index = 0;
  os << '{';
  T::visitFields(value, [&]<typename F>(const char *name, const F &field) {
    if (field == *static_cast<const F *>(defaultFields[index++]))
      return;
    os << separator << name << " = ";
    printValue(os, field);
  });
  os << '}';
}

template <std::integral T> ParseResult parseValue(OpAsmParser &parser, T &value) { return parser.parseInteger(value); }
ParseResult parseValue(OpAsmParser &parser, firmware::SramAddress &address) {
  return parser.parseInteger(address.offset);
}

template <firmware::WireEnum E> ParseResult parseValue(OpAsmParser &parser, E &value) {
  SMLoc place = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::span<const std::string_view> names = firmware::valueNames(value);
  auto found = llvm::find(names, std::string_view(word.data(), word.size()));
  if (found == names.end())
    return parser.emitError(place) << "'" << word << "' is none of " << llvm::join(names, ", ");
  value = static_cast<E>(found - names.begin());
  return success();
}

template <firmware::Reflected T> ParseResult parseValue(OpAsmParser &parser, T &value);

template <firmware::WireList L> ParseResult parseValue(OpAsmParser &parser, L &list) {
  SMLoc place = parser.getCurrentLocation();
  auto parseElement = [&] { return parseValue(parser, list.emplace_back()); };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseElement))
    return failure();
  constexpr uint32_t kLimit = firmware::kMaxListLength<typename L::value_type>;
  if (list.size() > kLimit)
    return parser.emitError(place) << "list of " << list.size() << " elements, at most " << kLimit << " are allowed";
  return success();
}

template <firmware::Reflected T>
ParseResult parseField(OpAsmParser &parser, T &value, llvm::SmallVectorImpl<StringRef> &seen) {
  SMLoc place = parser.getCurrentLocation();
  StringRef wanted;
  if (parser.parseKeyword(&wanted))
    return failure();
  if (llvm::is_contained(seen, wanted))
    return parser.emitError(place) << "field '" << wanted << "' is set twice";
  seen.push_back(wanted);
  if (parser.parseEqual())
    return failure();
  std::optional<ParseResult> result;
  T::visitFields(value, [&](const char *name, auto &field) {
    if (!result && wanted == name)
      result = parseValue(parser, field);
  });
  if (!result)
    return parser.emitError(place) << "command has no field '" << wanted << "'";
  return *result;
}

template <firmware::Reflected T> ParseResult parseValue(OpAsmParser &parser, T &value) {
  value = T{}; // a nested struct may have other defaults inside its owner; the text omits those of its own type
  llvm::SmallVector<StringRef, 16> seen;
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces,
                                        [&] { return parseField(parser, value, seen); });
}

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
