//===- OnnxFile.h - A structurally verified ONNX file -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_ONNXFILE_H
#define AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_ONNXFILE_H

#include "Onnx.pb.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <span>

namespace avocet::compiler {

struct OnnxContents;

/// Access to a file after all structural checks. Once open() succeeds:
/// - Values: names are unique in their graph and defined before they are read. A graph in an attribute also reads names
///   of the graphs around it, and may define a name anew. An empty name is an operand or a result that is left out.
/// - Nodes are in topological order. Each has an operator, `version`, and a name that no other node has: its own, or
///   "<kind>_<index>". The default domain is empty, also where the file calls it "ai.onnx".
/// - No node calls a function of the file: their nodes stand in its place, called "<name of the call>/<name>".
/// - Attributes have distinct names and the type that they claim; none is a sparse tensor, a list of tensors or graphs,
///   or a reference to an attribute of a function.
/// - Tensors have known element types and exactly the bytes that their extents need. Initializers are dense.
/// - Inputs of the network have types. Declared extents are not negative, may be unknown, and agree with initializers.
/// What operators demand of their operands and attributes is for the importer to check.
///
/// Limits: 131,072 nodes with those of functions, 32 graphs and 32 calls inside each other, 64 messages inside each
/// other in the file, 16 KiB for a name, 2^40 elements in a tensor, 2 GiB for the file without external data, of that
/// 64 MiB without elements and text that nothing reads, 128 MiB for copies of functions.
///
/// Models that a program hands over may have constants in its memory: a tensor with external data whose entry "pool"
/// is a number has its elements in that pool, from "offset" on.
class OnnxFile {
public:
  /// Emits an error at `location` that names the node or tensor, and fails if the bytes are not a valid file. The
  /// buffer's identifier is its path: external data is read from files in its folder only. Another format or a newer
  /// version of the format or of an operator set is an error that says what it is and what to do.
  ///
  /// Pools are not copied. They must not change, or end, while bytes() exists.
  static mlir::FailureOr<OnnxFile> open(mlir::Location location, std::shared_ptr<llvm::MemoryBuffer> file,
                                        std::span<const std::span<const uint8_t>> pools = {});

  const onnx_file::GraphProto &graph() const;

  /// The little-endian elements of a tensor of the graph, at any alignment: an initializer, or in an attribute. Types
  /// of less than 8 bits are packed, the first element in the lowest bits of a byte; BOOL has a byte for each element,
  /// 0 or 1; STRING is empty. They live as long as bytes().
  mlir::ArrayRef<char> elements(const onnx_file::TensorProto &tensor) const;

  /// Keeps the graph, the file, files of external data and decoded elements, but no pools: for constants that point
  /// into them.
  std::shared_ptr<const void> bytes() const;

private:
  explicit OnnxFile(std::shared_ptr<const OnnxContents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<const OnnxContents> contents_;
};

/// Bits of an element in a file; 0: it is no type of elements, or STRING.
uint32_t storedBits(int32_t dataType);

} // namespace avocet::compiler

#endif // AVOCET_COMPILER_LIB_IMPORT_ONNXFILE_ONNXFILE_H
