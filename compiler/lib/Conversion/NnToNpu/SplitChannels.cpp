//===- SplitChannels.cpp - Convolutions in parts of inner channels --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitChannels.h"

#include "ConvChain.h"
#include "Storage.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/OptionalActions.h"
#include "avocet/compiler/Support/Remarks.h"
#include "avocet/firmware_iface/WeightLayout.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Channels [first, end).
struct Channels {
  int64_t first = 0, end = 0;
  int64_t count() const { return end - first; }
};

/// Parts of constants of a convolution.
class ConvConstants {
public:
  ConvConstants(npu::ConvOp conv, Placement &placement) : conv_(conv), placement_(placement) {
    const ConvCommand &command = commandOf(conv);
    elementSize_ = sizeOf(command.weightType);
    isDepthwise_ = command.kind == ConvKind::Depthwise;
    taps_ = int64_t(command.window.kernelHeight) * command.window.kernelWidth;
    if (placement.contents() == ConstantContents::Omitted)
      return;
    const ArrayRef<uint8_t> packed = contentsOf(conv.getWeights());
    plain_.resize(packed.size());
    layoutFor(channelsOf(resultOf(conv)), channelsOf(inputOf(conv)))
        .unpack({packed.data(), packed.size()}, {plain_.data(), plain_.size()});
  }

  /// Of some output channels and, unless depthwise, some input channels.
  Value weights(Channels outputs, Channels inputs) {
    const WeightLayout layout = layoutFor(outputs.count(), inputs.count());
    return constant("weights", layout.bytes(), [&](llvm::MutableArrayRef<uint8_t> packed) {
      const std::vector<uint8_t> cut = isDepthwise_ ? cutDepthwise(outputs) : cutDense(outputs, inputs);
      layout.pack({cut.data(), cut.size()}, {packed.data(), packed.size()});
    });
  }

  Value records(Channels outputs) {
    const size_t size = channelRecordBytes(OutputScaling::Float);
    return constant("records", outputs.count() * size, [&](llvm::MutableArrayRef<uint8_t> records) {
      std::memcpy(records.data(), &contentsOf(conv_.getRecords())[outputs.first * size], records.size());
    });
  }

  /// Records of convolutions that add to a sum, in which the bias is.
  Value recordsWithoutBias() {
    const size_t size = channelRecordBytes(OutputScaling::Float), all = storageBytes(conv_.getRecords());
    return constant("records", all, [&](llvm::MutableArrayRef<uint8_t> records) {
      std::memcpy(records.data(), contentsOf(conv_.getRecords()).data(), all);
      for (size_t at = 0; at < all; at += size) {
        FloatRecord record;
        std::memcpy(&record, &records[at], sizeof(record));
        record.bias = 0;
        std::memcpy(&records[at], &record, sizeof(record));
      }
    });
  }

private:
  static ArrayRef<uint8_t> contentsOf(Value constant) {
    auto op = constant.getDefiningOp<npu::ConstantOp>();
    const ArrayRef<char> data = cast<DenseResourceElementsAttr>(op.getValue()).getRawHandle().getBlob()->getData();
    return {reinterpret_cast<const uint8_t *>(data.data()), data.size()};
  }

  Value constant(StringRef name, size_t size, llvm::function_ref<void(llvm::MutableArrayRef<uint8_t>)> fill) {
    return placement_.bytes(conv_.getLoc(), conv_.getLayer(), name, size, fill);
  }

  WeightLayout layoutFor(int64_t outputs, int64_t inputs) const {
    const Window &window = commandOf(conv_).window;
    const WeightDims dims{static_cast<uint32_t>(outputs), window.kernelHeight, window.kernelWidth,
                          static_cast<uint32_t>(inputs)};
    return *WeightLayout::create(placement_.target().mac(), commandOf(conv_).kind, dims, elementSize_);
  }

  /// Of [outputs, height, width, inputs].
  std::vector<uint8_t> cutDense(Channels outputs, Channels inputs) const {
    const int64_t all = channelsOf(inputOf(conv_));
    std::vector<uint8_t> cut;
    cut.reserve(outputs.count() * taps_ * inputs.count() * elementSize_);
    for (int64_t pixel = outputs.first * taps_; pixel < outputs.end * taps_; ++pixel) {
      const auto *start = &plain_[(pixel * all + inputs.first) * elementSize_];
      cut.insert(cut.end(), start, start + inputs.count() * elementSize_);
    }
    return cut;
  }

  /// Of [height, width, channels].
  std::vector<uint8_t> cutDepthwise(Channels channels) const {
    const int64_t all = channelsOf(resultOf(conv_));
    std::vector<uint8_t> cut;
    for (int64_t tap = 0; tap < taps_; ++tap) {
      const auto *start = &plain_[(tap * all + channels.first) * elementSize_];
      cut.insert(cut.end(), start, start + channels.count() * elementSize_);
    }
    return cut;
  }

  npu::ConvOp conv_;
  Placement &placement_;
  size_t elementSize_ = 0;
  bool isDepthwise_ = false;
  int64_t taps_ = 1;
  std::vector<uint8_t> plain_;
};

/// Writes a chain in parts.
class Splitter {
public:
  Splitter(const ConvChain &chain, Placement &placement) : chain_(chain), builder_(placement.builder()) {
    for (npu::ConvOp conv : chain.all())
      constants_.emplace_back(conv, placement);
  }

  void run(int64_t partChannels) {
    OpBuilder::InsertionGuard guard(builder_);
    builder_.setInsertionPoint(chain_.last);
    Value addend = chain_.last.getAddend();
    Value sum = clampsBeforeAddition() ? Value() : addend;
    for (int64_t first = 0; first < chain_.channels(); first += partChannels)
      sum = addPart({first, std::min(first + partChannels, chain_.channels())}, sum);
    if (addend && clampsBeforeAddition())
      sum = addAfterClamp(sum);
    resultOf(chain_.last).replaceAllUsesWith(sum);
    eraseChain();
  }

private:
  /// The sum with the products of a part.
  Value addPart(Channels part, Value sum) {
    Value inner = chain_.first ? makeConv(chain_.first, constants_[0], part, inputOf(chain_.first)) : partOf(part);
    for (auto [index, conv] : llvm::enumerate(chain_.middle))
      inner = makeConv(conv, constants_[(chain_.first ? 1 : 0) + index], part, inner);
    return makeLast(part, inner, sum);
  }

  Value partOf(Channels part) {
    const RankedTensorType type = tensorOf(chain_.inner());
    const StorageShape shape = {type.getDimSize(0), type.getDimSize(1), part.count()};
    const int32_t position[] = {0, 0, static_cast<int32_t>(part.first)};
    return npu::PartOp::create(builder_, chain_.last.getLoc(), storageType(shape, type.getElementType()),
                               chain_.inner(), position);
  }

  /// Some output channels of a convolution; a depthwise one has them in its input.
  Value makeConv(npu::ConvOp conv, ConvConstants &constants, Channels part, Value input) {
    const RankedTensorType whole = tensorOf(resultOf(conv));
    const auto type = storageType({whole.getDimSize(0), whole.getDimSize(1), part.count()}, whole.getElementType());
    return create(conv, type, input, constants.weights(part, {0, channelsOf(input)}), constants.records(part), Value(),
                  commandOf(conv));
  }

  bool clampsBeforeAddition() {
    const Clamp clamp = commandOf(chain_.last).clamp;
    return clamp != kernels::floatActivationClamp(nn::Activation::kNone) &&
           clamp != kernels::plainActivationClamp(nn::Activation::kNone);
  }

  /// The output stage clamps before and after its addition. The whole sum has the first clamp, and the addend of the
  /// last convolution is added by itself.
  Value addAfterClamp(Value sum) {
    npu::ConvOp last = chain_.last;
    EltwiseCommand command;
    command.kind = EltwiseKind::Add;
    command.clamp = commandOf(last).residual.clamp;
    return npu::EltwiseOp::create(builder_, last.getLoc(), sum.getType(), sum, last.getAddend(), command,
                                  last.getLayer())
        .getResult();
  }

  Value makeLast(Channels part, Value input, Value sum) {
    npu::ConvOp last = chain_.last;
    const Channels all{0, channelsOf(resultOf(last))};
    const bool isFirst = part.first == 0, isLast = part.end == chain_.channels();
    ConvCommand command = commandOf(last);
    const Clamp clamp = last.getAddend() && !clampsBeforeAddition() ? command.residual.clamp : command.clamp;
    const Clamp none = kernels::plainActivationClamp(nn::Activation::kNone);
    command.clamp = none;
    command.residual = {};
    (sum ? command.residual.clamp : command.clamp) = isLast ? clamp : none;
    ConvConstants &constants = constants_.back();
    return create(last, tensorOf(resultOf(last)), input, constants.weights(all, part),
                  isFirst ? constants.records(all) : constants.recordsWithoutBias(), sum, command);
  }

  Value create(npu::ConvOp conv, RankedTensorType type, Value input, Value weights, Value records, Value addend,
               const ConvCommand &command) {
    return npu::ConvOp::create(builder_, conv.getLoc(), type, input, weights, records, Value(), Value(), addend,
                               command, conv.getPadBottom(), conv.getPadRight(), conv.getLayer())
        .getResult();
  }

  void eraseChain() {
    const SmallVector<npu::ConvOp> convs = chain_.all();
    for (npu::ConvOp conv : llvm::reverse(convs)) {
      const Value constants[] = {conv.getWeights(), conv.getRecords()};
      conv.erase();
      for (Value constant : constants)
        if (constant.use_empty())
          constant.getDefiningOp()->erase();
    }
  }

  ConvChain chain_;
  OpBuilder &builder_;
  SmallVector<ConvConstants, 0> constants_; ///< as chain_.all()
};

} // namespace

void splitChannels(func::FuncOp placed, Placement &placement) {
  const auto split = [&] {
    SmallVector<npu::ConvOp> convs(placed.front().getOps<npu::ConvOp>());
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (npu::ConvOp conv : llvm::reverse(convs)) {
      if (erased.contains(conv))
        continue;
      const std::optional<ConvChain> chain = chainOf(conv);
      const auto channels = chain ? partChannelsOf(*chain, placement.target()) : std::nullopt;
      if (!channels)
        continue;
      erased.insert_range(llvm::map_range(chain->all(), [](npu::ConvOp op) { return op.getOperation(); }));
      remark::passed(conv.getLoc(), remarkOptions(remarks::kPlacement, "split"))
          << remark::metric(remarks::kChoice, "in parts of " + std::to_string(*channels) + " inner channels");
      Splitter(*chain, placement).run(*channels);
    }
  };
  placed->getContext()->executeAction<OptionalTransform>(split, {placed.getOperation()}, "split-channels");
}

} // namespace avocet::compiler
