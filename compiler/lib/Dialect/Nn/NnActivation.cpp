//===- NnActivation.cpp - The attribute "activation" ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Dialect/Nn/NnDialect.h"

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr std::pair<llvm::StringLiteral, const Activation *> kNamed[] = {{"none", &Activation::kNone},
                                                                         {"relu", &Activation::kRelu},
                                                                         {"relu_n1_to_1", &Activation::kReluN1To1},
                                                                         {"relu6", &Activation::kRelu6},
                                                                         {"relu_0_to_1", &Activation::kRelu0To1}};

/// `keyword` and a number; success without both.
ParseResult parseBound(AsmParser &parser, StringRef keyword, float &bound) {
  double number = 0;
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  if (parser.parseFloat(number))
    return failure();
  bound = static_cast<float>(number);
  return success();
}

void printBound(AsmPrinter &printer, StringRef keyword, const llvm::APFloat &bound) {
  if (bound.isInfinity())
    return;
  printer << ' ' << keyword << ' ';
  printer.printFloat(bound);
}

} // namespace

LogicalResult ActivationAttr::verify(llvm::function_ref<InFlightDiagnostic()> errors, llvm::APFloat low,
                                     llvm::APFloat high) {
  if (low > high || low.isNaN() || high.isNaN())
    return errors() << "the bounds of a clamp must be numbers, the lower one first";
  return success();
}

/// A name or bounds, of which one may be missing.
Attribute ActivationAttr::parse(AsmParser &parser, Type) {
  for (const auto &[text, activation] : kNamed)
    if (succeeded(parser.parseOptionalKeyword(text)))
      return get(parser.getContext(), *activation);
  const SMLoc start = parser.getCurrentLocation();
  Activation activation;
  if (parseBound(parser, "from", activation.low) || parseBound(parser, "to", activation.high))
    return {};
  if (activation == Activation::kNone) {
    parser.emitError(start, "expected the name of a clamp, or its bounds as `from -1.0 to 1.0`");
    return {};
  }
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(), llvm::APFloat(activation.low),
                    llvm::APFloat(activation.high));
}

/// Prints a space first, because the assembly formats of operations have none before the attribute.
void ActivationAttr::print(AsmPrinter &printer) const {
  for (const auto &[text, activation] : kNamed)
    if (*activation == getValue()) {
      printer << ' ' << text;
      return;
    }
  printBound(printer, "from", getLow());
  printBound(printer, "to", getHigh());
}

} // namespace avocet::compiler::nn
