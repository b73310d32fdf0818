//===- EdgeTest.cpp - Clients that leave or stop at critical moments ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ServiceFixture.h"
#include "avocet/hal/wire/Envelope.h"
#include "avocet/hal/wire/Protocol.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/wait.h>

namespace avocet::hal {
namespace {

using namespace testing;
using namespace ipc;

size_t countDescriptors() {
  std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(folder), end(folder)));
}

template <typename Table> fb::EnvelopeT envelopeOf(Table table) {
  fb::EnvelopeT envelope;
  envelope.number = 42;
  envelope.call.Set(std::move(table));
  return envelope;
}

/// A client that builds its messages itself, with a prepared model (1).
class RawClient {
public:
  explicit RawClient(const std::string &path, const std::string &device = "fake") {
    auto channel = Channel::connect(path);
    EXPECT_TRUE(channel.isOk());
    channel_ = std::move(*channel);
    fb::HelloT hello;
    hello.protocol = kProtocols.newest;
    hello.device = device;
    EXPECT_EQ(ask(std::move(hello)), ErrorStatus::None);
    HandleWriter handles;
    fb::PrepareModelT prepare;
    prepare.model = toMessage(addModel({4}), handles);
    prepare.options = toMessage(PrepareOptions(), handles);
    EXPECT_EQ(ask(std::move(prepare), handles), ErrorStatus::None);
  }
  template <typename Table> Outcome tell(Table table, const HandleWriter &handles = {}) {
    return sendEnvelope(*channel_, envelopeOf(std::move(table)), handles);
  }
  template <typename Table> ErrorStatus ask(Table table, const HandleWriter &handles = {}) {
    if (!tell(std::move(table), handles))
      return ErrorStatus::DeadObject;
    Result<Message> message = channel_->receive();
    Result<fb::EnvelopeT> answer = message ? openEnvelope(message->bytes) : message.error();
    return answer ? statusOf(answer->error) : answer.code();
  }
  Channel &channel() { return *channel_; }

private:
  std::unique_ptr<Channel> channel_;
};

class EdgeTest : public ServiceFixture {
protected:
  /// Drops what the fake keeps of its last call, descriptors included.
  void letFakeForget() {
    std::lock_guard lock(fake_->mutex);
    fake_->request = {};
    fake_->memory = {};
    fake_->waitFor.clear();
    fake_->signaler.reset();
  }
};

/// Makes a call that carries descriptors and whose answer would name an object or carry a descriptor.
template <typename Table> Table callFor(HandleWriter &handles, const Sum &sum) {
  Table call;
  call.prepared = 1;
  call.request = toMessage(sum.request, handles);
  call.options = toMessage(ExecutionOptions());
  return call;
}

TEST_F(EdgeTest, ClientLeavesBeforeAnswerWithoutLeakingDescriptors) {
  const Sum sum;
  { // the first fence creates descriptors that the device keeps
    auto fence = FenceSignaler::create();
    ASSERT_TRUE(fence.isOk());
    auto launch = prepare("npu")->executeFenced(sum.request, {fence->first}, {});
    ASSERT_TRUE(launch.isOk());
    fence->second.signal();
    EXPECT_EQ(launch->fence.wait(std::nullopt), FenceState::Signaled);
  }
  auto isIdle = [&] {
    const ServiceCounters now = service_->counters();
    return now.clientsNow == 0 && now.drivers.clients == 0 && now.objectsNow == 0 && now.descriptorsNow == 0;
  };
  ASSERT_TRUE(eventually(isIdle));
  const size_t before = countDescriptors();
  for (int round = 0; round < 40; ++round) {
    RawClient client(path_, round % 2 == 0 ? "fake" : "npu");
    HandleWriter handles;
    switch (round / 2 % 4) {
    case 0:
      ASSERT_TRUE(client.tell(callFor<fb::CreateExecutionT>(handles, sum), handles).isOk());
      break;
    case 1: {
      auto fence = FenceSignaler::create();
      auto call = callFor<fb::ExecuteFencedT>(handles, sum);
      call.fences = toMessage(std::vector<SyncFence>{fence->first}, handles);
      ASSERT_TRUE(client.tell(std::move(call), handles).isOk());
      break;
    }
    case 2:
      ASSERT_TRUE(client.tell(callFor<fb::ExecuteT>(handles, sum), handles).isOk());
      break;
    default: {
      fb::PrepareModelT call;
      call.model = toMessage(addConstantModel({1, 2, 3, 4}), handles);
      call.options = toMessage(PrepareOptions(), handles);
      ASSERT_TRUE(client.tell(std::move(call), handles).isOk());
    }
    }
  }
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0));
  letFakeForget();
  EXPECT_TRUE(eventually(isIdle));
  // Not "==": the driver may not yet have closed the last descriptor of the first client when they were counted.
  EXPECT_TRUE(eventually([&] { return countDescriptors() <= before; })) << countDescriptors() << " of " << before;
}

/// All threads of the session are busy, and its queue is so full that it stops reading. Then the client leaves.
TEST_F(EdgeTest, ClientLeavesWhileItsQueueIsFull) {
  Quotas quotas;
  quotas.threads = 1;
  quotas.callsInFlight = 2;
  start(quotas);
  setBlocking(true);
  {
    RawClient client(path_);
    HandleWriter handles;
    const Sum sum;
    ASSERT_TRUE(client.tell(callFor<fb::ExecuteT>(handles, sum), handles).isOk());
    ASSERT_TRUE(blocks(1));
    for (int i = 0; i < 12; ++i)
      ASSERT_TRUE(client.tell(fb::GetStatusT()).isOk());
    // Hello, prepare, execute, and twice as many as may be in flight; the others stay in the socket.
    ASSERT_TRUE(reaches(&ServiceCounters::callsEver, 7));
  }
  EXPECT_TRUE(reaches(&ServiceCounters::clientsNow, 0)) << "its end was not seen while its call ran";
  EXPECT_EQ(fake_->abandoned, 1);
}

/// A client sends calls and does not read, until neither side can send. The service ends without waiting for it.
TEST_F(EdgeTest, ServiceEndsDespiteClientThatDoesNotRead) {
  auto neighbor = prepare("npu");
  auto slow = std::make_unique<RawClient>(path_);
  const fb::EnvelopeT question = envelopeOf(fb::GetStatusT());
  ASSERT_TRUE(eventually([&] {
    Result<bool> sent = true;
    while (sent && *sent)
      sent = trySendEnvelope(slow->channel(), question, {});
    return sent && !*sent && service_->counters().callsEver > 100;
  }));
  Sum sum;
  EXPECT_TRUE(neighbor->execute(sum.request, {}).isOk());
  sum.expectResult();
  auto ending = std::async(std::launch::async, [&] { service_.reset(); });
  ASSERT_EQ(ending.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(neighbor->execute(sum.request, {}).status, ErrorStatus::DeadObject);
}

/// A client that asks for signs of life and does not read them. The service stops reading, and answers all that it
/// read.
TEST_F(EdgeTest, UnreadSignsOfLifeAreBounded) {
  constexpr int kTooMany = 20'000; // for both sockets and the queue of the session
  RawClient slow(path_);
  const fb::EnvelopeT ping = envelopeOf(fb::PingT());
  int sent = 0;
  for (bool isRead = true; isRead && sent < kTooMany;) {
    const Result<bool> one = trySendEnvelope(slow.channel(), ping, {});
    ASSERT_TRUE(one.isOk()) << one.error().message;
    if (*one) {
      ++sent;
      continue;
    }
    pollfd full = {slow.channel().descriptor(), POLLOUT, 0};
    isRead = ::poll(&full, 1, 500) == 1;
  }
  EXPECT_LT(sent, kTooMany) << "the service keeps the answers in memory";
  for (int i = 0; i < sent; ++i)
    ASSERT_TRUE(slow.channel().receive().isOk()) << i << " of " << sent;
}

/// A service in its own process with a low limit of open files.
class FewDescriptorsTest : public ::testing::Test {
protected:
  static constexpr rlim_t kLimit = 48;

  void SetUp() override {
    path_ = ::testing::TempDir() + "avocet-edge-" + std::to_string(::getpid());
    service_ = ::fork();
    if (service_ == 0)
      serve();
    ASSERT_TRUE(eventually([&] { return listDevices(path_).isOk(); }));
  }
  void TearDown() override {
    EXPECT_EQ(::waitpid(service_, nullptr, WNOHANG), 0) << "the service lives";
    ::kill(service_, SIGKILL);
    ::waitpid(service_, nullptr, 0);
    ::unlink(path_.c_str());
  }

  [[noreturn]] void serve() const {
    rlimit limit = {kLimit, kLimit};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    auto state = std::make_shared<FakeState>();
    auto connect = [state](const ClientOptions &) -> Result<std::shared_ptr<ClientDevice>> {
      return makeFakeDevice(state);
    };
    auto listener = Listener::listen(path_);
    if (!listener)
      ::_exit(1);
    Service serving(std::move(*listener), {{"fake", connect, {}}});
    ::pause();
    ::_exit(1);
  }
  /// Processor time of the service so far, in seconds.
  double processorTime() const {
    std::ifstream file("/proc/" + std::to_string(service_) + "/stat");
    std::string line((std::istreambuf_iterator<char>(file)), {});
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i)
      fields >> skipped;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  /// Counts only descriptors below the limit; higher ones may be inherited.
  size_t openFiles() const {
    std::filesystem::directory_iterator folder("/proc/" + std::to_string(service_) + "/fd");
    return static_cast<size_t>(std::count_if(
        begin(folder), end(folder), [](const auto &entry) { return std::stoul(entry.path().filename()) < kLimit; }));
  }

  std::string path_;
  pid_t service_ = -1;
};

/// More clients than descriptors: connected clients go on, the others wait in the socket's queue without busy waiting.
TEST_F(FewDescriptorsTest, ClientsWaitForFreeDescriptors) {
  auto device = connectDevice(path_, "fake");
  ASSERT_TRUE(device.isOk());
  auto prepared = (*device)->prepareModel(addModel({4}), {});
  ASSERT_TRUE(prepared.isOk());
  std::vector<std::unique_ptr<Channel>> crowd;
  for (rlim_t i = 0; i < kLimit + 10; ++i) {
    auto channel = Channel::connect(path_);
    ASSERT_TRUE(channel.isOk()) << channel.error().message;
    crowd.push_back(std::move(*channel));
  }
  ASSERT_TRUE(eventually([&] { return openFiles() == kLimit; })) << openFiles();
  const double before = processorTime();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LT(processorTime() - before, 0.2) << "the service spins";
  EXPECT_EQ((*device)->status(), DeviceStatus::Available);
  ExecutionOutcome outcome = (*prepared)->execute(Sum().request, {});
  EXPECT_EQ(outcome.status, ErrorStatus::ResourceExhaustedTransient) << "its memories do not get in";
  auto waiting = std::async(std::launch::async, [&] { return connectDevice(path_, "fake").isOk(); });
  EXPECT_EQ(waiting.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  crowd.clear();
  ASSERT_EQ(waiting.wait_for(kPatience), std::future_status::ready);
  EXPECT_TRUE(waiting.get());
  EXPECT_TRUE(eventually([&] { return (*prepared)->execute(Sum().request, {}).isOk(); }));
}

} // namespace
} // namespace avocet::hal
