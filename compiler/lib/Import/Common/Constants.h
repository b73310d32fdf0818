//===- Constants.h - Constants in the bytes of a file -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_COMMON_CONSTANTS_H
#define AVOCET_COMPILER_LIB_IMPORT_COMMON_CONSTANTS_H

#include "ImportedOperation.h"

namespace avocet::compiler {

/// The integer or float type in which the elements are stored.
mlir::Type storedElement(mlir::RankedTensorType type);

/// The elements as a resource blob that points into the file, without a copy. `data` has the bytes of the type and lies
/// in memory that ImportState::bytes keeps alive. `isMapped`: that is a mapped file, which is read again after its
/// pages were returned; they are when the constant is freed.
mlir::ElementsAttr elementsInFile(const ImportState &state, mlir::RankedTensorType type, mlir::ArrayRef<char> data,
                                  const llvm::Twine &name, bool isMapped = false);

/// The most bytes of elements that a file describes without containing them: a file of a few bytes must not take any
/// amount of memory.
inline constexpr uint64_t kMaxComputedBytes = 1 << 28;
uint64_t bytesOfElements(mlir::RankedTensorType type);

/// Refuses a type with more bytes than that. To be called before computedElements() where a few bytes of the file, such
/// as declared extents, decide the number of elements.
mlir::LogicalResult checkComputedBytes(ImportedOperation &op, llvm::StringRef operand, mlir::RankedTensorType type);

/// Elements that the file does not contain in this form: `fill` writes their bytes, which the attribute owns.
mlir::ElementsAttr computedElements(mlir::RankedTensorType type, const llvm::Twine &name,
                                    llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill);

/// Numbers of float64 as f32.
mlir::ElementsAttr narrowedElements(mlir::RankedTensorType type, mlir::ArrayRef<char> data, const llvm::Twine &name);

/// Numbers of 2 or 4 bits, the lowest bits of a byte first, as bytes.
mlir::ElementsAttr unpackedElements(mlir::RankedTensorType type, mlir::ArrayRef<char> data, unsigned width,
                                    bool isSigned, const llvm::Twine &name);

/// The bytes of a constant's elements; empty if they are not known, or stored as one element.
mlir::ArrayRef<char> bytesOf(nn::ConstantOp constant);

/// The little-endian signed integers of 4 or 8 bytes in `data`; bytes after the last whole one are ignored.
mlir::SmallVector<int64_t> integersOf(mlir::ArrayRef<char> data, size_t size);

mlir::Value constantOf(ImportedOperation &op, mlir::RankedTensorType type, mlir::ElementsAttr elements);
/// A constant of i32, i64 or f32.
mlir::Value int32Constant(ImportedOperation &op, mlir::ArrayRef<int64_t> shape, mlir::ArrayRef<int32_t> elements);
mlir::Value int64Constant(ImportedOperation &op, mlir::ArrayRef<int64_t> shape, mlir::ArrayRef<int64_t> elements);
mlir::Value float32Constant(ImportedOperation &op, mlir::ArrayRef<int64_t> shape, mlir::ArrayRef<float> elements);
/// The numbers from 0 on, i32.
mlir::Value ascending(ImportedOperation &op, mlir::ArrayRef<int64_t> shape);
/// A scalar, f32.
mlir::Value float32Constant(ImportedOperation &op, float value);

/// A constant without elements, which has the type.
mlir::Value withoutElements(ImportedOperation &op, mlir::RankedTensorType type);

/// A constant whose elements are all `element`, which has the element type.
mlir::Value filled(ImportedOperation &op, mlir::RankedTensorType type, mlir::Attribute element);
/// The same with a number of the element type, integers or floats.
mlir::Value filled(ImportedOperation &op, mlir::ArrayRef<int64_t> shape, mlir::Type element, double number = 0);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_COMMON_CONSTANTS_H
