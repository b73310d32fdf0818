//===- FieldText.h - Device structs as text, by reflection ------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The text of a struct with `visitFields`: "{kind = depthwise, window = {padTop = 1}}". Fields with default values are
// omitted, enumerations are words, lists are in brackets. Two structs have a short form besides that with names:
//
//   FeatureMap with a shape   {4x112x32xi8 at 401408, ringRows = 11, firstRow = 5, zeroPoint = -128}
//                             Rows, width, channels and type, then the address unless it is 0. ringRows and the strides
//                             are omitted if they are those of a dense tensor.
//   SramRange                 401408+14336, begin and bytes
//
// Parsing is the inverse of printing for all values, and accepts the form with names everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SUPPORT_FIELDTEXT_H
#define AVOCET_COMPILER_LIB_SUPPORT_FIELDTEXT_H

#include "avocet/firmware_iface/Command.h"
#include "avocet/firmware_iface/Reflection.h"

#include "mlir/IR/OpImplementation.h"

#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace avocet::compiler::fields {

using llvm::raw_ostream, llvm::SMLoc, llvm::StringRef, llvm::failed, llvm::failure, llvm::success;
using mlir::OpAsmParser, mlir::ParseResult;

template <std::integral T> void printValue(raw_ostream &os, T value) { os << value; }
/// The address that stands for none is a word.
inline void printValue(raw_ostream &os, firmware::SramAddress address) {
  if (address == firmware::kNoAddress)
    os << "none";
  else
    os << address.offset;
}
template <firmware::WireEnum E> void printValue(raw_ostream &os, E value) {
  std::string_view name = firmware::valueName(value);
  os << StringRef(name.data(), name.size());
}
inline void printValue(raw_ostream &os, const firmware::SramRange &range) {
  os << range.begin.offset << '+' << range.bytes;
}
inline void printValue(raw_ostream &os, const firmware::FeatureMap &map);
template <firmware::Reflected T> void printValue(raw_ostream &os, const T &value);
template <firmware::WireList L> void printValue(raw_ostream &os, const L &list) {
  os << '[';
  llvm::interleaveComma(list, os, [&](const auto &element) { printValue(os, element); });
  os << ']';
}

/// Prints the fields of `value` that differ from those of `omitted`, each after a separator.
template <firmware::Reflected T>
void printFields(raw_ostream &os, const T &value, const T &omitted, llvm::ListSeparator &separator) {
  llvm::SmallVector<const void *, 16> omittedFields; // visitFields has the same order for both
  T::visitFields(omitted, [&](const char *, const auto &field) { omittedFields.push_back(&field); });
  size_t index = 0;
  T::visitFields(value, [&]<typename F>(const char *name, const F &field) {
    if (field == *static_cast<const F *>(omittedFields[index++]))
      return;
    os << separator << name << " = ";
    printValue(os, field);
  });
}

template <firmware::Reflected T> void printValue(raw_ostream &os, const T &value) {
  static const T kDefaults{};
  llvm::ListSeparator separator;
  os << '{';
  printFields(os, value, kDefaults, separator);
  os << '}';
}

/// The dense map without address and zero point that has the shape and type of `map`.
inline firmware::FeatureMap denseMap(const firmware::FeatureMap &map) {
  const uint32_t pixel = map.channels * static_cast<uint32_t>(firmware::sizeOf(map.type));
  return {.type = map.type,
          .address = map.address,
          .height = map.height,
          .width = map.width,
          .channels = map.channels,
          .ringRows = map.height,
          .rowStride = map.width * pixel,
          .pixelStride = pixel};
}

inline void printValue(raw_ostream &os, const firmware::FeatureMap &map) {
  if (!map.height || !map.width || !map.channels)
    return printValue<firmware::FeatureMap>(os, map);
  os << '{' << map.height << 'x' << map.width << 'x' << map.channels << 'x';
  printValue(os, map.type);
  if (map.address != firmware::SramAddress(0)) {
    os << " at ";
    printValue(os, map.address);
  }
  llvm::ListSeparator separator;
  os << separator; // the shape is the first element of the list
  printFields(os, map, denseMap(map), separator);
  os << '}';
}

template <std::integral T> ParseResult parseValue(OpAsmParser &parser, T &value) { return parser.parseInteger(value); }
inline ParseResult parseValue(OpAsmParser &parser, firmware::SramAddress &address) {
  if (parser.parseOptionalKeyword("none").succeeded()) {
    address = firmware::kNoAddress;
    return success();
  }
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

inline ParseResult parseValue(OpAsmParser &parser, firmware::FeatureMap &map);
inline ParseResult parseValue(OpAsmParser &parser, firmware::SramRange &range);
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

inline ParseResult parseValue(OpAsmParser &parser, firmware::SramRange &range) {
  uint32_t begin = 0;
  mlir::OptionalParseResult number = parser.parseOptionalInteger(begin);
  if (!number.has_value())
    return parseValue<firmware::SramRange>(parser, range);
  range.begin = begin;
  if (failed(*number))
    return failure();
  if (parser.parseOptionalPlus())
    return parser.emitError(parser.getCurrentLocation()) << "a range is BEGIN+BYTES, '+' is missing";
  return parser.parseInteger(range.bytes);
}

/// "4x112x32xi8 at 401408", and the map that follows from it; nothing if the next token is no number.
inline ParseResult parseShape(OpAsmParser &parser, firmware::FeatureMap &map) {
  SMLoc place = parser.getCurrentLocation();
  llvm::SmallVector<int64_t, 3> shape;
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/true))
    return failure();
  if (shape.empty())
    return success();
  if (shape.size() != 3 || !llvm::all_of(shape, [](int64_t extent) { return extent > 0 && extent <= UINT32_MAX; }))
    return parser.emitError(place) << "a shape must be ROWSxWIDTHxCHANNELSxTYPE, with extents from 1 to " << UINT32_MAX;
  map.height = static_cast<uint32_t>(shape[0]);
  map.width = static_cast<uint32_t>(shape[1]);
  map.channels = static_cast<uint32_t>(shape[2]);
  if (parseValue(parser, map.type))
    return failure();
  if (parser.parseOptionalKeyword("at").succeeded() && parseValue(parser, map.address))
    return failure();
  map = denseMap(map);
  return success();
}

inline ParseResult parseValue(OpAsmParser &parser, firmware::FeatureMap &map) {
  map = {};
  llvm::SmallVector<StringRef, 16> seen;
  return parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Braces, [&]() -> ParseResult {
    if (!seen.empty() || map.height)
      return parseField(parser, map, seen);
    if (parseShape(parser, map))
      return failure();
    return map.height ? success() : parseField(parser, map, seen);
  });
}

} // namespace avocet::compiler::fields

#endif // AVOCET_COMPILER_LIB_SUPPORT_FIELDTEXT_H
