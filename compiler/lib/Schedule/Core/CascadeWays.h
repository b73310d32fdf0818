//===- CascadeWays.h - The ways to run a range of operations ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists the cascades that can run a range of operations (heights of stripes, parts of the output channels), with their
// cycles and bytes. The lists do not depend on where the tensors at the borders of the range are: a tensor in DRAM
// needs a ring while the cascade runs, and each way has the bytes of that ring.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_COMPILER_LIB_SCHEDULE_CORE_CASCADEWAYS_H
#define AVOCET_COMPILER_LIB_SCHEDULE_CORE_CASCADEWAYS_H

#include "FlowGraph.h"
#include "Plan.h"
#include "RowFlow.h"
#include "TensorUses.h"
#include "TileCosts.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace avocet::compiler::schedule {

/// A tensor that a cascade shares with the rest of the network.
struct BorderTensor {
  uint32_t tensor = 0;
  bool isRead = false;      ///< written before the cascade, at least in part; else the cascade writes it
  bool staysInSram = false; ///< the cascade reads parts that it makes itself, while others come from before or later
};

struct CascadeWay {
  Cascade cascade;
  uint64_t cycles = 0;        ///< sum over the tiles without waits, minus the time in which both engines work
  uint64_t lastCycles = 0;    ///< of the tiles that need the last part of the constants; `cycles` if there are no parts
  uint64_t portCycles = 0;    ///< in which the tiles use the SRAM port
  uint64_t innerBytes = 0;    ///< rings of the tensors that only the cascade uses
  uint64_t constantBytes = 0; ///< constants in SRAM at the same time
  uint64_t firstBytes = 0;    ///< constants that the first tile needs
  uint64_t loadedBytes = 0;   ///< constants that cross the off-chip port, those of repeated loads included
  bool isRepeated = false;    ///< the constants are loaded again for each stripe, into the same two buffers
  /// Bytes of a border tensor that is in DRAM: its rings in SRAM; what is loaded before the first tile, or stored after
  /// the last one; all that is loaded or stored.
  struct Border {
    uint64_t ring = 0, edge = 0, moved = 0;
    uint32_t rowLoads = 0;                 ///< transfers of rows that wait until earlier rows have been read
    bool isWhole = false;                  ///< the ring has all rows
    InPlaceOperands inPlace{kNone, kNone}; ///< indices of borders over whose buffers the tensor can be written
    bool operator==(const Border &) const = default;
  };
  std::vector<Border> borders; ///< as CascadeRange::borders
  bool operator==(const CascadeWay &) const = default;
};

struct CascadeRange {
  std::vector<BorderTensor> borders;
  /// Size of the largest tensor that a cascade of several operations spares: it keeps the tensor in a ring, or loads it
  /// once for several readers. Otherwise the tensor takes all these bytes of SRAM, or each reader loads it.
  uint64_t avoidedBytes = 0;
  /// Several operations gain from a cascade that spares no tensor: their stripes run on both engines at the same time,
  /// they make all of a tensor that each writes in short runs, or they load constants once.
  bool gainsWithoutAvoiding = false;
  std::vector<CascadeWay> ways; ///< none is at least as good as another in all figures
  bool isLimited = false;       ///< others would need more memory than the budget

  /// Whether several operations may gain from a common cascade.
  bool isWorthwhile(uint64_t leastAvoided) const { return gainsWithoutAvoiding || avoidedBytes >= leastAvoided; }
};

class CascadeWays {
public:
  /// `budget`: bytes of SRAM that a way may need. `leastAvoided`: several operations of one engine have ways only if
  /// these spare a tensor of at least so many bytes (CascadeRange::avoidedBytes). The problem, the uses and the costs
  /// must outlive the object.
  CascadeWays(const Problem &problem, const TensorUses &uses, TileCosts &costs, uint64_t budget, uint64_t leastAvoided);

  /// The ways to run operations [first, end); valid until the object dies. No ways if the operations cannot share
  /// stripes.
  const CascadeRange &of(uint32_t first, uint32_t end);

  /// The way that a cascade runs in, whether it is in a list or not.
  CascadeWay way(const Cascade &cascade);

  /// The same with all constants in SRAM at the same time, and with those of one part, if it has parts of whole maps.
  std::vector<CascadeWay> bothWays(const Cascade &cascade);

  /// Finds the ways of all ranges that begin with operation `first`.
  void findAll(uint32_t first);

  /// Ranges whose ways are known.
  size_t ranges() const { return known_.size(); }

  /// Takes over the ways that an object with the same problem and budget has found.
  void absorb(CascadeWays &other) { known_.merge(other.known_); }

  /// The fewest bytes of SRAM in which the operation can run alone with all operands in DRAM. Does not depend on the
  /// budget. If it is at most the budget, of(operation, operation + 1) has such a way.
  uint64_t leastBytes(uint32_t operation);

  /// Whether all operations of the range can run in stripes, and their constants fit together.
  bool joins(uint32_t first, uint32_t end) const;

  static constexpr uint32_t kLongestCascade = 14;

  /// The end of a longer cascade that puts the short runs of a tensor together (joinsShortRuns()), if one
  /// begins with the operation.
  std::optional<uint32_t> longJoin(uint32_t first) const;
  static constexpr uint32_t kMostWriters = 64;

  /// Maximum number of stripes of a cascade. Tensors with more rows have short rows, many of which fit in SRAM.
  static constexpr uint32_t kMostStripes = 16384;

private:
  uint64_t ownConstants(uint32_t first, uint32_t operation) const;
  void runAlone(CascadeRange &range, uint32_t operation);
  bool isReadIn(uint32_t first, uint32_t end, uint32_t tensor) const;
  uint64_t avoidedBytes(uint32_t first, uint32_t end) const;
  bool joinsShortRuns(uint32_t first, uint32_t end) const;
  bool sharesConstants(uint32_t first, uint32_t end) const;
  void runTogether(CascadeRange &range, uint32_t first, uint32_t end);
  void addParts(CascadeRange &range, uint32_t first, uint32_t end);
  CascadeWay inOneBuffer(CascadeWay way) const;
  void addStripesOfParts(CascadeRange &range, uint32_t operation);
  void addSmallest(CascadeRange &range, uint32_t operation);
  CascadeWay smallWay(const CascadeRange &range, uint32_t operation, uint32_t rows, uint32_t parts);
  uint64_t leastBytes(const CascadeRange &range, uint32_t operation);
  std::vector<BorderTensor> bordersOf(uint32_t first, uint32_t end) const;
  FlowGraph &graphOf(const CascadeRange &range, uint32_t first, uint32_t end);
  CascadeWay evaluate(const CascadeRange &range, const Cascade &cascade);
  static uint32_t loadsOf(const RowFlow &flow, uint32_t map);
  static uint64_t edgeOf(const Problem &problem, const RowFlow &flow, uint32_t map);
  uint64_t movedBytes(const RowFlow &flow, uint32_t map, uint64_t bytes) const;
  void setBorders(CascadeWay &way, const CascadeRange &range, const RowFlow &flow) const;
  InPlaceOperands inPlaceOf(const CascadeRange &range, uint32_t tensor, const RowFlow &flow) const;
  uint64_t largestPart(const Operation &op, uint32_t parts) const;
  void setConstants(CascadeWay &way, uint32_t stripes) const;
  void setCycles(CascadeWay &way, const std::vector<uint32_t> &stripes);
  bool add(CascadeRange &range, CascadeWay way) const;
  static uint64_t leastBytes(const CascadeWay &way);
  static uint64_t mostBytes(const CascadeWay &way);
  static size_t resultsInPlace(const CascadeWay &way);

  const Problem &problem_;
  const TensorUses &uses_;
  TileCosts &costs_;
  uint64_t budget_, leastAvoided_;
  std::vector<uint64_t> constants_; ///< bytes by operation
  Plan scratch_;                    ///< residencies for graph_
  std::optional<FlowGraph> graph_;  ///< of the range being evaluated, with its borders in DRAM
  std::unordered_map<uint64_t, CascadeRange> known_;
};

} // namespace avocet::compiler::schedule

#endif // AVOCET_COMPILER_LIB_SCHEDULE_CORE_CASCADEWAYS_H
