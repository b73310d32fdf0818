//===- Report.h - The figures of one run ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the bytes that crossed the off-chip port were. The device counts bytes of each region; the commands tell how
// many different bytes of the constants they read.
//
// The figures of a run, collected from the model cache and the back end's profile. ReportTable.h and ReportJson.h print
// them.
//
// Rows. Each cycle belongs to one layer or to none (runtime/LayerTime.h), and what belongs to no layer is a row of its
// own. So the rows add up to the total: cycles, their parts, hidden cycles, MACs, compute cycles, bytes, energy. Idle
// energy belongs to the row of the cycle. The cycles of a row are the busy cycles of array and DSP, and the cycles of
// its stalls: a DSP that works while the array works is hidden, not busy.
//
// Utilization is MACs over cycles times the array's rate. MACs of the network that the device left out do not count,
// and hidden cycles of the DSP do.
//
// A layer can take less than its bound: its weights were loaded in cycles of others, the DSP worked for it while the
// array worked, or its last results left while the array worked for the next layer. Its hidden cycles tell which.
//
// MACs, compute cycles, least off-chip bytes, roofline and bound of the device are properties of network and target,
// and the same for every schedule. Executed MACs, cycles and bytes are those of this run.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_ANALYSIS_REPORT_H
#define AVOCET_ANALYSIS_REPORT_H

#include "avocet/analysis/ServedFigures.h"
#include "avocet/cache/ModelCache.h"
#include "avocet/firmware_iface/Footprint.h"
#include "avocet/firmware_iface/Profile.h"
#include "avocet/runtime/LayerTime.h"
#include "avocet/session/LocalSession.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace avocet::analysis {

/// The parts add up to the bytes that crossed the port.
struct DramTraffic {
  uint64_t weights = 0;          ///< constants, each byte for the first time
  uint64_t refetchedWeights = 0; ///< constants, again
  uint64_t spills = 0;           ///< intermediate results, written and read; values between sections of a network
  uint64_t inputs = 0;           ///< of the network
  uint64_t outputs = 0;          ///< of the network

  uint64_t total() const { return weights + refetchedWeights + spills + inputs + outputs; }
};

/// With branches or loops: a byte that any section reads counts once as `weights`, whichever sections ran.
DramTraffic dramTraffic(const cache::ModelCache &model, const firmware::JobProfile &profile);

/// Appends the ranges of one region that a command reads or writes.
void appendRanges(const firmware::CommandBody &command, uint32_t region, std::vector<firmware::ByteRange> &ranges);

/// Bytes in the union of ranges of one region; sorts them.
uint64_t unionBytes(std::vector<firmware::ByteRange> &ranges);

/// The longest component of a layer's time, hidden cycles of the DSP included; of a network the busiest of array, DSP
/// and off-chip port, or the cause for which array and DSP stood still even longer.
enum class Bound {
  None,    ///< not measured
  Array,   ///< the MAC array worked
  Dsp,     ///< the vector DSP worked
  Data,    ///< waited for data of a DMA channel or of another engine
  Sram,    ///< waited for the on-chip port
  Dram,    ///< waited for the off-chip port
  Latency, ///< waited for the first data of transfers
  Issue,   ///< fetch, decode, pipeline fill and drain
};
std::string_view toString(Bound bound);

/// Figures of both layers and whole networks.
struct Figures {
  uint64_t macs = 0; ///< that the network asks for
  uint64_t executedMacs = 0;
  uint64_t cycles = 0;
  uint64_t rooflineCycles = 0; ///< the larger of the next two, at the rate of the off-chip port
  uint64_t computeCycles = 0;  ///< least cycles of computation; total: sum over the layers
  uint64_t deviceCycles = 0;   ///< bound with all limits of the device (kernels/DeviceBound.h); at least rooflineCycles
  uint64_t leastDramBytes =
      0; ///< layer: its constants as stored; total: those of all layers, outputs, inputs as far as they are read
  double utilization = 0;              ///< 0 to 1
  uint64_t arrayBusyCycles = 0;        ///< the MAC array computed
  uint64_t dspBusyCycles = 0;          ///< the DSP computed, and the array had no command
  firmware::StallCycles stallCycles{}; ///< parts of `cycles`, as the busy ones are; the cycles of waits: Semaphore
  runtime::HiddenCycles hidden;        ///< in no sum of cycles
  uint64_t sramPeakBytes = 0;  ///< layer: on-chip bytes that its commands touch; total: most bytes in use at one time
  uint64_t sramBytes = 0;      ///< moved through the on-chip port
  uint64_t dramBytes = 0;      ///< moved through the off-chip port
  double energyPicojoules = 0; ///< with idle energy
  Bound boundBy = Bound::None;
};

struct LayerReport {
  std::string name;
  std::string operation;
  firmware::EngineKind engine = firmware::EngineKind::Mac;
  double idealCycles = 0; ///< MACs over the array's rate for the layer's type
  Figures figures;
  uint64_t commands = 0;  ///< that ran; 0: in no section that ran, or made by the compiler
  std::string group = {}; ///< of layers that are shown as one (LayerGroups.h), such as "ATTENTION name"; empty: of none

  /// Cycles of the bound that are neither its own nor hidden: of layers without commands, of constants that another
  /// layer loads, as one that transposes them first, and of pools on the DSP, whose bound is that of the array.
  uint64_t omittedCycles() const;
};

struct EngineReport {
  firmware::EngineKind engine = firmware::EngineKind::Mac;
  uint64_t busyCycles = 0; ///< all units
  firmware::StallCycles stallCycles{};
  uint32_t units = 1; ///< DMA: channels
};

/// A class that a run found in a picture.
struct ClassReport {
  std::string picture; ///< its file
  size_t label = 0;
  std::string name;
  double score = 0;
};

/// An operator of a divided network that the target refuses.
struct HostReport {
  std::string operation;          ///< its kind in the file
  std::string name;               ///< of its first result
  std::string place;              ///< "cpu" or "call-back"
  std::string reason;             ///< for which the target refuses it
  std::optional<uint64_t> number; ///< in the main graph of the file
  double ms = 0;                  ///< of the host, shortest of all runs
};

struct Report {
  std::string model;
  std::string target;
  std::string backend;
  uint64_t clockHz = 0;
  uint64_t sramTargetBytes = 0; ///< of the target
  bool measured = true;         ///< false: the back end counts no cycles, and all figures from cycles are 0
  bool computed = true;         ///< false: the outputs have no meaning
  Figures total;
  DramTraffic dram;             ///< parts of total.dramBytes; zeros without measurement
  uint64_t predictedCycles = 0; ///< the compiler's prediction; 0: none
  double predictedMs = 0;
  double simulatedMs = 0;
  double hostCompileMs = 0; ///< 0: ran from artefacts
  double hostRunMs = 0;     ///< shortest of all runs
  uint32_t runs = 0;
  firmware::PreemptionCounters preemption; ///< cost of preemptions by other jobs
  uint64_t waitCycles = 0;                 ///< device cycles that it waited for other jobs before it started
  std::optional<PowerFigures> power;       ///< nothing: the device has no clock levels, or does not report them
  std::optional<ServedFigures> served;     ///< figures of a run on a device of a service
  std::vector<LayerReport> layers;
  Figures withoutLayer; ///< what belongs to no layer; least bytes: inputs and outputs
  runtime::Overlap overlap;
  std::vector<EngineReport> engines;
  std::vector<HostReport> host;     ///< operators that the host runs, in their order
  std::vector<ClassReport> classes; ///< the best of each picture, the best first
  std::vector<std::string> notes;   ///< further lines for the reader
};

Report makeReport(const session::LoadedModel &model, const runtime::DeviceProperties &device,
                  const session::RunRecord &record);

/// Facts from the commands of one layer.
struct CommandFacts {
  uint64_t sramBytes = 0;                                  ///< on-chip bytes that they touch
  firmware::DataType arrayType = firmware::DataType::Int8; ///< type that the MAC array multiplies
};

/// By layer, from the model's streams.
std::vector<CommandFacts> examineCommands(const cache::ModelCache &model);

} // namespace avocet::analysis

#endif // AVOCET_ANALYSIS_REPORT_H
