//===- TfliteImport.cpp - From a TFLite file to the nn dialect --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Import/TfliteImport.h"

#include "TfliteFile.h"
#include "TfliteGraph.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {

// One line each, to avoid merge conflicts between branches that add tables.
// clang-format off
static constexpr ArrayRef<TfliteConverter> (*kTables[])() = {
    tfliteConvConverters,
    tfliteElementwiseConverters,
    tfliteFunctionConverters,
    tflitePoolConverters,
    tfliteRecurrentConverters,
    tfliteShapeConverters,
};
// clang-format on

const TfliteConverter *findTfliteConverter(tflite::BuiltinOperator code) {
  return findConverter(kTables, &TfliteConverter::code, code);
}

bool isTflite(llvm::StringRef bytes) { return bytes.size() >= 8 && bytes.substr(4, 4) == tflite::ModelIdentifier(); }

OwningOpRef<ModuleOp> importTflite(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file) {
  Location location = beginImport(context, *file);
  FailureOr<TfliteFile> model = TfliteFile::open(location, file->getMemBufferRef());
  if (failed(model))
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(context);
  TfliteGraph graph({builder, file, location}, *model);
  if (failed(graph.importGraph(*module)) || failed(verify(*module)))
    return nullptr;
  return module;
}

} // namespace avocet::compiler
