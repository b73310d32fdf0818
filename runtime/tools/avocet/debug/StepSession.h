//===- StepSession.h - Stops a simulated device at commands -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_STEPSESSION_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_STEPSESSION_H

#include "avocet/base/Status.h"
#include "avocet/firmware_iface/CommandEvent.h"

#include <cstdint>
#include <istream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avocet::tool {

inline constexpr const char *kStepHelp = R"(Lines of 'avocet replay --step', from the standard input:
  next [N]                   run one command, or N
  run                        run to a stop or to the end
  break ENGINE:N             stop after command N of a stream: mac:12, dsp:0, dma1:7
  watch ADDRESS BYTES        stop after each command that changes these bytes of SRAM
  dump ADDRESS BYTES         print bytes of SRAM; addresses are numbers such as 0x1f40
  regs                       cycle, last command of each engine, semaphores that are not 0
  quit                       run to the end without stops
At the end of the input the device runs to the end.)";

/// Reads lines as kStepHelp says, and obeys them each time that the device stops: first before it has run, then after
/// the commands that they name. A wrong line prints an error and is skipped.
class StepSession {
public:
  /// `lines` must outlive the session.
  explicit StepSession(std::istream &lines) : lines_(lines) {}

  /// Lines before the device runs.
  void begin() { obey(); }
  /// After a command.
  void observe(const firmware::CommandEvent &event);

private:
  struct Watch {
    uint64_t address = 0;
    std::vector<uint8_t> bytes; ///< as they were
  };

  bool mustStop(const firmware::CommandEvent &event);
  static bool isChanged(Watch &watch, const firmware::CommandEvent &event);
  void obey();
  Result<bool> obeyLine(const std::vector<std::string> &words);
  Status addWatch(std::string_view address, std::string_view size);
  Status dump(std::string_view address, std::string_view size) const;
  void printRegisters() const;

  std::istream &lines_;
  std::set<std::pair<std::string, uint32_t>> breaks_; ///< engine and command
  std::vector<Watch> watches_;
  std::map<std::string, uint32_t> last_; ///< command of each engine
  uint64_t remaining_ = 0;               ///< commands until a stop; 0: none
  bool hasEnded_ = false;                ///< no more stops
  const firmware::CommandEvent *event_ = nullptr;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_DEBUG_STEPSESSION_H
