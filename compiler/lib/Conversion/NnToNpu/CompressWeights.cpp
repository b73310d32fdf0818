//===- CompressWeights.cpp - Lossless compression of filters ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/compiler/Conversion/ConversionPasses.h"
#include "avocet/compiler/Dialect/Npu/Layouts.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/Cancel.h"
#include "avocet/compiler/Support/ProgramAttrs.h"
#include "avocet/compiler/Support/Remarks.h"
#include "avocet/firmware_iface/WeightStream.h"
#include "avocet/kernels/Roofline.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <atomic>
#include <functional>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {

#define GEN_PASS_DEF_COMPRESSWEIGHTSPASS
#include "avocet/compiler/Conversion/ConversionPasses.h.inc"

namespace {

/// Calls work(i) once for each i below `count`, on the calling thread and, if `threads` is more than 1 and one can
/// start, on a second one. Returns when all calls have; if the compilation is cancelled, some are left out. `work` must
/// be safe to call at the same time for different i, and must not throw.
void forEachInParallel(size_t count, uint32_t threads, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next = 0;
  std::thread other;
  if (threads > 1 && count > 1) {
    try {
      other = std::thread([&] {
        for (size_t i = next++; i < count; i = next++)
          work(i);
      });
    } catch (const std::system_error &) {
      threads = 1; // this one does all
    }
  }
  for (size_t i = next++; i < count; i = next++) {
    if (isCancelled())
      next = count;
    else
      work(i);
  }
  if (other.joinable())
    other.join();
}

/// The convolutions that read one constant as their weights, all in the same layout.
struct Filter {
  npu::ConstantOp constant;
  SmallVector<npu::ConvOp, 1> readers;
  SliceShape shape;
};

std::optional<Filter> filterOf(npu::ConstantOp constant, const Target &target) {
  std::optional<Filter> filter;
  for (OpOperand &use : constant->getUses()) {
    auto conv = dyn_cast<npu::ConvOp>(use.getOwner());
    if (!conv || use.getOperandNumber() != conv.getWeightsMutable().getOperandNumber() ||
        cast<RankedTensorType>(conv.getWeights().getType()).getRank() != 1 ||
        (isFloat(conv.getCommand().weightType) && target.mac().scaledDecodeRate == 0))
      return std::nullopt;
    const auto layout = npu::filterLayout(conv, target);
    if (!layout)
      return std::nullopt;
    const SliceShape shape = SliceShape::of(*layout, conv.getCommand().weightType, layout->outputChannels());
    if (filter && !(filter->shape == shape))
      return std::nullopt;
    if (!filter)
      filter = Filter{constant, {}, shape};
    filter->readers.push_back(conv);
  }
  return filter;
}

class Compression {
public:
  Compression(func::FuncOp function, const Target &target, uint32_t threads)
      : function_(function), target_(target), threads_(threads) {
    if (auto layers = function->getAttrOfType<ArrayAttr>(npu::NpuDialect::kLayersAttr))
      layers_.assign(layers.begin(), layers.end());
  }

  void run() {
    std::vector<Filter> filters;
    for (npu::ConstantOp constant : function_.front().getOps<npu::ConstantOp>())
      if (auto filter = filterOf(constant, target_))
        filters.push_back(std::move(*filter));
    std::vector<Coded> coded(filters.size());
    forEachInParallel(filters.size(), threads_, [&](size_t i) { coded[i] = encode(filters[i]); });
    for (size_t i = 0; i < filters.size(); ++i) {
      emitRemarks(filters[i], coded[i]);
      if (coded[i].blob)
        replace(filters[i], std::move(*coded[i].blob));
    }
    if (!layers_.empty())
      function_->setAttr(npu::NpuDialect::kLayersAttr, ArrayAttr::get(function_.getContext(), layers_));
  }

private:
  static std::span<const uint8_t> packedBytes(npu::ConstantOp constant) {
    auto plain = dyn_cast<DenseResourceElementsAttr>(constant.getValue());
    const AsmResourceBlob *blob = plain ? plain.getRawHandle().getBlob() : nullptr;
    if (!blob)
      return {};
    return {reinterpret_cast<const uint8_t *>(blob->getData().data()), blob->getData().size()};
  }

  /// The compressed form of a filter.
  struct Coded {
    std::optional<AsmResourceBlob> blob; ///< nullopt: the filter stays plain
    std::optional<uint64_t> bytes;       ///< nullopt: there is no compressed form
  };

  /// Reads the module only.
  static Coded encode(const Filter &filter) {
    const std::span<const uint8_t> packed = packedBytes(filter.constant);
    auto encoder = WeightEncoder::create(packed, filter.shape);
    if (!encoder || packed.size() > kMostSliceBytes)
      return {};
    const uint64_t bytes = encoder->sliceBytes(0, encoder->granules());
    if (!encoder->isWorthwhile())
      return {{}, bytes};
    AsmResourceBlob blob = HeapAsmResourceBlob::allocate(bytes, 16, /*dataIsMutable=*/true);
    encoder->encode(0, encoder->granules(), {reinterpret_cast<uint8_t *>(blob.getMutableData().data()), bytes});
    return {std::move(blob), bytes};
  }

  /// At each reader of the filter: the form that is stored, then the other one.
  static void emitRemarks(const Filter &filter, const Coded &coded) {
    const uint64_t plain = packedBytes(filter.constant).size();
    const auto options = remarkOptions(remarks::kCompression, "weights");
    const auto describe = [&](remark::detail::InFlightRemark remark, StringRef form, uint64_t bytes) {
      remark << remark::metric(remarks::kChoice, form.str()) << remark::metric(remarks::kStoredBytes, bytes);
    };
    for (npu::ConvOp conv : filter.readers) {
      describe(remark::passed(conv.getLoc(), options), coded.blob ? "compressed" : "plain",
               coded.blob ? *coded.bytes : plain);
      if (coded.blob)
        describe(remark::missed(conv.getLoc(), options), "plain", plain);
      else if (coded.bytes)
        describe(remark::missed(conv.getLoc(), options), "compressed", *coded.bytes);
    }
  }

  void replace(Filter &filter, AsmResourceBlob blob) {
    const uint64_t plainBytes = packedBytes(filter.constant).size(), bytes = blob.getData().size();
    OpBuilder builder(filter.constant);
    auto type = RankedTensorType::get({static_cast<int64_t>(bytes)}, builder.getI8Type());
    auto name = cast<DenseResourceElementsAttr>(filter.constant.getValue()).getRawHandle().getKey();
    auto slice = npu::ConstantOp::create(builder, filter.constant.getLoc(), type,
                                         DenseResourceElementsAttr::get(type, name, std::move(blob)));
    for (npu::ConvOp conv : filter.readers) {
      ConvCommand command = conv.getCommand();
      command.weightFormat = WeightFormat::Compressed;
      conv.setCommand(command);
      conv.getWeightsMutable().assign(slice.getResult());
      lowerBound(conv.getLayer(), plainBytes, bytes);
    }
    filter.constant.erase();
  }

  /// A layer that does not count the filter, because another one does, keeps its bound.
  void lowerBound(uint32_t layer, uint64_t plainBytes, uint64_t storedBytes) {
    if (layer >= layers_.size())
      return;
    NamedAttrList entry(cast<DictionaryAttr>(layers_[layer]));
    const auto valueOf = [&](StringRef field) {
      auto number = dyn_cast_or_null<IntegerAttr>(entry.get(field));
      return number ? static_cast<uint64_t>(number.getInt()) : 0;
    };
    const uint64_t counted = valueOf(attrs::kLayerWeightBytes);
    if (counted < plainBytes)
      return;
    const uint64_t bytes = counted - plainBytes + storedBytes;
    Builder builder(function_.getContext());
    entry.set(attrs::kLayerWeightBytes, builder.getI64IntegerAttr(static_cast<int64_t>(bytes)));
    const uint64_t roofline = kernels::rooflineCycles(target_, valueOf(attrs::kLayerComputeCycles), bytes);
    entry.set(attrs::kLayerRooflineCycles, builder.getI64IntegerAttr(static_cast<int64_t>(roofline)));
    layers_[layer] = entry.getDictionary(function_.getContext());
  }

  func::FuncOp function_;
  const Target &target_;
  uint32_t threads_;
  SmallVector<Attribute> layers_;
};

struct CompressWeights : impl::CompressWeightsPassBase<CompressWeights> {
  using CompressWeightsPassBase::CompressWeightsPassBase;
  CompressWeights() = default;
  CompressWeights(TargetPtr target, uint32_t threads) : given_(std::move(target)), threads_(threads) {}

  void runOnOperation() override {
    TargetPtr target = passTarget(getOperation(), given_, targetName);
    if (!target)
      return signalPassFailure();
    compressWeights(getOperation(), *target, threads_);
  }

private:
  TargetPtr given_;
  uint32_t threads_ = 1;
};

} // namespace

void compressWeights(ModuleOp module, const Target &target, uint32_t threads) {
  for (auto function : module.getOps<func::FuncOp>())
    Compression(function, target, threads).run();
}

std::unique_ptr<Pass> createCompressWeightsPass(TargetPtr target, uint32_t threads) {
  return std::make_unique<CompressWeights>(std::move(target), threads);
}

} // namespace avocet::compiler
