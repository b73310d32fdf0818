//===- Tracing.h - Spans in Android's notation ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Spans of the runtime's trace (Trace.h) whose names contain layer and phase as in Android's NNAPI traces, so that
// tools that sum up phases can read them: "[NN_LD_PC]prepareModel" is the driver's layer, compiling.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_TYPES_TRACING_H
#define AVOCET_HAL_TYPES_TRACING_H

#include "avocet/base/Trace.h"
#include "avocet/hal/types/LayerTimes.h"

#include <optional>
#include <string>
#include <string_view>

namespace avocet::hal {

/// The layer whose code is measured.
enum class TraceLayer {
  Application, ///< LA
  Runtime,     ///< LR
  Ipc,         ///< LI
  Driver,      ///< LD
  Cpu,         ///< LC
  Other,       ///< LO
  Utility,     ///< LU: used from several layers
};

/// The phase that the code belongs to.
enum class TracePhase {
  Overall,          ///< PO: the whole program
  WarmUp,           ///< PWU
  Benchmark,        ///< PBM
  Initialization,   ///< PI: not for a model
  Preparation,      ///< PP: building a model
  Compilation,      ///< PC
  Execution,        ///< PE
  Termination,      ///< PT
  Unspecified,      ///< PU: called from several phases
  InputsAndOutputs, ///< PIO: part of an execution, as the next three
  Transformation,   ///< PTR
  Computation,      ///< PCO
  Results,          ///< PR
};

/// How a span counts in sums. Plain: by itself. Switch: ends the phase before it in the same scope. Subtract: its time
/// is subtracted from the enclosing layer.
enum class TraceKind { Plain, Switch, Subtract };

/// "[NN_LD_PE]execute", "[SW][NN_LC_PCO]conv", "[SUB][NN_LR_PC]prepareModel"
std::string traceName(TraceLayer layer, TracePhase phase, std::string_view detail, TraceKind kind = TraceKind::Plain);

/// The time from construction to destruction, for the active trace and for the sums of LayerTimes.h. Costs two atomic
/// loads while neither is wanted.
class HalSpan {
public:
  HalSpan(TraceLayer layer, TracePhase phase, std::string_view detail, TraceKind kind = TraceKind::Plain) {
    if (LayerTimes::isEnabled())
      timer_.emplace(layer, phase);
    if (Trace::active() != nullptr)
      span_.emplace(traceName(layer, phase, detail, kind));
  }

private:
  std::optional<LayerTimer> timer_;
  std::optional<TraceSpan> span_;
};

} // namespace avocet::hal

#endif // AVOCET_HAL_TYPES_TRACING_H
