//===- Command.h - The commands of the device -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands that the compiler writes and the device runs. A job has one command stream per engine (the MAC array,
// the vector DSP, each DMA channel). An engine runs the commands of its stream in order, and a command sees all writes
// of earlier commands of the stream. Only semaphores order commands of different streams: Signal is performed when all
// earlier commands of its stream have finished and their writes are visible; Wait holds back all later ones.
//
// The MAC array and the DSP work on SRAM only; DMA moves data between SRAM and the regions of the job. A region is a
// range of the context's address space that the job binds by its meaning (network input n, output n, constants,
// scratch): a command names region and offset, so that a stream needs no patching, and the device checks every access.
//
// All structs are plain values. Each lists its fields once, in `visitFields`; the codec, the printer, relocation and
// the `cmd` dialect use that list. A field that is not listed does not compile (lib/Reflection.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_FIRMWARE_IFACE_COMMAND_H
#define AVOCET_FIRMWARE_IFACE_COMMAND_H

#include "avocet/firmware_iface/FeatureMap.h"

#include <compare>
#include <cstdint>
#include <variant>
#include <vector>

namespace avocet::firmware {

/// The kinds of engines. Each engine has a command stream. DMA channel n has kind Dma and index n; the others index 0.
enum class EngineKind : uint32_t { Mac = 0, Dsp = 1, Dma = 2 };

struct Engine {
  EngineKind kind = EngineKind::Mac;
  uint32_t index = 0;
  auto operator<=>(const Engine &) const = default;
};

/// Window geometry of convolutions and pools. padTop and padLeft count the padding rows and columns before row and
/// column 0 of the *input window of this command*: a stripe in the middle of an image has padTop 0. Positions after the
/// window's last row or column are padding too. Padding reads as the zero point; average pools do not count it.
struct Window {
  uint32_t kernelHeight = 1;
  uint32_t kernelWidth = 1;
  uint32_t strideHeight = 1;
  uint32_t strideWidth = 1;
  uint32_t dilationHeight = 1;
  uint32_t dilationWidth = 1;
  uint32_t padTop = 0;
  uint32_t padLeft = 0;

  bool operator==(const Window &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("kernelHeight", self.kernelHeight);
    visit("kernelWidth", self.kernelWidth);
    visit("strideHeight", self.strideHeight);
    visit("strideWidth", self.strideWidth);
    visit("dilationHeight", self.dilationHeight);
    visit("dilationWidth", self.dilationWidth);
    visit("padTop", self.padTop);
    visit("padLeft", self.padLeft);
  }
};

/// The part of the output that the array holds in its accumulators at a time; the command walks the output in blocks,
/// channels innermost, then columns, then rows. At most the target's largest block.
struct Block {
  uint32_t height = 1;
  uint32_t width = 1;
  uint32_t channels = 1;

  bool operator==(const Block &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("height", self.height);
    visit("width", self.width);
    visit("channels", self.channels);
  }
};

/// The last step of the output stage: clamp in the stored type. For float outputs the two fields hold the bits of
/// float32 values.
struct Clamp {
  int32_t min = INT32_MIN;
  int32_t max = INT32_MAX;

  bool operator==(const Clamp &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("min", self.min);
    visit("max", self.max);
  }
};

/// Multiplier and power of two, as in RequantRecord.
struct Rescale {
  int32_t multiplier = 0;
  int32_t shift = 0;

  bool operator==(const Rescale &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("multiplier", self.multiplier);
    visit("shift", self.shift);
  }
};

/// How products with a Rescale are rounded. Numbers x times multiplier / 2^(31 - shift), to 32 bits.
enum class Rounding : uint32_t {
  /// Twice where the shift is negative, as in TensorFlow Lite: the product is doubled and its high half rounded, halves
  /// upwards, then the half is shifted right, halves away from zero. A positive shift is first, and wraps.
  Double = 0,
  /// Once, halves upwards, in 64 bits; the result wraps.
  Single = 1,
  /// The same with halves to the even number, as in ONNX.
  Even = 2,
};

enum class ConvKind : uint32_t {
  Dense = 0,     ///< convolution, fully connected (1x1 kernel), matrix multiply
  Depthwise = 1, ///< output channel c reads input channel c / (output channels / input channels)
};

/// How the output stage converts an accumulator.
enum class OutputScaling : uint32_t {
  /// int32 accumulator + bias, product with the record's multiplier as `rounding` says (Double is TFLite's
  /// MultiplyByQuantizedMultiplier), zero point, clamp. Channel records are RequantRecord.
  Requantize = 0,
  /// float accumulator + bias, clamp. Channel records are FloatRecord with scale 1.
  Float = 1,
  /// int32 accumulator * (dynamic scale * channel scale) + bias, clamp; float output (hybrid operations). Channel
  /// records are FloatRecord. The dynamicQuantize kernel finds the scale and zero point of the input at run time: one
  /// DynamicRecord in SRAM at dynamicScale holds for the whole command, and input.zeroPoint is 0.
  Dynamic = 2,
  /// int64 accumulator + bias, TFLite's MultiplyByQuantizedMultiplier for 64 bits (one rounding, multiplier of 16
  /// bits), zero point, clamp; 16-bit inputs only. Channel records are WideRequantRecord.
  RequantizeWide = 3,
  /// int32 accumulator + bias as it is, clamp; i32 output with zero point 0. Channel records are RequantRecord, of
  /// which
  /// only the bias counts.
  Sums = 4,
  /// int64 accumulator + bias as it is, without a clamp; 16-bit inputs and i64 output with zero point 0. Channel
  /// records
  /// are WideRequantRecord, of which only the bias counts.
  SumsWide = 5,
};

/// Whether sums have 64 bits, and the channel records are wide ones.
constexpr bool hasWideSums(OutputScaling scaling) {
  return scaling == OutputScaling::RequantizeWide || scaling == OutputScaling::SumsWide;
}

/// Per-output-channel record of OutputScaling::Requantize and ::Sums, 12 bytes, little endian.
struct RequantRecord {
  int32_t bias;
  int32_t multiplier; ///< in units of 2^-31, 0 to 2^31 - 1; from a ratio of scales 0 or at least 2^30
  int32_t shift;      ///< power of two: positive is left, negative is right
};

/// Per-output-channel record of OutputScaling::RequantizeWide and ::SumsWide, 16 bytes, little endian. Two words for
/// the bias, because records start at multiples of 4 bytes only.
struct WideRequantRecord {
  uint32_t biasLow;
  int32_t biasHigh;
  int32_t multiplier; ///< as in RequantRecord
  int32_t shift;

  constexpr int64_t bias() const { return int64_t(uint64_t(uint32_t(biasHigh)) << 32 | biasLow); }
};

/// Per-output-channel record of OutputScaling::Float and ::Dynamic, 12 bytes, little endian.
struct FloatRecord {
  float bias;
  float scale;
  int32_t reserved; ///< 0
};

/// Bytes of the channel record of an output stage.
constexpr uint32_t channelRecordBytes(OutputScaling scaling) {
  static_assert(sizeof(FloatRecord) == sizeof(RequantRecord));
  return hasWideSums(scaling) ? sizeof(WideRequantRecord) : sizeof(RequantRecord);
}

/// Scale and zero point that dynamicQuantize computed for a float tensor, 8 bytes, little endian.
struct DynamicRecord {
  float scale;
  int32_t zeroPoint;
};

/// How weights are stored in SRAM (and in the data cache).
enum class WeightFormat : uint32_t {
  Packed = 0,    ///< in the order of WeightLayout.h
  Compressed = 1 ///< in that order, coded as WeightStream.h says, without loss
};

/// An addition in the output stage of a convolution: after bias, requantization and clamp, each element of the
/// convolution's result is added to the element of `addend` at the same position, as EltwiseCommand adds. The result
/// has the bits of the two commands in sequence. Types: 8-bit types and floats, equal for addend and output; addend and
/// output have the same shape. The array reads an element of the addend before it writes the same element of the
/// output: the addend may be in the place of the output (same address, strides and ring). Any other overlap of the two
/// gives undefined elements.
struct Residual {
  FeatureMap addend = {.address = kNoAddress}; ///< address kNoAddress: no addition, all fields have their defaults
  int32_t zeroPoint = 0;                       ///< of the convolution's result; output.zeroPoint is that of the sum
  uint32_t leftShift = 0;                      ///< this and the three rescales: as in EltwiseCommand
  Rescale rescaleResult;                       ///< of the convolution's result
  Rescale rescaleAddend;
  Rescale rescaleOutput;
  Rounding rounding = Rounding::Double; ///< of the addition
  Clamp clamp;                          ///< of the sum

  bool isPresent() const { return addend.address != kNoAddress; }

  bool operator==(const Residual &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("addend", self.addend);
    visit("zeroPoint", self.zeroPoint);
    visit("leftShift", self.leftShift);
    visit("rescaleResult", self.rescaleResult);
    visit("rescaleAddend", self.rescaleAddend);
    visit("rescaleOutput", self.rescaleOutput);
    visit("rounding", self.rounding);
    visit("clamp", self.clamp);
  }
};

/// Convolution, depthwise convolution, fully connected. output(y, x, c) sums over the kernel window and, for Dense,
/// over all input channels: (input - input.zeroPoint) * (weight - weightZeroPoint).
struct ConvCommand {
  ConvKind kind = ConvKind::Dense;
  OutputScaling scaling = OutputScaling::Requantize;
  Rounding rounding = Rounding::Double; ///< of Requantize; Double for all others
  FeatureMap input;
  FeatureMap output;
  Window window;
  DataType weightType = DataType::Int8;
  WeightFormat weightFormat = WeightFormat::Packed;
  SramAddress weights = 0;        ///< Packed: the weights of exactly these output channels. Compressed: a slice
  uint32_t weightBytes = 0;       ///< size of the packed weights or of the slice
  uint32_t sliceChannels = 0;     ///< output channels of the slice; 0 if packed
  uint32_t firstSliceChannel = 0; ///< channel of the slice that is output channel 0, at a granule; 0 if packed
  int32_t weightZeroPoint = 0;
  SramAddress channelRecords = 0;        ///< output.channels records, as `scaling` says
  SramAddress dynamicScale = kNoAddress; ///< the DynamicRecord, or kNoAddress
  Clamp clamp;
  SramAddress lookupTable = kNoAddress; ///< 256 bytes applied after the clamp to 8-bit outputs, or kNoAddress
  Block block;
  Residual residual; ///< an addition after the clamp; not together with a look-up table

  bool operator==(const ConvCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("scaling", self.scaling);
    visit("rounding", self.rounding);
    visit("input", self.input);
    visit("output", self.output);
    visit("window", self.window);
    visit("weightType", self.weightType);
    visit("weightFormat", self.weightFormat);
    visit("weights", self.weights);
    visit("weightBytes", self.weightBytes);
    visit("sliceChannels", self.sliceChannels);
    visit("firstSliceChannel", self.firstSliceChannel);
    visit("weightZeroPoint", self.weightZeroPoint);
    visit("channelRecords", self.channelRecords);
    visit("dynamicScale", self.dynamicScale);
    visit("clamp", self.clamp);
    visit("lookupTable", self.lookupTable);
    visit("block", self.block);
    visit("residual", self.residual);
  }
};

enum class PoolKind : uint32_t { Max = 0, Average = 1 };

/// Max or average pool; input and output have the same type, scale and zero point. Averages round half away from zero.
struct PoolCommand {
  PoolKind kind = PoolKind::Max;
  FeatureMap input;
  FeatureMap output;
  Window window;
  Clamp clamp;
  Block block;

  bool operator==(const PoolCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("input", self.input);
    visit("output", self.output);
    visit("window", self.window);
    visit("clamp", self.clamp);
    visit("block", self.block);
  }
};

enum class EltwiseKind : uint32_t { Add = 0, Sub = 1, Mul = 2, Min = 3, Max = 4 };

/// Element-wise operation of two inputs of the same shape (broadcast through zero strides; broadcast along channels
/// through channels == 1 on one side). Add and Sub of 8-bit types compute as TFLite's reference kernel does: each input
/// minus zero point, << leftShift, rescaled by its own multiplier; the result rescaled by `rescaleOutput`. Mul rescales
/// the product by `rescaleOutput`. All are rounded as `rounding` says. Min and Max compare stored values (all three
/// scales equal). Floats ignore the scales.
struct EltwiseCommand {
  EltwiseKind kind = EltwiseKind::Add;
  FeatureMap inputA;
  FeatureMap inputB;
  FeatureMap output;
  uint32_t leftShift = 0;
  Rescale rescaleA;
  Rescale rescaleB;
  Rescale rescaleOutput;
  Rounding rounding = Rounding::Double;
  Clamp clamp;
  Block block;

  bool operator==(const EltwiseCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("inputA", self.inputA);
    visit("inputB", self.inputB);
    visit("output", self.output);
    visit("leftShift", self.leftShift);
    visit("rescaleA", self.rescaleA);
    visit("rescaleB", self.rescaleB);
    visit("rescaleOutput", self.rescaleOutput);
    visit("rounding", self.rounding);
    visit("clamp", self.clamp);
    visit("block", self.block);
  }
};

/// output = table[input], byte by byte (the index is the input's bit pattern). 256 entries of the output type.
struct LookupCommand {
  FeatureMap input;
  FeatureMap output;
  SramAddress table = 0;
  Block block;

  bool operator==(const LookupCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("input", self.input);
    visit("output", self.output);
    visit("table", self.table);
    visit("block", self.block);
  }
};

/// A vector DSP kernel over windows in SRAM. Each kernel in kernels/ defines its operands and parameters.
struct DspCommand {
  uint32_t kernel = 0;              ///< number in the kernel registry, never changes
  std::vector<FeatureMap> inputs;   ///< at most kMaxDspOperands
  std::vector<FeatureMap> outputs;  ///< at most kMaxDspOperands
  std::vector<uint32_t> parameters; ///< at most kMaxDspParameters words

  static constexpr uint32_t kMaxDspOperands = 64;
  static constexpr uint32_t kMaxDspParameters = 256;

  bool operator==(const DspCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("kernel", self.kernel);
    visit("inputs", self.inputs);
    visit("outputs", self.outputs);
    visit("parameters", self.parameters);
  }
};

/// Region number of the on-chip memory in DmaEnd; every other number is an index into the job's region table plus 1.
inline constexpr uint32_t kSramRegion = 0;

/// One end of a copy: element (k, j, i) of the box starts at offset + k * strides[2] + j * strides[1] + i * strides[0].
struct DmaEnd {
  uint32_t region = kSramRegion;
  uint64_t offset = 0;
  uint32_t stride0 = 0; ///< bytes between runs
  uint32_t stride1 = 0; ///< bytes between rows of runs
  uint32_t stride2 = 0; ///< bytes between planes of rows

  bool operator==(const DmaEnd &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("region", self.region);
    visit("offset", self.offset);
    visit("stride0", self.stride0);
    visit("stride1", self.stride1);
    visit("stride2", self.stride2);
  }
};

enum class DmaKind : uint32_t {
  Copy = 0,
  Fill = 1, ///< every byte of the destination box becomes the low byte of fillValue; source is ignored
};

/// Moves count2 x count1 x count0 runs of runBytes contiguous bytes each. Source and destination must not overlap.
struct DmaCommand {
  DmaKind kind = DmaKind::Copy;
  DmaEnd source;
  DmaEnd destination;
  uint32_t runBytes = 0;
  uint32_t count0 = 1;
  uint32_t count1 = 1;
  uint32_t count2 = 1;
  uint32_t fillValue = 0;

  bool operator==(const DmaCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("kind", self.kind);
    visit("source", self.source);
    visit("destination", self.destination);
    visit("runBytes", self.runBytes);
    visit("count0", self.count0);
    visit("count1", self.count1);
    visit("count2", self.count2);
    visit("fillValue", self.fillValue);
  }
};

/// Holds back the later commands of this stream until the semaphore's count is at least `value`.
struct WaitCommand {
  uint32_t semaphore = 0;
  uint32_t value = 0;

  bool operator==(const WaitCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("semaphore", self.semaphore);
    visit("value", self.value);
  }
};

/// Adds 1 to the semaphore once all earlier commands of this stream have finished. Counts start at 0 with each job.
struct SignalCommand {
  uint32_t semaphore = 0;

  bool operator==(const SignalCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("semaphore", self.semaphore);
  }
};

/// Bytes [begin, begin + bytes) of on-chip memory.
struct SramRange {
  SramAddress begin = 0;
  uint32_t bytes = 0;

  bool operator==(const SramRange &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("begin", self.begin);
    visit("bytes", self.bytes);
  }
};

/// A point at which the scheduler may stop the job, to run another one or to end it. It costs nothing unless the job is
/// stopped: the commands after it are issued while those before it are in flight.
///
/// Points of a section are numbered from 1 in the order of one list of all its commands; in each stream the numbers of
/// its yields ascend. `live` lists the bytes of SRAM that a command before the point wrote and a command after it (in
/// any stream) reads; the ranges of all yields with one number, in all streams, count together. To stop, an engine
/// halts before its next yield, at a wait that is not satisfied, or before a command whose bytes still hold data of
/// another suspended job; commands in flight complete. If the engines stopped between points i and j (i: the lowest
/// last passed one; 0: none), the device keeps what is live at i, and all that the commands after the yields i (in
/// streams without one: after the last yield below i) have written since. A stream with a wrong `live` makes its own
/// results wrong, and nothing else.
struct YieldCommand {
  uint32_t point = 0;
  std::vector<SramRange> live; ///< at most kMaxLiveRanges, ascending, disjoint

  static constexpr uint32_t kMaxLiveRanges = 64;

  bool operator==(const YieldCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &self, V &&visit) {
    visit("point", self.point);
    visit("live", self.live);
  }
};

/// Ends the stream. The job is complete when every stream has ended. A stream without it is malformed.
struct EndCommand {
  bool operator==(const EndCommand &) const = default;
  template <typename Self, typename V> static constexpr void visitFields(Self &, V &&) {}
};

/// The operation code on the wire is the index in this list: append only.
using CommandBody = std::variant<EndCommand, WaitCommand, SignalCommand, YieldCommand, DmaCommand, ConvCommand,
                                 PoolCommand, EltwiseCommand, LookupCommand, DspCommand>;

/// `layer` is the operation of the network to which the command belongs (index into the model cache's layer table), or
/// kNoLayer. Counters and traces are summed by layer.
inline constexpr uint32_t kNoLayer = 0xFFFFFFFFu;

struct Command {
  uint32_t layer = kNoLayer;
  CommandBody body;
  bool operator==(const Command &) const = default;
};

} // namespace avocet::firmware

#endif // AVOCET_FIRMWARE_IFACE_COMMAND_H
