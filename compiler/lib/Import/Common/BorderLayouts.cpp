//===- BorderLayouts.cpp - Layouts of inputs and outputs --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BorderLayouts.h"

#include "avocet/compiler/Dialect/Nn/NnDialect.h"
#include "avocet/compiler/Support/ProgramAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace avocet::compiler {
namespace {

using Permutation = SmallVector<int64_t, 5>;

struct LayoutNames {
  StringRef channelsFirst, channelsLast;
};
constexpr LayoutNames kLayouts[] = {{"NCW", "NWC"}, {"NCHW", "NHWC"}, {"NCDHW", "NDHWC"}};

/// Between the names of one row: axis i of the result is axis [i] of the other.
Permutation permutationTo(StringRef to, StringRef from) {
  Permutation permutation;
  for (const char axis : to)
    permutation.push_back(static_cast<int64_t>(from.find(axis)));
  return permutation;
}

RankedTensorType permutedType(RankedTensorType type, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (const int64_t axis : permutation)
    shape.push_back(type.getDimSize(axis));
  return type.clone(shape);
}

/// An input or output of the network. States are neither: no caller sees them.
struct Place {
  bool isInput;
  unsigned index;
  std::string name;
  RankedTensorType type;
};

class Border {
public:
  Border(func::FuncOp function, bool isChannelsFirst) : function_(function), isChannelsFirst_(isChannelsFirst) {}

  LogicalResult arrange(const TensorLayout &request) {
    const auto *row = llvm::find_if(kLayouts, [&request](const LayoutNames &each) {
      return request.layout == each.channelsFirst || request.layout == each.channelsLast;
    });
    if (row == std::end(kLayouts))
      return function_.emitError() << "layout '" << request.layout << "' must be NCHW, NHWC, NCW, NWC, NCDHW or NDHWC";
    const auto rank = static_cast<int64_t>(request.layout.size());
    SmallVector<Place> chosen;
    for (const Place &place : places())
      if (request.name.empty() ? place.type.getRank() == rank : place.name == request.name)
        chosen.push_back(place);
    if (chosen.empty())
      return refuseName(request);
    for (const Place &place : chosen)
      if (place.type.getRank() != rank)
        return function_.emitError() << (place.isInput ? "input '" : "output '") << place.name << "' has "
                                     << place.type.getRank() << " axes, layout " << request.layout << " has " << rank;
    const StringRef old = isChannelsFirst_ ? row->channelsFirst : row->channelsLast;
    if (request.layout != old)
      for (const Place &place : chosen)
        place.isInput ? arrangeInput(place, request.layout, old) : arrangeOutput(place, request.layout, old);
    return success();
  }

private:
  SmallVector<Place> places() {
    SmallVector<Place> all;
    unsigned states = 0;
    const auto add = [&all](bool isInput, unsigned index, DictionaryAttr attributes, Type type) {
      auto name = attributes ? attributes.getAs<StringAttr>(attrs::kOperandName) : StringAttr();
      all.push_back({isInput, index, name ? name.str() : std::string(), cast<RankedTensorType>(type)});
    };
    for (auto [index, type] : llvm::enumerate(function_.getArgumentTypes()))
      if (function_.getArgAttr(index, attrs::kInitialState))
        ++states;
      else
        add(true, index, function_.getArgAttrDict(index), type);
    for (auto [index, type] : llvm::enumerate(function_.getResultTypes().drop_back(states)))
      add(false, index, function_.getResultAttrDict(index), type);
    return all;
  }

  LogicalResult refuseName(const TensorLayout &request) {
    if (request.name.empty())
      return function_.emitError() << "no input or output has the " << request.layout.size() << " axes of layout "
                                   << request.layout;
    InFlightDiagnostic error = function_.emitError();
    error << "layout " << request.layout << ": no input or output has the name '" << request.name << "'; there are ";
    llvm::interleaveComma(places(), error, [&error](const Place &place) { error << "'" << place.name << "'"; });
    return error;
  }

  void arrangeInput(const Place &place, StringRef layout, StringRef old) {
    Block &body = function_.front();
    BlockArgument argument = body.getArgument(place.index);
    auto builder = OpBuilder::atBlockBegin(&body);
    auto transpose =
        nn::TransposeOp::create(builder, argument.getLoc(), place.type, argument, permutationTo(old, layout));
    argument.replaceAllUsesExcept(transpose.getOutput(), transpose);
    argument.setType(permutedType(place.type, permutationTo(layout, old)));
    setType();
  }

  void arrangeOutput(const Place &place, StringRef layout, StringRef old) {
    Operation *end = function_.front().getTerminator();
    OpOperand &output = end->getOpOperand(place.index);
    OpBuilder builder(end);
    const Permutation permutation = permutationTo(layout, old);
    output.set(nn::TransposeOp::create(builder, output.get().getLoc(), permutedType(place.type, permutation),
                                       output.get(), permutation));
    setType();
  }

  void setType() {
    Block &body = function_.front();
    function_.setType(
        FunctionType::get(function_.getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  }

  func::FuncOp function_;
  bool isChannelsFirst_;
};

} // namespace

LogicalResult arrangeBorder(ModuleOp module, ArrayRef<TensorLayout> layouts, bool isChannelsFirst) {
  if (layouts.empty())
    return success();
  Border border(*module.getOps<func::FuncOp>().begin(), isChannelsFirst);
  return success(
      llvm::all_of(layouts, [&border](const TensorLayout &each) { return succeeded(border.arrange(each)); }));
}

} // namespace avocet::compiler
