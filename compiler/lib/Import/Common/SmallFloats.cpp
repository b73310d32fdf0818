//===- SmallFloats.cpp - Floats of 4 and 8 bits ---------------------------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "ImportTypes.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using nn::BinaryKind;
using nn::CompareKind;

float numberOf(FloatType type, unsigned code) {
  APFloat number(type.getFloatSemantics(), APInt(type.getWidth(), code));
  bool loses;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToFloat();
}

/// The layout of a signed type: widths, exponents, and the codes of its special values.
struct Codes {
  explicit Codes(FloatType type)
      : fraction(type.getFPMantissaWidth() - 1), sign(1u << (type.getWidth() - 1)),
        least(APFloat::semanticsMinExponent(type.getFloatSemantics())) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    const auto codeOf = [](const APFloat &number) {
      return static_cast<unsigned>(number.bitcastToAPInt().getZExtValue());
    };
    largest = codeOf(APFloat::getLargest(semantics));
    // A type without NaN has -0 there.
    nan = APFloat::semanticsHasNaN(semantics) ? codeOf(APFloat::getNaN(semantics)) : sign;
    beyond = APFloat::semanticsHasInf(semantics) ? codeOf(APFloat::getInf(semantics)) : nan;
    hasMinusZero = std::signbit(numberOf(type, sign)) && numberOf(type, sign) == 0;
  }

  int fraction;
  unsigned sign, largest = 0, nan = 0, beyond = 0;
  int least; ///< exponent of normal numbers
  bool hasMinusZero = false;
};

/// Powers of two: the exponent of f32, rounded up.
Value toPower(ImportedOperation &op, Value bits, Value x) {
  Formula i(op, op.builder().getI32Type()), f(op, op.builder().getF32Type());
  const auto constant = [&](int64_t number) { return i.constant(static_cast<double>(number)); };
  Value exponent = i.apply(BinaryKind::LogicalRightShift, bits, constant(23));
  Value isBetween = i.compare(i.apply(BinaryKind::BitwiseAnd, bits, constant(0x7fffff)), CompareKind::NotEqual, 0);
  Value code = i.min(i.add(exponent, i.select(isBetween, constant(1), constant(0))), 254);
  code = i.select(f.compare(x, CompareKind::LessEqual, 0), constant(0), code);
  return i.select(f.compare(x, CompareKind::NotEqual, x), constant(255), code);
}

} // namespace

Value fromSmallFloat(ImportedOperation &op, Value code, FloatType from) {
  SmallVector<float> numbers;
  for (unsigned each = 0; each < 1u << from.getWidth(); ++each)
    numbers.push_back(numberOf(from, each));
  Value index = castTo(op, code, op.builder().getI32Type());
  return index ? create<nn::GatherOp>(op, float32Constant(op, {static_cast<int64_t>(numbers.size())}, numbers), index,
                                      int64_t(0))
               : index;
}

Value toSmallFloat(ImportedOperation &op, Value x, FloatType to, bool saturates) {
  if (!x)
    return {};
  const Type i32 = op.builder().getI32Type(), f32 = op.builder().getF32Type();
  Formula i(op, i32), f(op, f32);
  const auto constant = [&](int64_t number) { return i.constant(static_cast<double>(number)); };
  const auto toByte = [&](Value number) {
    return number ? createAs<nn::CastOp>(op, IntegerType::get(f32.getContext(), 8, IntegerType::Unsigned), number,
                                         /*wraps=*/true)
                  : number;
  };
  Value bits = create<nn::BitcastOp>(op, x, i32);
  if (isa<Float8E8M0FNUType>(to))
    return toByte(toPower(op, bits, x));
  const Codes codes(to);
  // Steps of the numbers around |x|, which is limited so that their count is a small number, rounded to even.
  const float most = numberOf(to, codes.largest);
  Value magnitude = f.min(f.apply(nn::UnaryKind::Abs, x), 4.0 * most);
  Value exponent = i.apply(BinaryKind::LogicalRightShift, create<nn::BitcastOp>(op, magnitude, i32), constant(23));
  exponent = i.max(exponent, codes.least + 127);
  Value step =
      create<nn::BitcastOp>(op, i.apply(BinaryKind::LeftShift, i.sub(exponent, codes.fraction), constant(23)), f32);
  Value steps = castTo(op, f.apply(nn::UnaryKind::Round, f.div(magnitude, step)), i32);
  // Steps of normal numbers include those of the exponent below.
  Value code = i.add(steps, i.mul(i.sub(exponent, codes.least + 127), 1 << codes.fraction));
  code = i.select(i.compare(code, CompareKind::Greater, codes.largest),
                  constant(saturates ? codes.largest : codes.beyond), code);
  Value hasSign = i.compare(bits, CompareKind::Less, 0);
  if (!codes.hasMinusZero)
    hasSign = createPair<nn::LogicalOp>(op, hasSign, i.compare(code, CompareKind::NotEqual, 0), nn::LogicalKind::And);
  code = i.select(hasSign, i.apply(BinaryKind::BitwiseOr, code, constant(codes.sign)), code);
  return toByte(i.select(f.compare(x, CompareKind::NotEqual, x), constant(codes.nan), code));
}

} // namespace avocet::compiler
