//===- Service.cpp - Devices served to other processes ----------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/service/Service.h"

#include "ConnectionAcceptor.h"
#include "Session.h"

#include "avocet/base/Log.h"
#include "avocet/hal/types/PeerFile.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <list>
#include <sys/resource.h>
#include <system_error>
#include <thread>

namespace avocet::hal {
namespace {

constexpr uint64_t DriverCounters::*kSummed[] = {
    &DriverCounters::hostBytesCopied, &DriverCounters::poolsMapped,
    &DriverCounters::operandsBound,   &DriverCounters::bindingsReused,
    &DriverCounters::specializations, &DriverCounters::specializationsCached,
    &DriverCounters::improvements,    &DriverCounters::improvementsFailed,
    &DriverCounters::executionsEver,  &DriverCounters::executionsFailed,
    &DriverCounters::compilerRuns,    &DriverCounters::compilerNanoseconds,
    &DriverCounters::cacheHits,       &DriverCounters::cacheMisses,
    &DriverCounters::clients,         &DriverCounters::preparedModels,
    &DriverCounters::buffers,         &DriverCounters::executions,
    &DriverCounters::memoryBytes};

/// All devices of a service share one set of compile workers, and each reports the figures of the whole set.
constexpr uint64_t DriverCounters::*kOfWorkers[] = {&DriverCounters::compilerCrashes,
                                                    &DriverCounters::compilerRestarts};

static_assert(offsetof(DriverCounters, power) == (std::size(kSummed) + std::size(kOfWorkers)) * sizeof(uint64_t),
              "a counter is neither in kSummed nor in kOfWorkers, and would be 0 in the totals");

void add(DriverCounters &sum, const DriverCounters &one) {
  for (auto counter : kSummed)
    sum.*counter += one.*counter;
  for (auto counter : kOfWorkers)
    sum.*counter = std::max(sum.*counter, one.*counter);
}

/// Half of the process's limit; the other half is for memory of the driver, connections and bursts.
Quotas completed(Quotas quotas) {
  constexpr rlim_t kUsualLimit = 1024;
  rlimit limit = {};
  if (quotas.allDescriptors == 0)
    quotas.allDescriptors = (::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kUsualLimit) / 2;
  return quotas;
}

} // namespace

/// One thread accepts connections; each session has its own threads; one thread removes sessions that have ended.
class Service::Impl {
public:
  Impl(std::unique_ptr<Listener> listener, std::vector<ServedDevice> devices, const Quotas &quotas,
       const ProtocolRange &protocols)
      : devices_(std::make_shared<const std::vector<ServedDevice>>(std::move(devices))), quotas_(completed(quotas)),
        protocols_(protocols),
        acceptor_(std::move(listener), quotas, [this](AcceptedConnection connection) { admit(std::move(connection)); }),
        acceptorThread_([this] { acceptor_.run(); }), reaper_([this] { reap(); }) {}

  ~Impl() {
    const PeerFilesEnding ending; // sessions no longer wait for files of their clients
    acceptor_.close();
    acceptorThread_.join();
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
      for (Entry &entry : entries_)
        entry.session->end();
    }
    changed_.notify_all();
    reaper_.join();
  }

  ServiceCounters counters() const {
    ServiceCounters sum = {
        counters_->clientsNow, counters_->clientsEver, counters_->callsEver,      counters_->objectsNow,
        counters_->buffersNow, counters_->burstsNow,   counters_->descriptorsNow, {}};
    for (const ServedDevice &device : *devices_)
      if (device.counters)
        add(sum.drivers, device.counters());
    return sum;
  }

private:
  struct Entry {
    std::shared_ptr<Session> session;
    std::thread thread;
    bool ended = false;
  };

  void admit(AcceptedConnection connection) {
    connection.channel->keep(std::move(connection.slot));
    std::lock_guard lock(mutex_);
    auto session =
        std::make_shared<Session>(std::move(connection.channel), devices_, quotas_, counters_, messageBytes_, poller_);
    session->setProtocols(protocols_);
    if (connection.isQueryOnly)
      session->restrictToQueries();
    Entry &entry = entries_.emplace_back();
    entry.session = session;
    try {
      entry.thread = std::thread([this, session, &entry] {
        session->run();
        std::lock_guard lock(mutex_);
        entry.ended = true;
        changed_.notify_all();
      });
    } catch (const std::system_error &) { // the connection closes, and the client may retry
      logMessage(LogLevel::Warning, "hal", "a client is refused: no thread can be started");
      entries_.pop_back();
    }
  }

  /// Joins the threads of ended sessions, so that a client's resources are freed at once.
  void reap() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] {
        return (ending_ && entries_.empty()) ||
               std::any_of(entries_.begin(), entries_.end(), [](const Entry &entry) { return entry.ended; });
      });
      if (ending_ && entries_.empty())
        return;
      auto ended = std::find_if(entries_.begin(), entries_.end(), [](const Entry &entry) { return entry.ended; });
      std::thread thread = std::move(ended->thread);
      std::shared_ptr<Session> session = std::move(ended->session);
      entries_.erase(ended);
      lock.unlock();
      thread.join();
      session.reset();
      lock.lock();
      changed_.notify_all();
    }
  }

  const Session::Devices devices_;
  const Quotas quotas_;
  const ProtocolRange protocols_;
  const std::shared_ptr<SharedCounters> counters_ = std::make_shared<SharedCounters>();
  const std::shared_ptr<SharedMessageBytes> messageBytes_ = std::make_shared<SharedMessageBytes>(quotas_.allCallBytes);
  ConnectionPoller poller_;
  std::mutex mutex_; ///< guards the members below
  std::condition_variable changed_;
  std::list<Entry> entries_;
  bool ending_ = false; ///< sessions are ending
  ConnectionAcceptor acceptor_;
  std::thread acceptorThread_;
  std::thread reaper_;
};

Result<ServedDevice> servedDevice(const std::shared_ptr<Driver> &driver) {
  AVOCET_ASSIGN_OR_RETURN(std::shared_ptr<ClientDevice> device, driver->connect({}));
  return ServedDevice{device->name(), [driver](const ClientOptions &options) { return driver->connect(options); },
                      [driver] { return driver->counters(); }};
}

Service::Service(std::unique_ptr<Listener> listener, std::vector<ServedDevice> devices, const Quotas &quotas,
                 const ProtocolRange &protocols)
    : impl_(std::make_unique<Impl>(std::move(listener), std::move(devices), quotas, protocols)) {}

Service::~Service() = default;

ServiceCounters Service::counters() const { return impl_->counters(); }

} // namespace avocet::hal
