//===- TosaToNn.cpp - Networks of the TOSA dialect --------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TosaConstants.h"
#include "TosaGraph.h"

#include "Import/Common/Create.h"

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/Dialect/Tosa/IR/TargetEnv.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;

namespace avocet::compiler {

#define GEN_PASS_DEF_CONVERTTOSATONNPASS
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

namespace {

const TosaConverter *converterOf(Operation *op) {
  static constexpr ArrayRef<TosaConverter> (*const kTables[])() = {
      tosaControlFlowConverters, tosaConvConverters,    tosaElementwiseConverters, tosaLookupConverters,
      tosaMoveConverters,        tosaPoolConverters,    tosaReductionConverters,   tosaRescaleConverters,
      tosaSpectrumConverters,    tosaVariableConverters};
  const StringRef name = op->getName().getStringRef();
  return findConverter<TosaConverter>(kTables, [name](const TosaConverter &row) { return row.name == name; });
}

bool isShape(Operation &op) { return op.getNumResults() == 1 && isa<tosa::shapeType>(op.getResult(0).getType()); }

/// Constants and variables have no operation in the network: their readers read them.
bool isReadByItsReaders(Operation &op) { return isa<tosa::VariableOp>(op) || op.hasTrait<OpTrait::ConstantLike>(); }

} // namespace

FailureOr<SmallVector<Value>> convertBlock(TosaImport &import, Block &block, ValueRange arguments) {
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
    import.values[argument] = value;
  for (Operation &source : block.without_terminator()) {
    if (isReadByItsReaders(source))
      continue;
    if (isShape(source)) {
      noteShape(import, &source);
      continue;
    }
    TosaOperation op(import, &source);
    FailureOr<bool> refused = convertOperation(import, op, converterOf(&source));
    if (failed(refused))
      return failure();
    if (*refused)
      addPlaceholders(import.builder, &source, tosaElement, import.values);
  }
  if (import.refused)
    return failure();
  return TosaOperation(import, block.getTerminator()).plainValues();
}

namespace {

/// The function of the network: the only one, or that of the name `main`.
FailureOr<func::FuncOp> networkOf(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return main;
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  if (functions.size() == 1)
    return functions.front();
  return module.emitError() << "has " << functions.size()
                            << " functions, and none is called 'main'; name the function of the network so";
}

/// Refuses operations whose shapes are not known.
LogicalResult checkShapes(func::FuncOp function) {
  bool areFixed = true;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (!isa<tosa::shapeType>(type) && !hasFixedShape(type)) {
        areFixed = false;
        emitRefusal(op->getLoc(),
                    {("operation " + op->getName().getStringRef()).str(), "result",
                     "static shape of rank at most 32 with 1 to 2^31 - 1 elements", llvm::to_string(type), ""});
        return;
      }
  });
  return success(areFixed);
}

LogicalResult convertFunction(func::FuncOp source) {
  if (!source.getBody().hasOneBlock())
    return source.emitError("the network has several blocks; branches are tosa.cond_if");
  func::FuncOp function = convertBorder(source, "main", tosaElement);
  if (!function || failed(checkShapes(source)))
    return failure();
  Block *body = &function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockEnd(body);
  TosaImport import{{builder, nullptr, source.getLoc()}};
  import.body = body;
  FailureOr<SmallVector<Value>> results = convertBlock(import, source.getBody().front(), function.getArguments());
  if (failed(results) || failed(import.states.addResults(function, *results)))
    return failure();
  func::ReturnOp::create(builder, source.getLoc(), *results);
  source.erase();
  return success();
}

} // namespace

LogicalResult validateTosa(ModuleOp module) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false);
  if (!module->hasAttr(tosa::TargetEnvAttr::name))
    setTosaVersion(module, TosaVersion::V11Draft);
  manager.addPass(tosa::createTosaValidation());
  return manager.run(module);
}

void setTosaVersion(ModuleOp module, TosaVersion version) {
  using tosa::Extension, tosa::Profile;
  const auto number =
      version == TosaVersion::V10 ? tosa::SpecificationVersion::V_1_0 : tosa::SpecificationVersion::V_1_1_DRAFT;
  // Those that the conversion reads.
  SmallVector<Extension> extensions{Extension::int16,       Extension::int4,         Extension::controlflow,
                                    Extension::variable,    Extension::shape,        Extension::bf16,
                                    Extension::doubleround, Extension::inexactround, Extension::fft};
  llvm::erase_if(extensions, [number](Extension each) {
    return !tosa::TosaSpecificationVersion(number).isBackwardsCompatibleWith(tosa::getMinVersion(each));
  });
  module->setAttr(tosa::TargetEnvAttr::name, tosa::TargetEnvAttr::get(module.getContext(), number, tosa::Level::none,
                                                                      {Profile::pro_int, Profile::pro_fp}, extensions));
}

bool hasTosa(ModuleOp module) {
  const auto isTosa = [](Operation *op) {
    return isa_and_nonnull<tosa::TosaDialect>(op->getDialect()) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return module.walk(isTosa).wasInterrupted();
}

LogicalResult convertTosaToNn(ModuleOp module) {
  module.getContext()->loadDialect<func::FuncDialect, quant::QuantDialect, nn::NnDialect>();
  if (failed(validateTosa(module)))
    return failure();
  FailureOr<func::FuncOp> network = networkOf(module);
  if (failed(network))
    return failure();
  for (func::FuncOp other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (other != *network)
      other.erase();
  module->removeAttr(tosa::TargetEnvAttr::name);
  module->setAttr(attrs::kKeepsInfinities, UnitAttr::get(module.getContext()));
  if (failed(convertFunction(*network)))
    return failure();
  for (auto variable : llvm::make_early_inc_range(module.getOps<tosa::VariableOp>()))
    variable.erase();
  return success();
}

namespace {

struct ConvertTosaToNnPass : impl::ConvertTosaToNnPassBase<ConvertTosaToNnPass> {
  void runOnOperation() override {
    if (hasTosa(getOperation()) && failed(convertTosaToNn(getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace avocet::compiler
