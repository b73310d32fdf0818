//===- TfliteImport.cpp - From a TFLite file to the nn dialect --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TfliteImport.h"

#include "TfliteFile.h"
#include "TfliteGraph.h"

#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace avocet::compiler {

// One line each, to avoid merge conflicts between branches that add tables.
// clang-format off
static constexpr ArrayRef<TfliteConverter> (*kTables[])() = {
    tfliteComplexConverters,
    tfliteControlFlowConverters,
    tfliteConcatenationConverters,
    tfliteConvConverters,
    tfliteDetectionConverters,
    tfliteElementwiseConverters,
    tfliteQuantizationConverters,
    tfliteSequenceConverters,
    tfliteLookupConverters,
    tfliteMoveConverters,
    tfliteNormalizeConverters,
    tfliteRecurrentConverters,
    tfliteShapeConverters,
    tfliteVolumeConverters,
    tfliteVariableConverters,
};
// clang-format on

const TfliteConverter *findTfliteConverter(const TfliteOperator &op) {
  return findConverter<TfliteConverter>(kTables, [&op](const TfliteConverter &row) {
    return row.code == op.code() && row.customName == op.customName();
  });
}

bool isTflite(llvm::StringRef bytes) { return bytes.size() >= 8 && bytes.substr(4, 4) == tflite::ModelIdentifier(); }

static StringRef keyOf(const tflite::SignatureDef &signature) {
  return signature.key() ? StringRef(signature.key()->c_str(), signature.key()->size()) : StringRef();
}

/// The entry point with the key. Null with an error that lists all keys if there is none.
static const tflite::SignatureDef *findSignature(Location location, const TfliteFile &file, StringRef key) {
  SmallVector<std::string> keys;
  for (uint32_t i = 0; file.model().signatures() && i < file.model().signatures()->size(); ++i) {
    const tflite::SignatureDef *signature = file.model().signatures()->Get(i);
    if (keyOf(*signature) == key)
      return signature;
    keys.push_back(("'" + keyOf(*signature) + "'").str());
  }
  emitError(location) << "the model has no signature '" << key << "'; it has "
                      << (keys.empty() ? "none" : llvm::join(keys, ", "));
  return nullptr;
}

OwningOpRef<ModuleOp> importTflite(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file, StringRef signature,
                                   std::span<const InputShape> shapes, RefusedOperators refused) {
  Location location = beginImport(context, *file);
  FailureOr<TfliteFile> model = TfliteFile::open(location, file->getMemBufferRef());
  if (failed(model))
    return nullptr;
  const tflite::SignatureDef *entry = signature.empty() ? nullptr : findSignature(location, *model, signature);
  if (!signature.empty() && !entry)
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(context);
  TfliteImport import{{{builder, file, location}}};
  import.keepsRefused = refused == RefusedOperators::Keep;
  import.variables.scan(*model);
  TfliteGraph graph(import, *model, entry ? entry->subgraph() : 0);
  if (failed(graph.setInputShapes(shapes, entry)) || failed(graph.importGraph(*module, entry)))
    return nullptr;
  if (!import.keepsRefused && failed(verify(*module)))
    return nullptr;
  return module;
}

} // namespace avocet::compiler
