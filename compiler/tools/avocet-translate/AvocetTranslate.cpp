//===- AvocetTranslate.cpp - Converts between modules and files -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Like mlir-translate, with the files that this compiler reads and writes:
//   --import-tflite model.tflite   the model in the nn dialect
//   --import-nnapi model.avnn      the same for a model of the HAL that contains all its constants
//   --import-onnx model.onnx       the same for an ONNX model whose shapes are fixed
//   --import-tosa model.tosa       a TOSA file in the nn dialect
//   --read-tosa model.tosa         the same in the TOSA dialect
//   --nn-to-tosa model.mlir        a network of the nn dialect in the TOSA dialect
//   --cmd-to-avom model.mlir       the model cache of a cmd.program
//   --cmd-to-avod model.mlir       the data cache of a cmd.program
//   --avom-to-cmd model.avom       a model cache as a cmd.program, without constants
//
//===----------------------------------------------------------------------===//

#include "Emit/Artefacts.h"
#include "Import/Nnapi/NnapiImport.h"
#include "Import/Onnx/OnnxImport.h"
#include "Import/Tflite/TfliteImport.h"
#include "Import/Tosa/TosaImport.h"
#include "Support/TextLimits.h"
#include "ToolStreams.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Pipeline/Phases.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"

#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace avocet::compiler;

namespace {

/// The bytes outlive the module: the importer's constants refer to them while the context exists.
std::shared_ptr<llvm::MemoryBuffer> copyOfMain(llvm::SourceMgr &sources) {
  llvm::MemoryBufferRef main = sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef();
  return llvm::MemoryBuffer::getMemBufferCopy(main.getBuffer(), main.getBufferIdentifier());
}

/// Completes an importer's module: border check, model name, phase. Null stays null.
OwningOpRef<Operation *> finishImport(OwningOpRef<ModuleOp> module, llvm::SourceMgr &sources) {
  if (!module || failed(verifyBorder(*module, Phase::Import, nullptr)))
    return {};
  noteModel(*module, sources.getMemoryBuffer(sources.getMainFileID())->getBufferIdentifier());
  notePhase(*module, Phase::Import);
  return module.release().getOperation();
}

OwningOpRef<Operation *> importTfliteFile(llvm::SourceMgr &sources, MLIRContext *context) {
  return finishImport(importTflite(context, copyOfMain(sources)), sources);
}

OwningOpRef<Operation *> importNnapiFile(llvm::SourceMgr &sources, MLIRContext *context) {
  ImportNeeds needs;
  OwningOpRef<ModuleOp> module = importNnapi(context, copyOfMain(sources), {}, needs);
  if (needs.specialization) {
    auto error =
        emitError(UnknownLoc::get(context), "the model is known at its first execution only; inputs by value:");
    for (uint32_t position : needs.valueInputs)
      error << " " << position;
  }
  return finishImport(std::move(module), sources);
}

OwningOpRef<Operation *> importTosaFile(llvm::SourceMgr &sources, MLIRContext *context) {
  return finishImport(importTosa(context, copyOfMain(sources)), sources);
}

OwningOpRef<Operation *> readTosaFile(llvm::SourceMgr &sources, MLIRContext *context) {
  return readTosa(context, copyOfMain(sources)).release().getOperation();
}

OwningOpRef<Operation *> importOnnxFile(llvm::SourceMgr &sources, MLIRContext *context) {
  ImportNeeds needs;
  return finishImport(importOnnx(context, copyOfMain(sources), {}, needs), sources);
}

OwningOpRef<Operation *> disassemble(llvm::SourceMgr &sources, MLIRContext *context) {
  llvm::MemoryBufferRef main = sources.getMemoryBuffer(sources.getMainFileID())->getMemBufferRef();
  llvm::StringRef bytes = main.getBuffer();
  Location location = FileLineColLoc::get(context, main.getBufferIdentifier(), 0, 0);
  auto model = avocet::cache::ModelCache::adopt(std::vector<uint8_t>(bytes.begin(), bytes.end()),
                                                std::string_view(main.getBufferIdentifier()));
  if (!model) {
    emitError(location) << model.status().message();
    return {};
  }
  OwningOpRef<ModuleOp> module = readModelCache(context, location, **model, {});
  if (!module)
    return {};
  notePhase(*module, Phase::Cmd);
  return module.release().getOperation();
}

LogicalResult writeBytes(std::span<const uint8_t> bytes, raw_ostream &output) {
  output.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return success();
}

LogicalResult writeModel(Operation *op, raw_ostream &output) {
  cmd::ProgramOp program = programOf(cast<ModuleOp>(op));
  if (!program)
    return failure();
  FailureOr<std::vector<uint8_t>> bytes = emitModelCache(program);
  return failed(bytes) ? failure() : writeBytes(*bytes, output);
}

LogicalResult writeData(Operation *op, raw_ostream &output) {
  cmd::ProgramOp program = programOf(cast<ModuleOp>(op));
  if (!program)
    return failure();
  FailureOr<AsmResourceBlob> bytes = takeDataCache(program);
  return failed(bytes) ? failure() : writeBytes(bytes->getDataAs<uint8_t>(), output);
}

LogicalResult writeTosa(Operation *op, raw_ostream &output) {
  if (failed(convertNnToTosa(cast<ModuleOp>(op))))
    return failure();
  op->print(output);
  output << "\n";
  return success();
}

/// Same as TranslateFromMLIRRegistration, with the nesting check that it lacks.
TranslateFunction fromMlir(LogicalResult (*write)(Operation *, raw_ostream &)) {
  return [write](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &output, MLIRContext *context) {
    DialectRegistry registry;
    registerDialects(registry);
    context->appendDialectRegistry(registry);
    llvm::MemoryBufferRef main = sources->getMemoryBuffer(sources->getMainFileID())->getMemBufferRef();
    if (failed(checkTextLimits(context, main.getBufferIdentifier(), main.getBuffer())))
      return failure();
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, context);
    return module && succeeded(verify(*module)) ? write(*module, output) : failure();
  };
}

void registerTranslations() {
  static TranslateToMLIRRegistration tflite("import-tflite", "TFLite model to the nn dialect", importTfliteFile,
                                            registerDialects);
  static TranslateToMLIRRegistration nnapi("import-nnapi", "model of the HAL to the nn dialect", importNnapiFile,
                                           registerDialects);
  static TranslateToMLIRRegistration onnx("import-onnx", "ONNX model to the nn dialect", importOnnxFile,
                                          registerDialects);
  static TranslateToMLIRRegistration tosa("import-tosa", "TOSA file to the nn dialect", importTosaFile,
                                          registerDialects);
  static TranslateToMLIRRegistration tosaDialect("read-tosa", "TOSA file to the TOSA dialect", readTosaFile,
                                                 registerDialects);
  static TranslateToMLIRRegistration avom("avom-to-cmd", "model cache to the cmd dialect", disassemble,
                                          registerDialects);
  static TranslateRegistration tosaNetwork("nn-to-tosa", "nn dialect to the TOSA dialect", fromMlir(writeTosa));
  static TranslateRegistration model("cmd-to-avom", "cmd dialect to model cache", fromMlir(writeModel));
  static TranslateRegistration data("cmd-to-avod", "cmd dialect to data cache", fromMlir(writeData));
}

} // namespace

static int runMain(int argc, char **argv) {
  prepareTool("avocet-translate");
  registerTranslations();
  return failed(mlirTranslateMain(argc, argv, "Avocet's translation driver"));
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
