//===- MessageMemoryTest.cpp - Memory that messages take in the service ---===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostileFixture.h"
#include "Sanitizer.h"

#include <csignal>
#include <fstream>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

namespace avocet::hal {
namespace {

using namespace testing;

constexpr uint64_t kMiB = uint64_t(1) << 20;

/// A value of /proc/PID/status in bytes: "VmRSS", "VmSize".
uint64_t statusOf(pid_t process, const std::string &name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string word; file >> word;)
    if (uint64_t kilobytes = 0; word == name + ":" && file >> kilobytes)
      return kilobytes << 10;
  return 0;
}

/// A service in its own process.
class MessageMemoryTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (kHasSanitizer)
      GTEST_SKIP() << "the sanitizer's memory is not the service's";
    path_ = ::testing::TempDir() + "avocet-memory-" + std::to_string(::getpid());
  }
  void TearDown() override {
    if (service_ <= 0)
      return;
    EXPECT_EQ(::waitpid(service_, nullptr, WNOHANG), 0) << "the service lives";
    ::kill(service_, SIGKILL);
    ::waitpid(service_, nullptr, 0);
    ::unlink(path_.c_str());
  }

  /// `spare`: bytes of address space that the service may add to what it uses now; 0: no limit.
  void start(const Quotas &quotas, uint64_t spare) {
    service_ = ::fork();
    if (service_ == 0)
      serve(quotas, spare);
    ASSERT_TRUE(eventually([&] { return listDevices(path_).isOk(); }));
  }
  [[noreturn]] void serve(const Quotas &quotas, uint64_t spare) const {
    // A new arena reserves 128 MiB of address space for a moment, in which no thread could start.
    ::mallopt(M_ARENA_MAX, 1);
    auto state = std::make_shared<FakeState>();
    auto connect = [state](const ClientOptions &) -> Result<std::shared_ptr<ClientDevice>> {
      return makeFakeDevice(state);
    };
    auto listener = Listener::listen(path_);
    if (!listener)
      ::_exit(1);
    Service serving(std::move(*listener), {{"fake", connect, {}}}, quotas);
    if (spare != 0) {
      const rlim_t bytes = statusOf(::getpid(), "VmSize") + spare;
      const rlimit limit = {bytes, bytes};
      ::setrlimit(RLIMIT_AS, &limit);
    }
    ::pause();
    ::_exit(1);
  }

  std::string path_;
  pid_t service_ = -1;
};

/// A call with number 7.
template <typename Table> std::vector<uint8_t> bytesOf(const Table &table) {
  flatbuffers::FlatBufferBuilder builder;
  auto body = Table::TableType::Pack(builder, &table);
  builder.Finish(fb::CreateEnvelope(builder, 7, false, false, fb::CallUnionTraits<Table>::enum_value, body.Union()),
                 fb::EnvelopeIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> helloBytes() {
  fb::HelloT hello;
  hello.protocol = kProtocols.newest;
  hello.device = "fake";
  return bytesOf(hello);
}

/// Sends hand-made packets.
class RawSocket {
public:
  explicit RawSocket(const std::string &path) : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    channel_ = std::make_unique<Channel>(FileDescriptor(socket_));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr *>(&address), sizeof(address)), 0);
    const timeval patience = {20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }
  /// A header of 24 bytes with one descriptor: memory of `size` bytes that begins with `start`; the rest is a hole.
  void sendMemory(std::span<const uint8_t> start, uint64_t size) {
    FileDescriptor memory = std::move(createMemoryFile("sparse", size)).value();
    EXPECT_EQ(::pwrite(memory.get(), start.data(), start.size(), 0), static_cast<ssize_t>(start.size()));
    struct {
      uint32_t magic = 0x50495641, numFds = 1;
      uint64_t bytes = 0;
      uint32_t inMemory = 1, reserved = 0;
    } header;
    header.bytes = size;
    iovec part = {&header, sizeof(header)};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof(room);
    cmsghdr *control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = memory.get();
    std::memcpy(CMSG_DATA(control), &fd, sizeof(fd));
    EXPECT_EQ(::sendmsg(socket_, &message, MSG_NOSIGNAL), static_cast<ssize_t>(sizeof(header)));
  }
  void greet() {
    EXPECT_TRUE(channel_->send(helloBytes(), {}).isOk());
    EXPECT_EQ(receiveStatus(), ErrorStatus::None);
  }
  /// Status of the answer to call 7.
  ErrorStatus receiveStatus() {
    Result<Message> message = channel_->receive();
    Result<fb::EnvelopeT> answer = message ? ipc::openEnvelope(message->bytes) : message.error();
    EXPECT_TRUE(!answer || answer->number == 7);
    return answer ? ipc::statusOf(answer->error) : answer.code();
  }

private:
  int socket_;
  std::unique_ptr<Channel> channel_;
};

TEST_F(MessageMemoryTest, SparseMemoryBeforeHelloIsNotRead) {
  start({}, 0);
  const uint64_t before = statusOf(service_, "VmHWM");
  RawSocket empty(path_), beginning(path_);
  empty.sendMemory({}, Channel::kMaxBytes);
  EXPECT_EQ(empty.receiveStatus(), ErrorStatus::DeadObject) << "there is no call to answer";
  beginning.sendMemory(helloBytes(), Channel::kMaxBytes);
  EXPECT_EQ(beginning.receiveStatus(), ErrorStatus::InvalidArgument);
  EXPECT_LT(statusOf(service_, "VmHWM") - before, 16 * kMiB);
}

/// The quota admits the message, but the process has too little memory to read or to unpack it.
TEST_F(MessageMemoryTest, FailedAllocationIsAnError) {
  Quotas quotas;
  quotas.callBytes = uint64_t(1) << 40;
  quotas.allCallBytes = uint64_t(1) << 40;
  start(quotas, 160 * kMiB);
  auto neighbor = connectDevice(path_, "fake");
  ASSERT_TRUE(neighbor.isOk()) << neighbor.error().message;
  RawSocket hostile(path_);
  hostile.greet();
  fb::PrepareModelT prepare;
  prepare.model = std::make_unique<fb::ModelT>();
  prepare.model->main = std::make_unique<fb::SubgraphT>();
  prepare.options = std::make_unique<fb::PrepareOptionsT>();
  hostile.sendMemory(bytesOf(prepare), Channel::kMaxBytes);
  EXPECT_EQ(hostile.receiveStatus(), ErrorStatus::ResourceExhaustedTransient) << "too large to read";
  prepare.model->operand_values.resize(100 * kMiB);
  const std::vector<uint8_t> bytes = bytesOf(prepare);
  hostile.sendMemory(bytes, bytes.size());
  EXPECT_EQ(hostile.receiveStatus(), ErrorStatus::ResourceExhaustedTransient) << "too large to unpack";
  EXPECT_TRUE((*neighbor)->prepareModel(addModel({4}), {}).isOk()) << "others are served";
}

class MessageCostTest : public MessageMemoryTest {
protected:
  static constexpr uint64_t kQuota = 96 * kMiB;

  /// Keeps executions until the quota refuses one. Returns how far the service's peak memory grew.
  uint64_t growthWith(const Request &request, const ExecutionOptions &options) {
    auto device = connectDevice(path_, "fake");
    auto prepared = device ? (*device)->prepareModel(addModel({4}), {}) : device.error();
    EXPECT_TRUE(prepared.isOk());
    const uint64_t before = statusOf(service_, "VmRSS");
    std::vector<std::shared_ptr<IExecution>> kept;
    Result<std::shared_ptr<IExecution>> last = generalFailure("");
    do {
      last = (*prepared)->createReusableExecution(request, options);
      if (last)
        kept.push_back(*last);
    } while (last && kept.size() < 1000);
    EXPECT_EQ(last.code(), ErrorStatus::ResourceExhaustedTransient) << last.error().message;
    EXPECT_GT(kept.size(), 1u);
    return statusOf(service_, "VmHWM") - before;
  }
};

TEST_F(MessageCostTest, LargeVectorsStayWithinTheQuota) {
  Quotas quotas;
  quotas.callBytes = kQuota;
  start(quotas, 0);
  ExecutionOptions options;
  options.hints = {{1, std::vector<uint8_t>(8 * kMiB, 1)}};
  const uint64_t growth = growthWith(Sum().request, options);
  EXPECT_LE(growth, kQuota + kQuota / 8);
  RecordProperty("growthMiB", static_cast<int>(growth / kMiB));
}

/// Small tables take many times their message size once they are unpacked.
TEST_F(MessageCostTest, ManySmallTablesStayWithinTheQuota) {
  Quotas quotas;
  quotas.callBytes = kQuota;
  start(quotas, 0);
  Request request = Sum().request;
  request.inputs.resize(60'000);
  const uint64_t growth = growthWith(request, {});
  EXPECT_LE(growth, kQuota + kQuota / 8);
  RecordProperty("growthMiB", static_cast<int>(growth / kMiB));
}

} // namespace
} // namespace avocet::hal
