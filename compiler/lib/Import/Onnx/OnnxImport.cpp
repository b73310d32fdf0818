//===- OnnxImport.cpp - From an ONNX file to the nn dialect -----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnnxImport.h"

#include "Import/Common/ImportTypes.h"
#include "OnnxGraph.h"

#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Remarks.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace avocet::compiler {

static constexpr ArrayRef<OnnxConverter> (*kTables[])() = {
    onnxAttentionConverters, onnxControlFlowConverters, onnxLookupConverters,   onnxMatrixConverters,
    onnxNormalizeConverters, onnxQLinearConverters,     onnxQuantizeConverters, onnxRecurrentConverters,
    onnxSampleConverters,    onnxSignalConverters,      onnxWindowConverters,
};

/// Those whose operands may have no elements.
static constexpr ArrayRef<OnnxConverter> (*kTablesWithEmpty[])() = {onnxElementwiseConverters, onnxMoveConverters,
                                                                    onnxReductionConverters, onnxShapeConverters};

static const OnnxConverter *newestRow(const OnnxOperation &op, ArrayRef<ArrayRef<OnnxConverter> (*)()> tables) {
  const OnnxConverter *newest = nullptr;
  for (auto *table : tables)
    for (const OnnxConverter &row : table())
      if (row.kind == op.kind() && row.domain == op.domain() && row.since <= op.version() &&
          (!newest || newest->since < row.since))
        newest = &row;
  return newest;
}

const OnnxConverter *findOnnxConverter(OnnxOperation &op) {
  if (const OnnxConverter *row = newestRow(op, kTablesWithEmpty)) {
    op.admitEmpty();
    return row;
  }
  return newestRow(op, kTables);
}

/// The first field is the IR version, which all writers of the format put first; then comes another field of the model.
/// A SavedModel of TensorFlow begins with version 1.
bool isOnnx(StringRef bytes) {
  constexpr uint8_t kIrVersion = 0x08, kLeastVersion = 3, kMostVersion = 0x7f;
  constexpr StringLiteral kNext("\x12\x1a\x22\x28\x32\x3a\x42\x72\xa2\xca");
  return bytes.size() > 2 && static_cast<uint8_t>(bytes[0]) == kIrVersion && bytes[1] >= kLeastVersion &&
         static_cast<uint8_t>(bytes[1]) <= kMostVersion && kNext.contains(bytes[2]);
}

OwningOpRef<ModuleOp> importOnnx(MLIRContext *context, std::shared_ptr<llvm::MemoryBuffer> file,
                                 const OnnxOptions &options, ImportNeeds &needs) {
  const Location location = beginImport(context, *file);
  FailureOr<OnnxFile> model = OnnxFile::open(location, std::move(file), options.pools);
  if (failed(model))
    return nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  OpBuilder builder(context);
  (*module)->setAttr(attrs::kKeepsInfinities, builder.getUnitAttr());
  OnnxImport import{{{builder, model->bytes(), location}}, *model, options};
  if (failed(OnnxGraph(import, model->graph()).importGraph(*module))) {
    needs.valueNames.assign(import.needed.begin(), import.needed.end());
    needs.specialization = !needs.valueNames.empty();
    return nullptr;
  }
  if (failed(legalizeImportTypes(import, *module->getOps<func::FuncOp>().begin())))
    return nullptr;
  if (import.narrowsFloats)
    remark::analysis(location, remarkOptions(remarks::kImport, "type"))
        << remark::metric(remarks::kChoice, "f32") << remark::metric(remarks::kReason, "the device has no float64");
  if (options.refused == RefusedOperators::Fail && failed(verify(*module)))
    return nullptr;
  return module;
}

} // namespace avocet::compiler
