//===- SplitChannels.cpp - Convolutions in parts of inner channels --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitChannels.h"

#include "avocet/base/Rounding.h"
#include "avocet/compiler/Dialect/Npu/NpuDialect.h"
#include "avocet/compiler/Support/OptionalActions.h"
#include "avocet/compiler/Support/Remarks.h"
#include "avocet/firmware_iface/WeightLayout.h"
#include "avocet/kernels/BlockChoice.h"

#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>
#include <utility>

using namespace mlir;
using namespace avocet::firmware;

namespace avocet::compiler {
namespace {

/// Channels [first, end).
struct Channels {
  int64_t first = 0, end = 0;
  int64_t count() const { return end - first; }
};

uint64_t bytesOf(Value storage) {
  const RankedTensorType type = tensorOf(storage);
  return static_cast<uint64_t>(type.getNumElements()) * sizeOf(*npu::dataTypeOf(type.getElementType()));
}

// Accessors of operations in constant objects.
Value inputOf(npu::ConvOp conv) { return conv.getInput(); }
Value resultOf(npu::ConvOp conv) { return conv.getResult(); }
const ConvCommand &commandOf(npu::ConvOp conv) { return conv.getCommand(); }

uint64_t constantBytesOf(npu::ConvOp conv) { return bytesOf(conv.getWeights()) + bytesOf(conv.getRecords()); }

int64_t channelsOf(Value storage) { return tensorOf(storage).getDimSize(2); }

/// A float convolution with constant weights and nothing else, whose channels can be divided.
bool isDivisible(npu::ConvOp conv, ConvKind kind) {
  return conv && commandOf(conv).kind == kind && commandOf(conv).scaling == OutputScaling::Float &&
         conv.getWeights().getDefiningOp<npu::ConstantOp>() && conv.getRecords().getDefiningOp<npu::ConstantOp>() &&
         (kind == ConvKind::Dense || channelsOf(inputOf(conv)) == channelsOf(resultOf(conv)));
}

/// Convolutions one after the other, with nothing else reading what is between them. All that `first` makes, `middle`
/// has, and `last` reads are the inner channels.
struct Chain {
  npu::ConvOp first;               ///< null: another operation makes the inner channels
  SmallVector<npu::ConvOp> middle; ///< depthwise
  npu::ConvOp last;

  Value inner() const { return middle.empty() ? inputOf(last) : inputOf(middle.front()); }
  int64_t channels() const { return channelsOf(inputOf(last)); }

  SmallVector<npu::ConvOp> all() const {
    SmallVector<npu::ConvOp> convs;
    if (first)
      convs.push_back(first);
    convs.append(middle.begin(), middle.end());
    convs.push_back(last);
    return convs;
  }
};

/// The longest chain that ends with a convolution; nullopt if that one cannot add up parts.
std::optional<Chain> chainOf(npu::ConvOp last) {
  const auto makerOf = [](Value value) {
    return value.hasOneUse() ? value.getDefiningOp<npu::ConvOp>() : npu::ConvOp();
  };
  if (!isDivisible(last, ConvKind::Dense) || last.getTable())
    return std::nullopt;
  Chain chain{.first = {}, .middle = {}, .last = last};
  for (npu::ConvOp conv = makerOf(inputOf(last)); isDivisible(conv, ConvKind::Depthwise) && !conv.getAddend();
       conv = makerOf(inputOf(conv)))
    chain.middle.insert(chain.middle.begin(), conv);
  if (npu::ConvOp conv = makerOf(chain.inner()); isDivisible(conv, ConvKind::Dense) && !conv.getAddend())
    chain.first = conv;
  return chain;
}

/// Least cycles of a chain, without its input and its result: of the array, or of the off-chip port.
class ChainCost {
public:
  ChainCost(const Chain &chain, const Target &target)
      : convs_(chain.all()), chain_(chain), target_(target), budget_(target.sram().bytes / 16 * 15) {
    for (npu::ConvOp conv : convs_)
      constants_ += constantBytesOf(conv);
  }

  uint64_t whole() const { return cyclesFor(chain_.channels(), wholeBytes()); }
  /// Whether the array takes longer than the port.
  bool isLimitedByArray() const { return arrayCycles(chain_.channels()) >= portCycles(wholeBytes()); }

  /// In parts of so many channels; nullopt if a part does not fit.
  std::optional<uint64_t> inParts(int64_t channels) const {
    std::optional<uint64_t> least;
    for (const bool inputStays : {false, true})
      for (const bool sumStays : {false, true})
        for (const bool rowsPass : {false, true})
          if (needs(channels, inputStays, sumStays, rowsPass) <= budget_) {
            const uint64_t cycles = cyclesFor(channels, bytesInParts(channels, inputStays, sumStays));
            least = std::min(least.value_or(UINT64_MAX), cycles);
          }
    return least;
  }

private:
  static constexpr int64_t kGranule = 8; ///< about the output channels of a step

  uint64_t portCycles(uint64_t bytes) const { return kernels::loadRate(target_).cyclesFor(bytes); }
  uint64_t cyclesFor(int64_t channels, uint64_t bytes) const {
    return std::max(arrayCycles(channels), portCycles(bytes));
  }

  /// Off-chip bytes without parts: weights that do not stay are loaded for each stripe of rows, and maps that do not
  /// fit are stored.
  uint64_t wholeBytes() const {
    if (constants_ + rowsOf(chain_.channels()) + rowsOfInput() + rowsOfSum() <= budget_)
      return constants_;
    uint64_t bytes = 0;
    bool isStored = !chain_.first;
    for (npu::ConvOp conv : convs_) {
      const uint64_t own = constantBytesOf(conv), maps = bytesOf(inputOf(conv)) + bytesOf(resultOf(conv));
      const bool fits = maps + 2 * own / std::max<int64_t>(1, channelsOf(resultOf(conv)) / kGranule) <= budget_;
      const bool stays = own + readRows(conv) + 2 * rowBytes(resultOf(conv)) <= budget_;
      bytes += own * (fits || stays ? 1 : divideUp(2 * maps, budget_));
      bytes += isStored || !fits ? bytesOf(inputOf(conv)) : 0;
      bytes += !fits && conv != chain_.last ? bytesOf(resultOf(conv)) : 0;
      isStored = !fits;
    }
    return bytes;
  }

  /// Bytes of SRAM. Constants of one convolution are loaded while another one runs.
  uint64_t needs(int64_t channels, bool inputStays, bool sumStays, bool rowsPass) const {
    const uint64_t input = chain_.first ? bytesOf(inputOf(chain_.first)) : 0, sum = bytesOf(resultOf(chain_.last));
    uint64_t bytes = partOf(constants_, channels) * (convs_.size() > 1 ? 1 : 2);
    bytes += inputStays ? input : rowsOfInput();
    bytes += sumStays ? sum : rowsOfSum();
    bytes += rowsPass ? rowsOf(channels)
                      : partOf(bytesOf(chain_.inner()), channels) + partOf(bytesOf(inputOf(chain_.last)), channels);
    return bytes;
  }

  uint64_t bytesInParts(int64_t channels, bool inputStays, bool sumStays) const {
    const auto parts = static_cast<uint64_t>(divideUp(chain_.channels(), channels));
    const uint64_t input = chain_.first ? bytesOf(inputOf(chain_.first)) : 0, sum = bytesOf(resultOf(chain_.last));
    return constants_ + (chain_.first ? 0 : bytesOf(chain_.inner())) +
           parts * ((inputStays ? 0 : input) + (sumStays ? 0 : 2 * sum));
  }

  uint64_t partOf(uint64_t bytes, int64_t channels) const { return bytes / chain_.channels() * channels; }

  // Rows in flight while rows pass.
  static uint64_t rowBytes(Value storage) { return bytesOf(storage) / tensorOf(storage).getDimSize(0); }
  static uint64_t readRows(npu::ConvOp conv) {
    return (commandOf(conv).window.kernelHeight + 1) * rowBytes(inputOf(conv));
  }
  uint64_t rowsOfInput() const { return chain_.first ? readRows(chain_.first) : 0; }
  uint64_t rowsOfSum() const { return 4 * rowBytes(resultOf(chain_.last)); }
  /// Of maps of so many inner channels.
  uint64_t rowsOf(int64_t channels) const {
    uint64_t bytes = 0;
    for (npu::ConvOp conv : convs_)
      bytes += conv == chain_.first ? 0 : partOf(readRows(conv), channels);
    return bytes;
  }

  uint64_t arrayCycles(int64_t channels) const {
    uint64_t cycles = 0;
    for (npu::ConvOp conv : convs_)
      cycles += arrayCycles(conv, channels);
    return cycles * divideUp(chain_.channels(), channels);
  }

  /// Of a part. The last convolution adds in its output stage.
  uint64_t arrayCycles(npu::ConvOp conv, int64_t channels) const {
    const bool isLast = conv == chain_.last;
    const auto inner = [&](Value storage) {
      const RankedTensorType type = tensorOf(storage);
      return storageType({type.getDimSize(0), type.getDimSize(1), channels}, type.getElementType());
    };
    ConvCommand command = commandOf(conv);
    command.input = fullMap(conv == chain_.first ? tensorOf(inputOf(conv)) : inner(inputOf(conv)), 0);
    command.output = fullMap(isLast ? tensorOf(resultOf(conv)) : inner(resultOf(conv)), 0);
    command.weightBytes = static_cast<uint32_t>(partOf(bytesOf(conv.getWeights()), channels));
    if (isLast && (conv.getAddend() || channels < chain_.channels()))
      command.residual.addend = command.output;
    return kernels::chooseBlock(target_, command).cycles;
  }

  SmallVector<npu::ConvOp> convs_;
  const Chain &chain_;
  const Target &target_;
  const uint64_t budget_;
  uint64_t constants_ = 0;
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
    const size_t size = channelRecordBytes(OutputScaling::Float), all = bytesOf(conv_.getRecords());
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
  Splitter(const Chain &chain, Placement &placement) : chain_(chain), builder_(placement.builder()) {
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

  Chain chain_;
  OpBuilder &builder_;
  SmallVector<ConvConstants, 0> constants_; ///< as chain_.all()
};

/// Chunks of products are so many.
constexpr int64_t kLeastChannels = kChunkProducts;
/// More parts would make the program too long.
constexpr int64_t kMostParts = 64;

/// The fewest channels at a time that take the fewest cycles; nullopt if nothing is gained.
std::optional<int64_t> partChannelsOf(const Chain &chain, const Target &target) {
  const ChainCost cost(chain, target);
  if (cost.isLimitedByArray())
    return std::nullopt;
  std::optional<int64_t> best;
  uint64_t least = cost.whole() / 8 * 7;
  for (int64_t parts = 2, last = chain.channels(); parts <= kMostParts; ++parts) {
    const int64_t channels = roundUp(divideUp(chain.channels(), parts), kLeastChannels);
    if (channels >= std::exchange(last, channels))
      continue;
    if (const std::optional<uint64_t> cycles = cost.inParts(channels); cycles && *cycles < least) {
      least = *cycles;
      best = channels;
    }
  }
  return best;
}

} // namespace

void splitChannels(func::FuncOp placed, Placement &placement) {
  const auto split = [&] {
    SmallVector<npu::ConvOp> convs(placed.front().getOps<npu::ConvOp>());
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (npu::ConvOp conv : llvm::reverse(convs)) {
      if (erased.contains(conv))
        continue;
      const std::optional<Chain> chain = chainOf(conv);
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
