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

const TfliteConverter *findTfliteConverter(tflite::BuiltinOperator code) {
  for (ArrayRef<TfliteConverter> table : {tfliteConvConverters(), tflitePoolConverters(), tfliteElementwiseConverters(),
                                          tfliteShapeConverters(), tfliteRecurrentConverters()})
    for (const TfliteConverter &converter : table)
      if (converter.code == code)
        return &converter;
  return nullptr;
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
