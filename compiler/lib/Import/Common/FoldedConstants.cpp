//===- FoldedConstants.cpp - Constants from constants -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldedConstants.h"

#include "Constants.h"

#include "avocet/compiler/Dialect/Nn/NnStored.h"
#include "avocet/firmware_iface/BFloat16.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

using namespace mlir;

namespace avocet::compiler {
namespace {

using Bytes = std::vector<char>;

/// Longer chains, and results above kMaxComputedBytes, are left to the device: a small file could ask for any amount of
/// work.
constexpr unsigned kMostDepth = 64;

/// The stored elements of a value.
struct Elements {
  Elements() = default;
  Elements(Bytes own) : own(std::move(own)), bytes(this->own) {} // a vector that moves keeps its bytes
  explicit Elements(ArrayRef<char> bytes) : bytes(bytes) {}

  Bytes own;
  ArrayRef<char> bytes;                                     ///< `own`, or those of a constant
  std::optional<DenseResourceElementsHandle> resource = {}; ///< that has these bytes
};

template <typename T> T elementAt(ArrayRef<char> bytes, int64_t index) {
  T element;
  std::memcpy(&element, bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return element;
}

SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

/// Calls `visit` with the element of an operand for each element of a result in order. `strides` has the elements of
/// the operand from one index of the result to the next, along each axis.
template <typename Visit>
void forEachElement(ArrayRef<int64_t> shape, int64_t first, ArrayRef<int64_t> strides, const Visit &visit) {
  if (shape.empty())
    return visit(first);
  const int64_t stride = strides.front();
  if (shape.size() == 1) {
    for (int64_t index = 0; index < shape.front(); ++index)
      visit(first + index * stride);
    return;
  }
  for (int64_t index = 0; index < shape.front(); ++index)
    forEachElement(shape.drop_front(), first + index * stride, strides.drop_front(), visit);
}

template <size_t width>
Bytes movedOf(ArrayRef<int64_t> shape, ArrayRef<char> input, int64_t first, ArrayRef<int64_t> strides) {
  Bytes bytes(static_cast<size_t>(llvm::product_of(shape, int64_t(1))) * width);
  char *to = bytes.data();
  forEachElement(shape, first, strides, [&](int64_t element) {
    std::memcpy(to, input.data() + static_cast<size_t>(element) * width, width);
    to += width;
  });
  return bytes;
}

/// The elements of the operand that the result has, in its order. `shape` has the axes of the strides.
Bytes moved(Value result, ArrayRef<int64_t> shape, ArrayRef<char> input, int64_t first, ArrayRef<int64_t> strides) {
  switch (bytesOf(elementOf(result))) {
  case 1:
    return movedOf<1>(shape, input, first, strides);
  case 2:
    return movedOf<2>(shape, input, first, strides);
  case 4:
    return movedOf<4>(shape, input, first, strides);
  default:
    return movedOf<8>(shape, input, first, strides);
  }
}

/// The operand's strides along the axes of a result to which it broadcasts.
SmallVector<int64_t> broadcastStrides(ArrayRef<int64_t> own, size_t rank) {
  SmallVector<int64_t> strides(rank - own.size(), 0);
  for (auto [extent, stride] : llvm::zip(own, stridesOf(own)))
    strides.push_back(extent == 1 ? 0 : stride);
  return strides;
}

std::vector<float> broadcastFloats(Value operand, ArrayRef<char> bytes, Value result) {
  std::vector<float> floats;
  forEachElement(shapeOf(result), 0, broadcastStrides(shapeOf(operand), shapeOf(result).size()),
                 [&](int64_t element) { floats.push_back(elementAt<float>(bytes, element)); });
  return floats;
}

class Folder {
public:
  /// The stored elements of the value, or null if they do not follow from constants. Each value is computed once.
  Elements *of(Value value) {
    if (auto known = known_.find(value); known != known_.end())
      return known->second.get();
    std::optional<Elements> elements;
    ++depth_;
    if (Operation *op = value.getDefiningOp();
        op && depth_ <= kMostDepth && op->getNumResults() == 1 && bytesOfElements(tensorOf(value)) <= kMaxComputedBytes)
      elements = compute(op);
    --depth_;
    auto kept = elements ? std::make_unique<Elements>(std::move(*elements)) : nullptr;
    return known_.try_emplace(value, std::move(kept)).first->second.get();
  }

private:
  std::optional<Elements> compute(Operation *op) {
    if (auto given = dyn_cast<nn::ConstantOp>(op))
      return constant(given);
    if (!isa<nn::ReshapeOp, nn::BitcastOp, nn::TransposeOp, nn::SliceOp, nn::CastOp, nn::PadOp, nn::TileOp, nn::AddOp,
             nn::SubOp, nn::MulOp, nn::DivOp, nn::UnaryOp, nn::ConcatenationOp, nn::DequantizeOp>(op))
      return std::nullopt;
    SmallVector<ArrayRef<char>> inputs;
    for (Value operand : op->getOperands()) {
      const Elements *elements = of(operand);
      if (!elements)
        return std::nullopt;
      if (keepsOrder(op))
        return sameBytes(*elements);
      inputs.push_back(elements->bytes);
    }
    if (auto transpose = dyn_cast<nn::TransposeOp>(op))
      return transposed(transpose, inputs.front());
    if (auto slice = dyn_cast<nn::SliceOp>(op))
      return sliced(slice, inputs.front());
    if (auto cast = dyn_cast<nn::CastOp>(op))
      return converted(cast, inputs.front());
    if (auto function = dyn_cast<nn::UnaryOp>(op))
      return rounded(function, inputs.front());
    if (auto whole = dyn_cast<nn::ConcatenationOp>(op))
      return concatenated(whole, inputs);
    if (auto dequantize = dyn_cast<nn::DequantizeOp>(op))
      return dequantized(dequantize, inputs.front());
    if (auto tile = dyn_cast<nn::TileOp>(op))
      return tiled(tile, inputs.front());
    if (auto pad = dyn_cast<nn::PadOp>(op))
      return padded(pad, inputs.front());
    return arithmetic(op, inputs[0], inputs[1]);
  }

  /// Whether the result has the operand's bytes: also if all axes that move have one element.
  static bool keepsOrder(Operation *op) {
    auto transpose = dyn_cast<nn::TransposeOp>(op);
    if (!transpose)
      return isa<nn::ReshapeOp, nn::BitcastOp>(op);
    SmallVector<int64_t> moved;
    llvm::copy_if(transpose.getPermutation(), std::back_inserter(moved),
                  [shape = shapeOf(transpose.getInput())](int64_t axis) { return shape[axis] > 1; });
    return llvm::is_sorted(moved);
  }

  static Elements sameBytes(const Elements &input) {
    if (!input.resource)
      return Bytes(input.bytes.begin(), input.bytes.end());
    Elements same(input.bytes);
    same.resource = input.resource;
    return same;
  }

  static std::optional<Elements> constant(nn::ConstantOp op) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue())) {
      Elements elements(resource.getRawHandle().getBlob()->getData());
      elements.resource = resource.getRawHandle();
      return elements;
    }
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense || dense.getElementType().isInteger(1)) // which are packed
      return std::nullopt;
    ArrayRef<char> data = dense.getRawData();
    if (!dense.isSplat())
      return Elements(data);
    Bytes bytes;
    for (int64_t copies = dense.getNumElements(); copies > 0; --copies)
      bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
  }

  static Bytes transposed(nn::TransposeOp op, ArrayRef<char> input) {
    const SmallVector<int64_t> own = stridesOf(shapeOf(op.getInput()));
    auto strides = llvm::map_to_vector(op.getPermutation(), [&](int64_t axis) { return own[axis]; });
    return moved(op.getOutput(), shapeOf(op.getOutput()), input, 0, strides);
  }

  static Bytes sliced(nn::SliceOp op, ArrayRef<char> input) {
    SmallVector<int64_t> strides = stridesOf(shapeOf(op.getInput()));
    int64_t first = 0;
    for (size_t axis = 0; axis < strides.size(); ++axis) {
      first += op.getBegin()[axis] * strides[axis];
      strides[axis] *= op.getStrides()[axis];
    }
    return moved(op.getOutput(), shapeOf(op.getOutput()), input, first, strides);
  }

  static Bytes tiled(nn::TileOp op, ArrayRef<char> input) {
    // Each axis of the result is one of repetitions and one of elements.
    const ArrayRef<int64_t> own = shapeOf(op.getInput());
    SmallVector<int64_t> shape, strides;
    for (auto [multiple, extent, stride] : llvm::zip(op.getMultiples(), own, stridesOf(own))) {
      shape.append({multiple, extent});
      strides.append({0, stride});
    }
    return moved(op.getOutput(), shape, input, 0, strides);
  }

  /// Only integers of 8 bits, with a stored value, and floats with zeros.
  static std::optional<Bytes> padded(nn::PadOp op, ArrayRef<char> input) {
    const bool isByte = bytesOf(elementOf(op.getInput())) == 1 && op.getValue();
    const bool isZero = isa<FloatType>(elementOf(op.getInput())) && (!op.getValue() || op.getValue()->isZero());
    if (!isByte && !isZero)
      return std::nullopt;
    const auto fill = isByte ? static_cast<char>(op.getValue()->convertToDouble()) : char(0);
    const auto width = static_cast<size_t>(bytesOf(elementOf(op.getInput())));
    Bytes bytes(bytesOfElements(tensorOf(op.getOutput())), fill);
    const SmallVector<int64_t> strides = stridesOf(shapeOf(op.getOutput()));
    int64_t first = 0;
    for (auto [low, stride] : llvm::zip(op.getLow(), strides))
      first += low * stride;
    const char *from = input.data();
    forEachElement(shapeOf(op.getInput()), first, strides, [&](int64_t element) {
      std::memcpy(bytes.data() + static_cast<size_t>(element) * width, from, width);
      from += width;
    });
    return bytes;
  }

  /// The elements as f32; nullopt for types that do not occur in weights.
  static std::optional<Bytes> floatsFrom(Type type, int64_t count, ArrayRef<char> input, double scale = 1,
                                         int64_t zero = 0) {
    const auto converted = [&](auto element) {
      return floatBytes(count, [&](int64_t i) {
        const auto number = static_cast<double>(static_cast<float>(elementAt<decltype(element)>(input, i)));
        return static_cast<float>(scale * (number - static_cast<double>(zero)));
      });
    };
    if (type.isF16())
      return converted(_Float16());
    if (type.isBF16())
      return converted(firmware::BFloat16());
    const bool isUnsigned = type.isUnsignedInteger();
    if (isa<IntegerType>(type) && !type.isInteger(1) && bytesOf(type) == 1) // those of 4 bits have a byte each
      return isUnsigned ? converted(uint8_t()) : converted(int8_t());
    if (type.isInteger(16) && !isUnsigned)
      return converted(int16_t());
    if (type.isInteger(64) && !isUnsigned)
      return converted(int64_t());
    return type.isInteger(32) && !isUnsigned ? std::optional(converted(int32_t())) : std::nullopt;
  }

  /// Of the casts only these occur between weights, and between numbers that shapes are computed from.
  static std::optional<Bytes> converted(nn::CastOp op, ArrayRef<char> input) {
    const Type from = elementOf(op.getInput()), to = elementOf(op.getOutput());
    const int64_t count = tensorOf(op.getOutput()).getNumElements();
    if (from.isF32() && (to.isInteger(32) || to.isInteger(64)))
      return truncated(input, count, static_cast<size_t>(bytesOf(to)));
    return to.isF32() ? floatsFrom(from, count, input) : std::nullopt;
  }

  /// Quantized weights between floats.
  static std::optional<Bytes> dequantized(nn::DequantizeOp op, ArrayRef<char> input) {
    const auto type = dyn_cast<quant::UniformQuantizedType>(elementOf(op.getInput()));
    if (!type || !elementOf(op.getOutput()).isF32())
      return std::nullopt;
    const unsigned width = type.getStorageTypeIntegralWidth();
    const auto stored =
        IntegerType::get(type.getContext(), width, type.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
    return floatsFrom(stored, tensorOf(op.getOutput()).getNumElements(), input, static_cast<float>(type.getScale()),
                      type.getZeroPoint());
  }

  /// Only numbers that both types of integers have.
  static std::optional<Bytes> truncated(ArrayRef<char> input, int64_t count, size_t width) {
    Bytes bytes(static_cast<size_t>(count) * width);
    for (int64_t i = 0; i < count; ++i) {
      const auto number = elementAt<float>(input, i);
      if (!(std::abs(number) < 2147483648.0f))
        return std::nullopt;
      const auto integer = static_cast<int64_t>(number); // little-endian
      std::memcpy(bytes.data() + static_cast<size_t>(i) * width, &integer, width);
    }
    return bytes;
  }

  static std::optional<Bytes> rounded(nn::UnaryOp op, ArrayRef<char> input) {
    const bool isFloor = op.getKind() == nn::UnaryKind::Floor;
    if (!elementOf(op.getInput()).isF32() || !(isFloor || op.getKind() == nn::UnaryKind::Ceil))
      return std::nullopt;
    return floatBytes(tensorOf(op.getOutput()).getNumElements(), [&](int64_t i) {
      return isFloor ? std::floor(elementAt<float>(input, i)) : std::ceil(elementAt<float>(input, i));
    });
  }

  static Bytes concatenated(nn::ConcatenationOp op, ArrayRef<ArrayRef<char>> inputs) {
    Bytes bytes;
    const int64_t rows = llvm::product_of(shapeOf(op.getOutput()).take_front(op.getAxis()), int64_t(1));
    for (int64_t row = 0; row < rows; ++row)
      for (ArrayRef<char> input : inputs) {
        const auto part = static_cast<int64_t>(input.size()) / rows;
        bytes.insert(bytes.end(), input.begin() + row * part, input.begin() + (row + 1) * part);
      }
    return bytes;
  }

  /// Sums, products and quotients of floats are rounded once, on the device as here.
  static std::optional<Bytes> arithmetic(Operation *op, ArrayRef<char> lhs, ArrayRef<char> rhs) {
    Value result = op->getResult(0);
    if (!elementOf(result).isF32() || nn::activationOf(op) != nn::Activation::kNone)
      return std::nullopt;
    const std::vector<float> a = broadcastFloats(op->getOperand(0), lhs, result);
    const std::vector<float> b = broadcastFloats(op->getOperand(1), rhs, result);
    return floatBytes(static_cast<int64_t>(a.size()), [&](int64_t i) {
      if (isa<nn::DivOp>(op))
        return a[i] / b[i];
      return isa<nn::AddOp>(op) ? a[i] + b[i] : isa<nn::SubOp>(op) ? a[i] - b[i] : a[i] * b[i];
    });
  }

  static Bytes floatBytes(int64_t count, llvm::function_ref<float(int64_t)> element) {
    Bytes bytes(static_cast<size_t>(count) * sizeof(float));
    for (int64_t i = 0; i < count; ++i) {
      const float value = element(i);
      std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(float), &value, sizeof(float));
    }
    return bytes;
  }

  llvm::DenseMap<Value, std::unique_ptr<Elements>> known_; ///< null: not from constants
  unsigned depth_ = 0;                                     ///< of calls
};

/// Without a copy of elements that were computed, or that a resource has.
ElementsAttr attributeOf(RankedTensorType type, Elements elements) {
  const auto stored = RankedTensorType::get(type.getShape(), storedElement(type));
  if (elements.resource)
    return DenseResourceElementsAttr::get(stored, *elements.resource);
  if (elements.own.empty())
    elements = Bytes(elements.bytes.begin(), elements.bytes.end());
  const ArrayRef<char> bytes = elements.bytes;
  AsmResourceBlob blob(
      bytes, alignof(std::max_align_t), [own = std::move(elements.own)](void *, size_t, size_t) {},
      /*dataIsMutable=*/true);
  return DenseResourceElementsAttr::get(stored, "folded", std::move(blob));
}

} // namespace

nn::ConstantOp foldedConstant(ImportedOperation &op, Value value) {
  if (auto constant = value.getDefiningOp<nn::ConstantOp>())
    return constant;
  Folder folder;
  Elements *elements = folder.of(value);
  if (!elements)
    return {};
  const RankedTensorType type = tensorOf(value);
  auto folded = nn::ConstantOp::create(op.builder(), op.location(), type, attributeOf(type, std::move(*elements)));
  if (type.getElementType().isF32())
    nn::setStoredType(folded, nn::storedTypeOf(value));
  return folded;
}

Value foldedIfConstant(ImportedOperation &op, Value value) {
  nn::ConstantOp folded = value ? foldedConstant(op, value) : nn::ConstantOp();
  return folded ? Value(folded) : value;
}

} // namespace avocet::compiler
