//===- Knobs.h - Every environment knob, in one place -----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All settings that come from environment variables. No other file reads the environment: a knob is declared here with
// its default, its meaning and its accepted values, and `avocet knobs` prints this list. A process that was started
// with more rights than its user has (AT_SECURE) has the defaults.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_KNOBS_H
#define AVOCET_BASE_KNOBS_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace avocet {

/// Kind of the accepted values.
enum class KnobKind {
  Text,  ///< any text; the code that uses the value checks it (targets, back ends, paths)
  Word,  ///< one of `words`
  Words, ///< several of `words`, separated by space, comma or colon
};

/// One environment variable. Empty defaultValue means "not set".
struct Knob {
  std::string_view name;
  std::string_view defaultValue;
  std::string_view meaning;
  KnobKind kind = KnobKind::Text;
  std::string_view words = ""; ///< accepted words, separated by one space
};

namespace knobs {
inline constexpr Knob kLog{"AVOCET_LOG", "warning",
                           "least level of message shown: trace (each job), debug (files, libraries, devices), info, "
                           "warning, error, off",
                           KnobKind::Word, "trace debug info warning error off"};
inline constexpr Knob kTarget{"AVOCET_TARGET", "e256", "target used when a command line names none"};
inline constexpr Knob kBackend{"AVOCET_BACKEND", "sim",
                               "back end used when a command line names none: sim, kernel, null, recorder:FILE, or the "
                               "name or path of a plug-in"};
inline constexpr Knob kBackends{
    "AVOCET_BACKENDS", "",
    "plug-ins with back ends that can be opened by name: paths of libraries or of folders with them, separated by "
    "colons; processes with more rights than their user, and avocetd, ignore it (see /etc/avocet/backends.conf)"};
inline constexpr Knob kCompilerLibrary{
    "AVOCET_COMPILER_LIBRARY", "", "path of libavocetCompiler.so; empty: beside the program, then the loader's path"};
inline constexpr Knob kReproducers{"AVOCET_REPRODUCERS", "",
                                   "folder in which 'avocet' writes the reproducer of an error of the compiler itself; "
                                   "empty: the folder for temporary files (TMPDIR); off: none is written"};
inline constexpr Knob kProgress{"AVOCET_PROGRESS", "auto",
                                "progress line on the terminal: auto (only on a terminal), on, off", KnobKind::Word,
                                "auto on off"};
inline constexpr Knob kColor{"AVOCET_COLOR", "auto",
                             "colors in tables and pictures: auto (only on a terminal), on, off", KnobKind::Word,
                             "auto on off"};
inline constexpr Knob kSocket{"AVOCET_SOCKET", "/run/avocet/avocetd.sock",
                              "where the driver service listens and its clients connect"};
inline constexpr Knob kClients{"AVOCET_CLIENTS", "",
                               "folder of the programs that 'scripts/setup --clients' installs, among them TensorFlow "
                               "Lite; default: clients/ beside the build"};
inline constexpr Knob kNnapiDevices{"AVOCET_NNAPI_DEVICES", "auto",
                                    "devices of libneuralnetworks.so: service (those of AVOCET_SOCKET), embedded (one "
                                    "in the process), auto (those of the "
                                    "service if it answers, else embedded); the CPU follows them",
                                    KnobKind::Word, "auto embedded service"};
inline constexpr Knob kNnapiRecords{
    "AVOCET_NNAPI_RECORDS", "",
    "folder where the embedded device of libneuralnetworks.so records which cache files "
    "it wrote; default: .cache/avocet in the user's home"};
inline constexpr Knob kNnapiDumps{"AVOCET_NNAPI_DUMPS", "",
                                  "existing folder that receives the graph of each model that libneuralnetworks.so "
                                  "compiles, in Graphviz's notation"};
inline constexpr Knob kNnapiCounters{
    "AVOCET_NNAPI_COUNTERS", "",
    "file that receives the counters of libneuralnetworks.so, as JSON, when the process "
    "ends"};
inline constexpr Knob kCpuThreads{
    "AVOCET_CPU_THREADS", "auto",
    "threads of nnapi-reference, the CPU device: a number from 1 to 16, or auto (one for each processor, 4 at most)",
    KnobKind::Word, "auto 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"};
inline constexpr Knob kTrace{"AVOCET_TRACE", "",
                             "file that receives a Chrome trace of every run, as if --trace were given, or of what an "
                             "application does through libneuralnetworks.so or libavocet_delegate.so"};
inline constexpr Knob kVerbose{
    "AVOCET_VLOG", "",
    "verbose messages of the HAL: tags compilation, cpuexe, driver, execution, manager, memory, "
    "model, separated by space, comma or colon; 1 or all for all of them",
    KnobKind::Words, "model compilation execution cpuexe manager driver memory 1 all"};

// Android's system properties debug.nn.NAME as AVOCET_NN_NAME. They concern libneuralnetworks.so.
inline constexpr Knob kNnCpuOnly{"AVOCET_NN_CPUONLY", "0",
                                 "1: libneuralnetworks.so has no device but the CPU (Android: debug.nn.cpuonly)",
                                 KnobKind::Word, "0 1"};
inline constexpr Knob kNnPartition{
    "AVOCET_NN_PARTITION", "1",
    "compilations without chosen devices: 0 on the CPU only, 1 on all devices, 2 the same "
    "but without the CPU as a fallback after a failure (Android: debug.nn.partition)",
    KnobKind::Word, "0 1 2"};
inline constexpr Knob kNnSyncExecCpu{
    "AVOCET_NN_SYNCEXEC_CPU", "0",
    "1: asynchronous executions on the CPU device of libneuralnetworks.so run in the caller's thread (Android: "
    "debug.nn.syncexec-cpu)",
    KnobKind::Word, "0 1"};
inline constexpr Knob kNnSyncExecRuntime{
    "AVOCET_NN_SYNCEXEC_RUNTIME", "0",
    "1: all asynchronous executions of libneuralnetworks.so run in the caller's thread (Android: "
    "debug.nn.syncexec-runtime)",
    KnobKind::Word, "0 1"};
inline constexpr Knob kNnEnabledDevices{
    "AVOCET_NN_ENABLED_DEVICES", "",
    "regular expression: libneuralnetworks.so leaves out devices whose whole name does not match, except the CPU "
    "(Android: debug.nn.enabled-devices)"};
} // namespace knobs

/// All knobs, in the order in which they are explained.
std::span<const Knob> allKnobs();

/// Names in the environment that begin as knobs do and are none, such as misspelled ones.
std::vector<std::string> unknownKnobs();

/// The value in the environment; the default if it is not set, is empty, or is no accepted word of a KnobKind::Word.
/// Safe from any thread as long as no thread changes the environment.
std::string knobText(const Knob &knob);

/// For knobs with the values auto, on and off: `automatic` unless the knob is on or off.
bool knobSwitch(const Knob &knob, bool automatic);

/// InvalidArgument if the environment holds a value that the knob does not accept; the message lists the accepted ones.
/// Programs then end with exit code 2 (see CommandLine.h). Libraries log a warning and use the default.
Status checkKnob(const Knob &knob);
Status checkKnobs();

} // namespace avocet

#endif // AVOCET_BASE_KNOBS_H
