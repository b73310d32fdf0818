//===- ServedReport.h - Runs on a device of a service, as a report -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_DOCUMENTS_SERVEDREPORT_H
#define AVOCET_DOCUMENTS_SERVEDREPORT_H

#include "avocet/analysis/Report.h"
#include "avocet/session/ServedSession.h"

#include <memory>
#include <vector>

namespace avocet::documents {

/// Collects the figures of runs of one session; of times those of the last runs. One thread at a time.
class ServedReport {
public:
  /// Before the first run, so that the energy of the runs is known.
  explicit ServedReport(const session::ServedOptions &options);
  ~ServedReport();

  void note(const session::RunRecord &record);
  /// Requires at least one run.
  analysis::Report make(const session::LoadedModel &model, const session::ServedSession &session) const;

private:
  class Power;
  analysis::ServedFigures figures(const session::ServedSession &session) const;

  const session::ServedOptions options_;
  std::unique_ptr<const Power> before_;
  uint32_t count_ = 0;                               ///< of all runs
  std::vector<double> deviceMs_, driverMs_, callMs_; ///< of the last kMostTimes runs at least
};

} // namespace avocet::documents

#endif // AVOCET_DOCUMENTS_SERVEDREPORT_H
