//===- Main.cpp - avocetd, the driver service -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confinement.h"
#include "ServiceTrace.h"
#include "avocet/base/CommandLine.h"
#include "avocet/base/GuardedMain.h"
#include "avocet/base/Knobs.h"
#include "avocet/base/Log.h"
#include "avocet/base/MachineMemory.h"
#include "avocet/base/TrustedFolder.h"
#include "avocet/hal/sandbox/ServiceSandbox.h"
#include "avocet/hal/service/Service.h"
#include "avocet/hal/types/ModelDumps.h"
#include "avocet/hal/types/Result.h"
#include "avocet/hal/wire/Registry.h"
#include "avocet/runtime/LinkedBackends.h"
#include "avocet/runtime/Plugins.h"

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <initializer_list>
#include <sys/resource.h>
#include <unistd.h>

namespace avocet::hal {
namespace {

/// A blocked signal is queued even if it is ignored, and sigwait() would return it.
static bool isIgnored(int number) {
  struct sigaction action = {};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// Blocks the signals that end the service (SIGINT, SIGTERM, SIGQUIT, SIGHUP), SIGUSR1 and SIGUSR2 in this thread and
/// threads that it starts; the result is for sigwait(). A signal that is ignored at the start stays ignored, as SIGHUP
/// under nohup. Call before any thread starts.
sigset_t blockEndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP})
    if (!isIgnored(number))
      sigaddset(&signals, number);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

struct ServiceOptions {
  std::string socket = knobText(knobs::kSocket);
  std::string registry; ///< empty: the service listens at `socket`
  std::string name;     ///< in the registry
  std::vector<std::string> targets = {"e256"};
  bool socketActivation = false;
  uint32_t newestProtocol = kProtocols.newest;
  std::string traceFile;  ///< empty: no trace
  std::string dumpFolder; ///< empty: no graphs of models
  DriverOptions driver;
  std::string backends = runtime::kPluginList;
  uint32_t handshakeSeconds = 10;
  uint64_t allMemory = machineMemory() / 2;
  Quotas quotas;
  ConfinementOptions confinement;
};

constexpr const char *kDescription = R"(avocetd: offers Avocet devices to other processes.

Each --target becomes a device 'avocet-TARGET', which all clients share. When a client ends, its objects are released;
other clients are not affected.
With --registry, services of several vendors or versions run beside each other: each listens at FOLDER/NAME, and clients
that get the folder as their socket (AVOCET_SOCKET, --socket) see the devices of all. Only root and the user of the
service may be able to change the folder. A socket that a killed service has left there is replaced by its next start.
SIGINT, SIGTERM, SIGQUIT and SIGHUP (closed terminal; nohup prevents it) end the service, which then removes its socket.
SIGUSR2 writes the trace of --trace. SIGUSR1 writes the counters to the standard error stream; 'avocet devices' shows
the most important of them, and with --metrics more of them in Prometheus' format, but only to root and to the user that runs the
service. Knob AVOCET_VLOG prints each decision on a client's work.)";

constexpr uint32_t kMostClients = 1'000'000;

constexpr const char *kExamples = R"(To try it, in one terminal:
  avocetd --socket /tmp/avocetd.sock --target e256 --target m512
and in another:
  avocet devices --socket /tmp/avocetd.sock
  avocet run model.tflite --device avocet-m512 --socket /tmp/avocetd.sock
Two services, whose devices clients see as one list:
  avocetd --registry /run/avocet/services --name first --target e256
  avocetd --registry /run/avocet/services --name second --target m512
  avocet devices --socket /run/avocet/services
Sizes may end in K, M or G (powers of 1024). A client beyond its quotas gets RESOURCE_EXHAUSTED.)";

void addPlaces(CommandLine &app, ServiceOptions &options) {
  CommandOption socket =
      app.addText("--socket", options.socket, "path of the Unix-domain socket (knob AVOCET_SOCKET)").showDefault();
  CommandOption activation = app.addFlag("--socket-activation", options.socketActivation,
                                         "take the socket from the service manager (systemd)");
  CommandOption registry =
      app.addText("--registry", options.registry, "folder of the sockets of several services; needs --name")
          .excludes(socket)
          .excludes(activation);
  CommandOption name = app.addText("--name", options.name, "name of this service in the registry").needs(registry);
  registry.needs(name);
  addNumber(app, "--newest-protocol", options.newestProtocol,
            "newest version of the protocol to speak with clients, to test them", kProtocols.oldest, kProtocols.newest)
      .showDefault();
  options.driver.backend = knobText(knobs::kBackend);
  app.addText("--backend", options.driver.backend,
              "where the devices are: sim, or kernel for those of the kernel driver; kernel:NODE; or the name of a "
              "plug-in in root's list")
      .showDefault();
  app.addText("--backends", options.backends,
              "root's list of plug-ins, one path in each line; it and they must belong to root, with all folders above "
              "them; AVOCET_BACKENDS is not used")
      .showDefault();
  app.addTexts("--target", options.targets, "device profile or target file; repeatable, one device for each")
      .oneEach()
      .showDefault();
  app.addText("--cache-dir", options.driver.cacheDirectory,
              "private folder for compilation caching, one sub-folder for each device; none: no caching");
  addBytes(app, "--blob-cache", options.driver.blobCacheBytes,
           "bytes of compilations to keep there for clients without cache files; 0: none")
      .showDefault();
  app.addFlag("--staged", options.driver.staged,
              "answer preparations with a program of the compiler's fastest level, and replace it when the better one "
              "is compiled");
  options.driver.maxPredictedTime = std::chrono::seconds(30);
  addUnsigned(
      app, "--max-run-seconds",
      [&options](uint64_t seconds) { options.driver.maxPredictedTime = std::chrono::seconds(seconds); },
      "most device time that may be predicted for one run of a model; the watchdog allows a section 8 times its "
      "prediction; 0: any; default: 30",
      0, 1'000'000);
  addUnsigned(
      app, "--burst-polling",
      [&options](uint64_t microseconds) {
        options.quotas.bursts.pollingWindow = std::chrono::microseconds(microseconds);
      },
      "microseconds to poll for a burst's next request before sleeping, as long as requests arrive in it; 0: "
      "never; default: 50",
      0, 1'000'000);
  app.addText(
      "--trace", options.traceFile,
      "file for a trace of the latest spans (Perfetto), with a flow of arrows for each call from the client to the "
      "device; written at the end and with SIGUSR2");
  app.addText("--dump-models", options.dumpFolder,
              "existing folder for the graph (Graphviz) of each model that a client prepares, with the HAL versions "
              "that express it; for debugging");
}

/// Options for limits of all clients together and of one user.
void addAdmission(CommandLine &app, ServiceOptions &options) {
  auto group = [](CommandOption option) { return option.showDefault().group("Quotas of all clients and of users"); };
  group(addNumber(app, "--max-clients", options.quotas.clients, "connections at a time; further ones wait", 1,
                  kMostClients));
  group(addNumber(app, "--max-clients-per-user", options.quotas.clientsPerUser,
                  "connections of one user at a time, and no more than are free for others; further ones wait", 1,
                  kMostClients));
  group(addNumber(app, "--operator-reserve", options.quotas.operatorReserve,
                  "connections kept for status queries of root and of the service's user", 1, 1000));
  group(addNumber(app, "--handshake-limit", options.handshakeSeconds,
                  "seconds after which a connection that has sent nothing is closed", 1, 3600));
  group(addBytes(app, "--max-all-call-bytes", options.quotas.allCallBytes,
                 "bytes of memory for unanswered calls of all clients"));
  group(addBytes(
      app, "--max-all-memory", options.allMemory,
      "bytes of buffers, models and pools in use; half of them are reserved in equal shares for all clients, and "
      "one client gets no more of the rest than is left; compilations have memory of their own "
      "(--max-compile-memory); default: half of the machine's, or of the control group's"));
}

/// Options for limits of one client.
void addQuotas(CommandLine &app, Quotas &quotas) {
  auto group = [](CommandOption option) { option.showDefault().group("Quotas of one client"); };
  auto add = [&](const char *name, auto &value, const char *what, uint32_t least = 0, uint32_t most = UINT32_MAX) {
    group(addNumber(app, name, value, what, least, most));
  };
  add("--max-objects", quotas.objects, "prepared models, executions, buffers, bursts");
  add("--max-bursts", quotas.queueBursts, "bursts of message queues; further bursts use calls through the socket");
  group(addBytes(app, "--max-call-bytes", quotas.callBytes, "bytes of memory for unanswered calls"));
  add("--max-calls", quotas.callsInFlight, "unanswered calls", 1);
  add("--max-threads", quotas.threads, "calls that run at the same time; further ones wait", 1, 64);
  add("--max-descriptors", quotas.descriptors, "descriptors that it sent and that are in use");
  group(addBytes(app, "--max-memory", quotas.client.memoryBytes, "bytes of buffers, models and pools in use"));
  group(addBytes(app, "--max-cache", quotas.client.cacheBytes, "bytes of cache files that one preparation writes"));
  add("--max-buffers", quotas.client.buffers, "driver-allocated buffers");
  add("--max-models", quotas.client.preparedModels, "prepared models");
  add("--max-compilations", quotas.client.compilations, "compilations at the same time; further ones wait", 1);
  add("--max-fences", quotas.client.awaitedFences, "fences that its fenced executions wait for");
  add("--max-executions", quotas.client.queuedExecutions, "executions that have not ended");
}

void describe(CommandLine &app, ServiceOptions &options) {
  app.setDescription(kDescription);
  app.setFooter(std::string(kExamples) + "\n" + kExitCodesHelp);
  addPlaces(app, options);
  addAdmission(app, options);
  addQuotas(app, options.quotas);
  addConfinement(app, options.confinement);
}

/// One folder for each device, since records of cache files belong to one device.
avocet::Result<std::string> cacheFolder(const std::string &directory, const std::string &target) {
  if (directory.empty())
    return std::string();
  AVOCET_RETURN_IF_ERROR(TrustedFolder::open(directory, TrustedFolder::Missing::Create).status());
  return directory + "/" + std::filesystem::path(target).stem().string();
}

/// Opens all devices, so that failures show at the start and not at the first client.
Result<std::vector<ServedDevice>> openDevices(const ServiceOptions &options,
                                              std::vector<std::shared_ptr<Driver>> &drivers, ModelDumps &dumps) {
  std::vector<ServedDevice> devices;
  const std::shared_ptr<Quota> memory = makeMemoryLimit(options.allMemory, options.quotas.clients);
  for (const std::string &target : options.targets) {
    DriverOptions driver = options.driver;
    driver.target = target;
    driver.memory = memory;
    driver.trace = !options.traceFile.empty();
    avocet::Result<std::string> folder = cacheFolder(driver.cacheDirectory, driver.target);
    if (!folder)
      return generalFailure(folder.status().message());
    driver.cacheDirectory = *folder;
    auto opened = Driver::open(driver);
    if (!opened)
      return error(opened.code(), driver.target + ": " + opened.error().message);
    AVOCET_ASSIGN_OR_RETURN(ServedDevice device, servedDevice(*opened));
    for (const ServedDevice &other : devices)
      if (other.name == device.name)
        return invalidArgument("two targets have the name " + device.name);
    if (!options.dumpFolder.empty())
      device.modelSink = [name = device.name, &dumps](const Model &model) { dumps.write(name, model); };
    devices.push_back(std::move(device));
    drivers.push_back(std::move(*opened));
  }
  return devices;
}

/// The descriptors of clients' pools and fences count towards this process's limit.
void raiseDescriptorLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

/// For the operator of the service; `avocet devices` shows them to the same users (avocet/hal/ipc/Client.h).
void printCounters(const ServiceCounters &counters, const std::vector<std::shared_ptr<Driver>> &drivers) {
  std::string text = fmt::format("clientsNow={} clientsEver={} callsEver={} objectsNow={} buffersNow={} burstsNow={} "
                                 "descriptorsNow={} compilerErrorsEver={}",
                                 counters.clientsNow, counters.clientsEver, counters.callsEver, counters.objectsNow,
                                 counters.buffersNow, counters.burstsNow, counters.descriptorsNow, compilerErrors());
  for (size_t i = 0; i < drivers.size(); ++i) {
    const DriverCounters driver = drivers[i]->counters();
    text += fmt::format(" device{0}.clientsNow={1} device{0}.modelsNow={2} device{0}.buffersNow={3} "
                        "device{0}.executionsNow={4} device{0}.memoryNow={5} device{0}.copiedEver={6} "
                        "device{0}.compilerCrashesEver={7} device{0}.compilerRestartsEver={8}",
                        i, driver.clients, driver.preparedModels, driver.buffers, driver.executions, driver.memoryBytes,
                        driver.hostBytesCopied, driver.compilerCrashes, driver.compilerRestarts);
  }
  writeLog(LogLevel::Info, "", "counters " + text);
}

/// Adds the device nodes of a back end, and their ioctl requests.
void addDevices(std::string_view backend, ServicePaths &paths) {
  constexpr std::string_view kKernel = "kernel";
  if (backend == kKernel || backend.starts_with("kernel:")) {
    paths.devices = backend == kKernel ? "/dev/accel" : std::string(backend.substr(kKernel.size() + 1));
    paths.requests = kDrmRequests;
  } else if (const avocet::Result<runtime::Plugin> plugin = runtime::pluginFor(backend)) {
    paths.devices = plugin.value().nodes;
    paths.requests = plugin.value().requests;
  }
}

/// Before the sandbox, which loads no libraries. A client cannot name a plug-in.
Outcome loadPlugins(const std::string &list) {
  runtime::registerLinkedBackends(); // plug-ins cannot have their names
  if (const avocet::Status status = runtime::restrictPlugins(list); !status.isOk())
    return generalFailure("--backends: " + status.message());
  for (const runtime::Plugin &plugin : runtime::findPlugins())
    if (!plugin.usable.isOk())
      logMessage(LogLevel::Warning, "service", "a plug-in is left out: {}", plugin.usable.message());
  return success();
}

/// What the sandbox must leave accessible.
Result<ServicePaths> pathsOf(const ServiceOptions &options) {
  ServicePaths paths{options.socketActivation ? "" : options.socket,
                     options.driver.cacheDirectory,
                     options.targets,
                     {},
                     "",
                     kNoRequests};
  addDevices(options.driver.backend, paths);
  if (!options.traceFile.empty())
    paths.outputs.push_back(options.traceFile);
  if (options.dumpFolder.empty())
    return paths;
  std::error_code error;
  if (!std::filesystem::is_directory(options.dumpFolder, error))
    return invalidArgument(options.dumpFolder + " is no folder; --dump-models needs an existing one");
  paths.outputs.push_back(options.dumpFolder + "/");
  return paths;
}

/// Sets `socket` to the service's place in the registry.
Outcome enterRegistry(ServiceOptions &options) {
  if (options.registry.empty())
    return success();
  AVOCET_ASSIGN_OR_RETURN(options.socket, registryPath(options.registry, options.name));
  return success();
}

/// Before clients can connect. With --user, only that user can judge the folder (confine()).
Outcome checkCacheFolders(const ServiceOptions &options) {
  if (!options.confinement.user.empty())
    return success();
  for (const std::string &target : options.targets)
    if (avocet::Result<std::string> folder = cacheFolder(options.driver.cacheDirectory, target); !folder)
      return generalFailure(folder.status().message());
  return success();
}

Outcome serve(ServiceOptions options) {
  const sigset_t signals = blockEndingSignals();
  raiseDescriptorLimit();
  AVOCET_RETURN_IF_ERROR(enterRegistry(options));
  const ServiceTrace trace(options.traceFile); // destroyed after the service, whose threads write to it

  AVOCET_RETURN_IF_ERROR(loadPlugins(options.backends));
  AVOCET_ASSIGN_OR_RETURN(const ServicePaths paths, pathsOf(options));
  AVOCET_RETURN_IF_ERROR(checkCacheFolders(options));
  // The socket before the rest, since opening it may need rights that the service then drops. Clients wait in its
  // queue.
  auto listener = options.socketActivation ? Listener::fromServiceManager() : Listener::listen(options.socket);
  if (!listener)
    return listener.error();
  AVOCET_ASSIGN_OR_RETURN(options.driver.compileWorkers, confine(options.confinement, paths));

  std::vector<std::shared_ptr<Driver>> drivers;
  ModelDumps dumps(options.dumpFolder); // destroyed after the service, whose threads write to it
  AVOCET_ASSIGN_OR_RETURN(std::vector<ServedDevice> devices, openDevices(options, drivers, dumps));
  std::string names;
  for (const ServedDevice &device : devices)
    names += (names.empty() ? "" : ", ") + device.name;
  Quotas quotas = options.quotas;
  quotas.handshakeLimit = std::chrono::seconds(options.handshakeSeconds);
  Service service(std::move(*listener), std::move(devices), quotas, {kProtocols.oldest, options.newestProtocol});
  writeLog(LogLevel::Info, "",
           fmt::format("serving {} at {}", names,
                       options.socketActivation ? "the service manager's socket" : options.socket));
  int signal = 0;
  for (bool ends = false; !ends;) {
    sigwait(&signals, &signal);
    if (signal == SIGUSR1)
      printCounters(service.counters(), drivers);
    else if (signal == SIGUSR2)
      trace.write();
    else
      ends = true;
  }
  return success();
}

} // namespace
} // namespace avocet::hal

static int runMain(int argc, char **argv) {
  avocet::CommandLine app("", "avocetd");
  avocet::hal::ServiceOptions options;
  avocet::hal::describe(app, options);
  return avocet::runProgram(app, argc, argv, [&] {
    avocet::setLogProgram("avocetd");
    avocet::hal::Outcome outcome = avocet::hal::serve(options);
    return outcome ? avocet::Status::ok() : avocet::internalError(outcome.error().message);
  });
}

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, runMain); }
