//===- NnNumerics.cpp - The attribute "numerics" ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr int32_t kLeastShift = 2, kMostShift = 62, kMostLeft = 22;

ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int32_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

void printNumbers(AsmPrinter &printer, ArrayRef<int32_t> numbers) {
  printer << '[';
  llvm::interleaveComma(numbers, printer);
  printer << ']';
}

} // namespace

LogicalResult NumericsAttr::verify(llvm::function_ref<InFlightDiagnostic()> errors, Numerics kind,
                                   ArrayRef<int32_t> multipliers, ArrayRef<int32_t> shifts, int32_t left) {
  if (left < 0 || left > kMostLeft || (left > 0 && !hasLists(kind)))
    return errors() << "the shift to the left must be 0 to " << kMostLeft << ", and belongs to multipliers";
  if (hasLists(kind) == multipliers.empty() || multipliers.size() != shifts.size())
    return errors() << "numerics " << stringifyNumerics(kind)
                    << (hasLists(kind) ? " need as many shifts as multipliers, at least one" : " have no multipliers");
  if (llvm::any_of(multipliers, [](int32_t multiplier) { return multiplier < 0; }))
    return errors() << "multipliers must be 0 to 2147483647";
  if (llvm::any_of(shifts, [](int32_t shift) { return shift < kLeastShift || shift > kMostShift; }))
    return errors() << "shifts must be " << kLeastShift << " to " << kMostShift;
  return success();
}

/// `tflite`, or `single_round [5, 6] >> [38, 30]`, or that with `left 20` after it.
Attribute NumericsAttr::parse(AsmParser &parser, Type) {
  const SMLoc start = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return {};
  const std::optional<Numerics> kind = symbolizeNumerics(text);
  if (!kind) {
    parser.emitError(start, "there are no numerics ") << text;
    return {};
  }
  SmallVector<int32_t> multipliers, shifts;
  if (hasLists(*kind) && (parseNumbers(parser, multipliers) || parser.parseGreater() || parser.parseGreater() ||
                          parseNumbers(parser, shifts)))
    return {};
  int32_t left = 0;
  if (hasLists(*kind) && succeeded(parser.parseOptionalKeyword("left")) && parser.parseInteger(left))
    return {};
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(), *kind, ArrayRef<int32_t>(multipliers),
                    ArrayRef<int32_t>(shifts), left);
}

/// Prints a space first, because the assembly formats of operations have none before the attribute.
void NumericsAttr::print(AsmPrinter &printer) const {
  printer << ' ' << stringifyNumerics(getKind());
  if (!isExplicit())
    return;
  printer << ' ';
  printNumbers(printer, getMultipliers());
  printer << " >> ";
  printNumbers(printer, getShifts());
  if (getLeft() > 0)
    printer << " left " << getLeft();
}

} // namespace avocet::compiler::nn
