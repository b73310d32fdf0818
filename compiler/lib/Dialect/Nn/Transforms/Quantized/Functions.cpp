//===- Functions.cpp - Functions of 8-bit numbers as tables --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   quantize(f(dequantize(x)))     a table of f, rounded as the conversion rounds it
//
// f may consist of several operations with constants of one number.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "../Greedy.h"
#include "../Recognize/RealConstants.h"

#include "avocet/compiler/Dialect/Nn/FoldedIntegers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <array>
#include <cmath>
#include <functional>

using namespace mlir;

namespace avocet::compiler::nn {
namespace {

constexpr size_t kEntries = 256;
/// The results of a function for all numbers of 8 bits, the smallest first.
using Reals = std::array<float, kEntries>;

float logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }
float hardSigmoid(float x, float alpha) { return std::clamp(alpha * x + 0.5f, 0.0f, 1.0f); }
float gelu(float x) { return 0.5f * x * std::erfc(x * -0.70710678118654752440f); }
float geluTanh(float x) { return 0.5f * x * (1.0f + std::tanh(0.79788456080286535588f * (x + 0.044715f * x * x * x))); }
float signOf(float x) { return static_cast<float>((x > 0) - (x < 0)); }

/// The function of a kind; null: of no floats.
std::function<float(float)> functionOf(UnaryKind kind, float alpha) {
  switch (kind) {
  case UnaryKind::Abs:
    return [](float x) { return std::abs(x); };
  case UnaryKind::Neg:
    return std::negate<float>();
  case UnaryKind::Exp:
    return [](float x) { return std::exp(x); };
  case UnaryKind::Log:
    return [](float x) { return std::log(x); };
  case UnaryKind::Sqrt:
    return [](float x) { return std::sqrt(x); };
  case UnaryKind::Rsqrt:
    return [](float x) { return 1.0f / std::sqrt(x); };
  case UnaryKind::Sin:
    return [](float x) { return std::sin(x); };
  case UnaryKind::Cos:
    return [](float x) { return std::cos(x); };
  case UnaryKind::Floor:
    return [](float x) { return std::floor(x); };
  case UnaryKind::Ceil:
    return [](float x) { return std::ceil(x); };
  case UnaryKind::Round:
    return [](float x) { return std::nearbyint(x); };
  case UnaryKind::Sign:
    return signOf;
  case UnaryKind::Square:
    return [](float x) { return x * x; };
  case UnaryKind::Erf:
    return [](float x) { return std::erf(x); };
  case UnaryKind::Gelu:
    return gelu;
  case UnaryKind::GeluTanh:
    return geluTanh;
  case UnaryKind::Swish:
    return [](float x) { return x * logistic(x); };
  case UnaryKind::HardSwish:
    return [](float x) { return x * std::clamp(x + 3.0f, 0.0f, 6.0f) / 6.0f; };
  case UnaryKind::HardSigmoid:
    return [=](float x) { return hardSigmoid(x, alpha); };
  case UnaryKind::Elu:
    return [=](float x) { return x < 0 ? alpha * (std::exp(x) - 1.0f) : x; };
  case UnaryKind::LeakyRelu:
    return [=](float x) { return x < 0 ? alpha * x : x; };
  case UnaryKind::LogicalNot:
  case UnaryKind::LeadingZeros:
    return {};
  }
  llvm_unreachable("all kinds are listed");
}

std::function<float(float)> functionOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::function<float(float)>>(op)
      .Case([](UnaryOp unary) { return functionOf(unary.getKind(), unary.getAlpha().convertToFloat()); })
      .Case([](LogisticOp) { return logistic; })
      .Case([](TanhOp) { return [](float x) { return std::tanh(x); }; })
      .Case([](ClampOp clamp) {
        return [range = clamp.getRange()](float x) { return std::min(std::max(x, range.low), range.high); };
      })
      .Default([](Operation *) { return nullptr; });
}

std::function<float(float, float)> pairFunctionOf(Operation *op) {
  using Pair = std::function<float(float, float)>;
  if (activationOf(op) != Activation::kNone)
    return {};
  return llvm::TypeSwitch<Operation *, Pair>(op)
      .Case([](AddOp) { return std::plus<float>(); })
      .Case([](SubOp) { return std::minus<float>(); })
      .Case([](MulOp) { return std::multiplies<float>(); })
      .Case([](DivOp) { return std::divides<float>(); })
      .Case([](MinimumOp) { return [](float a, float b) { return std::min(a, b); }; })
      .Case([](MaximumOp) { return [](float a, float b) { return std::max(a, b); }; })
      .Case([](PowOp) { return [](float a, float b) { return std::pow(a, b); }; })
      .Case([](PreluOp) { return [](float x, float alpha) { return x < 0 ? alpha * x : x; }; })
      .Default([](Operation *) { return nullptr; });
}

/// The real number of a constant with one number, also of integers that are dequantized.
std::optional<double> constantOf(Value value) {
  Value stored = integersBehind(value);
  auto named = stored ? stored.getDefiningOp<BitcastOp>() : BitcastOp();
  auto constant = named ? named.getInput().getDefiningOp<ConstantOp>() : ConstantOp();
  if (!constant)
    return splatOf(value);
  const auto integers = integersOf(constant.getValue(), tensorOf(constant));
  if (!integers || !llvm::all_equal(*integers))
    return std::nullopt;
  const quant::UniformQuantizedType type = typeOfBytes(stored);
  return static_cast<float>(type.getScale()) * static_cast<float>(integers->front() - type.getZeroPoint());
}

/// Follows a value to one tensor of 8-bit numbers.
class Tabulation {
public:
  explicit Tabulation(ArrayRef<int64_t> shape) : shape_(shape) {}

  /// Null if the value is no function of one such tensor.
  const Reals *of(Value value) {
    if (auto known = known_.find(value); known != known_.end())
      return known->second.get();
    // A function of more operations is none that a quantizer left between two conversions.
    constexpr unsigned kMostDepth = 64, kMostValues = 256;
    ++depth_;
    std::optional<Reals> reals = depth_ > kMostDepth || known_.size() > kMostValues ? std::nullopt : compute(value);
    --depth_;
    auto kept = reals ? std::make_unique<Reals>(*reals) : nullptr;
    return known_.try_emplace(value, std::move(kept)).first->second.get();
  }

  /// The 8-bit numbers; null: all is constant.
  Value bytes() const { return bytes_; }

private:
  std::optional<Reals> compute(Value value) {
    if (std::optional<double> splat = elementOf(value).isF32() ? constantOf(value) : std::nullopt) {
      Reals same;
      same.fill(static_cast<float>(*splat));
      return same;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumResults() != 1 || !elementOf(value).isF32() || shapeOf(value) != shape_)
      return std::nullopt;
    if (isa<DequantizeOp>(op))
      return dequantized(bytesBehind(value));
    if (auto function = functionOf(op))
      return applied(op->getOperand(0), function);
    if (auto function = pairFunctionOf(op))
      return applied(op->getOperand(0), op->getOperand(1), function);
    return std::nullopt;
  }

  std::optional<Reals> dequantized(Value bytes) {
    if (!bytes || (bytes_ && bytes != bytes_))
      return std::nullopt;
    bytes_ = bytes;
    const quant::UniformQuantizedType type = typeOfBytes(bytes);
    Reals reals;
    for (size_t index = 0; index < kEntries; ++index) {
      const int64_t number = static_cast<int64_t>(index) + (type.isSigned() ? -128 : 0) - type.getZeroPoint();
      reals[index] = static_cast<float>(type.getScale()) * static_cast<float>(number);
    }
    return reals;
  }

  std::optional<Reals> applied(Value operand, const std::function<float(float)> &function) {
    const Reals *reals = of(operand);
    if (!reals)
      return std::nullopt;
    Reals results;
    llvm::transform(*reals, results.begin(), function);
    return results;
  }

  std::optional<Reals> applied(Value lhs, Value rhs, const std::function<float(float, float)> &function) {
    const Reals *a = of(lhs), *b = of(rhs);
    if (!a || !b)
      return std::nullopt;
    Reals results;
    for (size_t index = 0; index < kEntries; ++index)
      results[index] = function((*a)[index], (*b)[index]);
    return results;
  }

  ArrayRef<int64_t> shape_;
  Value bytes_;
  llvm::DenseMap<Value, std::unique_ptr<Reals>> known_; ///< null: no function
  unsigned depth_ = 0;                                  ///< of calls
};

/// The entries of a table, as `nn.quantize` rounds; what is no number becomes the smallest one.
SmallVector<int8_t> storedOf(const Reals &reals, quant::UniformQuantizedType type) {
  const auto scale = static_cast<float>(type.getScale());
  const auto zeroPoint = static_cast<float>(type.getZeroPoint());
  const auto least = static_cast<float>(type.getStorageTypeMin()), most = static_cast<float>(type.getStorageTypeMax());
  return llvm::map_to_vector(reals, [=](float real) {
    const float number = std::nearbyint(real / scale) + zeroPoint;
    return static_cast<int8_t>(static_cast<int32_t>(number > least ? std::min(number, most) : least));
  });
}

} // namespace

std::optional<StringRef> fuseQuantizedFunction(const Group &group, RewriterBase &rewriter) {
  QuantizeOp last = group.last;
  Tabulation tabulation(shapeOf(last.getInput()));
  const Reals *reals = hasEightBits(group.result()) ? tabulation.of(last.getInput()) : nullptr;
  if (!reals || !tabulation.bytes())
    return std::nullopt;
  const SmallVector<int8_t> entries = storedOf(*reals, group.result());
  const auto type = RankedTensorType::get({static_cast<int64_t>(kEntries)}, rewriter.getI8Type());
  rewriter.setInsertionPoint(last);
  replaceGroup(group,
               TableOp::create(rewriter, group.location(), group.resultType(), tabulation.bytes(),
                               DenseIntElementsAttr::get(type, ArrayRef<int8_t>(entries))),
               rewriter);
  return "";
}

} // namespace avocet::compiler::nn
