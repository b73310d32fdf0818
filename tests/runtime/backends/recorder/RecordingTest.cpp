//===- RecordingTest.cpp - Recordings: format, verifier, replay --*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recording.h"

#include "Conformance.h"
#include "avocet/base/Checksum.h"
#include "avocet/base/File.h"
#include "avocet/firmware_iface/Version.h"
#include "avocet/runtime/Replay.h"
#include "avocet/runtime/SimBackend.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/core.h>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

namespace avocet::runtime::test {
namespace {

constexpr uint32_t kBytes = 256;

std::unique_ptr<Backend> open(const std::string &specification) {
  registerSimBackend();
  BackendOptions options;
  options.target = testTarget();
  Result<std::unique_ptr<Backend>> backend = openBackend(specification, options);
  EXPECT_TRUE(backend.isOk()) << backend.status().toString();
  return std::move(backend).value();
}

void fill(Backend &backend, BufferHandle buffer, std::span<const uint8_t> bytes, uint64_t offset = 0) {
  FileDescriptor file = backend.exportBuffer(buffer).value();
  Mapping memory = Mapping::map(file.get(), offset + bytes.size(), Mapping::Access::ReadWrite).value();
  std::memcpy(memory.bytes().data() + offset, bytes.data(), bytes.size());
}

/// Runs the copy program through `backend` once for each value of the input, which begins at `offset` of its buffer.
void runJobs(Backend &backend, std::initializer_list<uint8_t> values, uint64_t offset = 0) {
  std::vector<uint32_t> program = copyProgram(kBytes);
  ContextHandle context = backend.createContext(0).value();
  BufferHandle code = backend.createBuffer(program.size() * 4).value();
  BufferHandle input = backend.createBuffer(offset + kBytes).value(), output = backend.createBuffer(kBytes).value();
  fill(backend, code, std::span(reinterpret_cast<const uint8_t *>(program.data()), program.size() * 4));
  StreamBinding stream{{firmware::EngineKind::Dma, 0},
                       backend.map(context, code, Access::Read).value(),
                       static_cast<uint32_t>(program.size())};
  std::vector<RegionBinding> regions = {
      {backend.map(context, input, Access::Read).value() + offset, kBytes, Access::Read},
      {backend.map(context, output, Access::Write).value(), kBytes, Access::Write}};
  Submission submission;
  submission.context = context;
  submission.streams = std::span(&stream, 1);
  submission.regions = regions;
  submission.targetFingerprint = testTarget()->fingerprint();
  submission.encodingVersion = firmware::kEncodingVersion;
  for (uint8_t value : values) {
    fill(backend, input, std::vector<uint8_t>(kBytes, value), offset);
    JobHandle job = backend.submit(submission).value();
    EXPECT_TRUE(backend.wait(context, job, kPatience).isOk());
  }
  EXPECT_TRUE(backend.destroyContext(context).isOk());
}

/// The bytes of a recording of two jobs on the simulator.
const std::vector<uint8_t> &sampleRecording() {
  static const std::vector<uint8_t> bytes = [] {
    std::string path = fmt::format("{}/recording-{}.avor", testing::TempDir(), ::getpid());
    runJobs(*open("recorder:" + path + ",sim"), {3, 4});
    std::vector<uint8_t> read = readFile(path).value();
    std::filesystem::remove(path);
    return read;
  }();
  return bytes;
}

TEST(RecordingTest, ReadsBackWrittenRecords) {
  Result<Recording> recording = parseRecording(sampleRecording(), "sample");
  ASSERT_TRUE(recording.isOk()) << recording.status().toString();
  EXPECT_EQ(recording->header.targetName, "e256");
  size_t jobs = 0, contents = 0;
  for (const Record &record : recording->records) {
    jobs += std::holds_alternative<JobRun>(record) ? 1 : 0;
    contents += std::holds_alternative<BufferContents>(record) ? 1 : 0;
  }
  EXPECT_EQ(jobs, 2u);
  // All three buffers before the first job. Before the second: the changed input, and the output that the job wrote.
  EXPECT_EQ(contents, 5u);
  std::vector<uint8_t> again;
  appendHeader(recording->header, again);
  for (const Record &record : recording->records)
    appendRecord(record, again);
  EXPECT_EQ(again, sampleRecording());
}

/// What a program that crashes leaves: all calls until then.
TEST(RecordingTest, IsReadableWhileItGrows) {
  const std::string path = fmt::format("{}/growing-{}.avor", testing::TempDir(), ::getpid());
  const auto backend = open("recorder:" + path + ",sim");
  for (std::ptrdiff_t jobs : {1, 2}) {
    runJobs(*backend, {3});
    Result<Recording> recording = parseRecording(readFile(path).value(), "growing", Cut::Accepted);
    ASSERT_TRUE(recording.isOk()) << recording.status().toString();
    EXPECT_FALSE(recording->isWhole());
    auto isJob = [](const Record &record) { return std::holds_alternative<JobRun>(record); };
    EXPECT_EQ(std::ranges::count_if(recording->records, isJob), jobs);
  }
  std::filesystem::remove(path);
}

TEST(RecordingTest, ReplayGivesSameOutcomes) {
  auto backend = open("sim");
  Result<ReplaySummary> summary = replayRecording(sampleRecording(), "sample", *backend);
  ASSERT_TRUE(summary.isOk()) << summary.status().toString();
  EXPECT_EQ(summary->jobs, 2u);
  EXPECT_GT(summary->cycles, 0u);
  EXPECT_EQ(summary->differences, std::vector<std::string>());
}

/// Owners, offsets, deadlines and dependencies: two contexts; the second job waits for the first and misses its
/// deadline.
void runWithConditions(Backend &backend) {
  const std::vector<uint32_t> program = copyProgram(kBytes);
  FileDescriptor pool = createMemoryFile("pool", 2 * kPageBytes).value();
  Mapping memory = Mapping::map(pool.get(), 2 * kPageBytes, Mapping::Access::ReadWrite).value();
  std::ranges::fill(memory.bytes().subspan(kPageBytes), 6);
  BufferHandle code = backend.createBuffer(program.size() * 4).value();
  fill(backend, code, std::span(reinterpret_cast<const uint8_t *>(program.data()), program.size() * 4));
  BufferHandle input = backend.importBuffer(pool, kPageBytes, kBytes, false).value();
  BufferHandle output = backend.createBuffer(kBytes).value();
  JobReference previous;
  for (uint32_t owner : {11u, 12u}) {
    ContextHandle context = backend.createContext(owner).value();
    StreamBinding stream{{firmware::EngineKind::Dma, 0},
                         backend.map(context, code, Access::Read).value(),
                         static_cast<uint32_t>(program.size())};
    std::vector<RegionBinding> regions = {{backend.map(context, input, Access::Read).value(), kBytes, Access::Read},
                                          {backend.map(context, output, Access::Write).value(), kBytes, Access::Write}};
    Submission submission;
    submission.context = context;
    submission.streams = std::span(&stream, 1);
    submission.regions = regions;
    submission.targetFingerprint = testTarget()->fingerprint();
    submission.encodingVersion = firmware::kEncodingVersion;
    if (previous.job != 0) {
      submission.dependencies = std::span(&previous, 1);
      submission.deadline = std::chrono::nanoseconds(-1);
    }
    previous = {context, backend.submit(submission).value()};
    EXPECT_TRUE(backend.wait(context, previous.job, kPatience).isOk());
  }
}

TEST(RecordingTest, ConditionsAreRecordedAndReplayed) {
  const std::string path = fmt::format("{}/conditions-{}.avor", testing::TempDir(), ::getpid());
  runWithConditions(*open("recorder:" + path + ",sim"));
  const std::vector<uint8_t> bytes = readFile(path).value();
  std::filesystem::remove(path);
  Recording recording = parseRecording(bytes, "conditions").value();
  std::vector<JobRun> jobs;
  std::vector<uint32_t> owners;
  for (const Record &record : recording.records) {
    if (const auto *run = std::get_if<JobRun>(&record))
      jobs.push_back(*run);
    if (const auto *context = std::get_if<ContextCreated>(&record))
      owners.push_back(context->owner);
  }
  EXPECT_EQ(owners, (std::vector<uint32_t>{11, 12}));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].deadline_ns, std::nullopt);
  EXPECT_TRUE(jobs[0].dependencies.empty());
  EXPECT_EQ(jobs[1].deadline_ns, std::optional<int64_t>(-1));
  ASSERT_EQ(jobs[1].dependencies.size(), 1u);
  EXPECT_EQ(jobs[1].dependencies[0].context(), jobs[0].context);
  EXPECT_EQ(jobs[1].dependencies[0].job(), jobs[0].job);
  EXPECT_EQ(jobs[1].fault_code, static_cast<uint32_t>(firmware::FaultCode::DeadlineMissed));
  Result<ReplaySummary> summary = replayRecording(bytes, "conditions", *open("sim"));
  ASSERT_TRUE(summary.isOk()) << summary.status().toString();
  EXPECT_EQ(summary->jobs, 2u);
  EXPECT_EQ(summary->differences, std::vector<std::string>());
}

TEST(RecordingTest, ReplayReportsDifferences) {
  Recording recording = parseRecording(sampleRecording(), "sample").value();
  std::vector<uint8_t> changed;
  appendHeader(recording.header, changed);
  for (Record &record : recording.records) {
    if (auto *run = std::get_if<JobRun>(&record)) {
      run->cycles += 1;
      run->output_hash ^= 1;
    }
    appendRecord(record, changed);
  }
  auto backend = open("sim");
  Result<ReplaySummary> summary = replayRecording(changed, "changed", *backend);
  ASSERT_TRUE(summary.isOk()) << summary.status().toString();
  EXPECT_EQ(summary->differences.size(), 4u);
}

TEST(RecordingTest, ReplayRefusesOtherTarget) {
  BackendOptions options;
  options.target = firmware::Target::load("m512").value();
  auto backend = openBackend("null", options).value();
  EXPECT_EQ(replayRecording(sampleRecording(), "sample", *backend).status().code(), StatusCode::FailedPrecondition);
}

TEST(RecordingTest, EveryTruncationIsRefused) {
  const std::vector<uint8_t> &whole = sampleRecording();
  size_t accepted = 0;
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto part = std::span(whole).first(size);
    EXPECT_EQ(parseRecording(part, "cut").status().code(), StatusCode::DataLoss);
    accepted += parseRecording(part, "cut", Cut::Accepted).isOk() ? 1 : 0;
  }
  // On request the whole records are read, of any file with a whole header.
  std::vector<uint8_t> header;
  appendHeader(parseRecording(whole, "whole").value().header, header);
  EXPECT_EQ(accepted, whole.size() - header.size());
}

TEST(RecordingTest, CutRecordingIsNotReplayed) {
  Recording recording = parseRecording(sampleRecording(), "sample").value();
  recording.records.pop_back();
  std::vector<uint8_t> cut;
  appendHeader(recording.header, cut);
  for (const Record &record : recording.records)
    appendRecord(record, cut);
  EXPECT_NE(replayRecording(cut, "run.avor", *open("sim")).status().message().find("run.avor: was cut after"),
            std::string::npos);
  Result<ReplaySummary> summary = replayRecording(cut, "run.avor", *open("sim"), Cut::Accepted);
  ASSERT_TRUE(summary.isOk()) << summary.status().toString();
  EXPECT_EQ(summary->jobs, 2u);
  EXPECT_FALSE(summary->isWhole);
}

/// A limit of file sizes acts like a full disk.
TEST(RecordingTest, FullDiskIsReportedAtTheEnd) {
  const std::string path = fmt::format("{}/full-{}.avor", testing::TempDir(), ::getpid());
  auto backend = open("recorder:" + path + ",sim");
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto signal = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limited = {4 << 20, before.rlim_max}; // memory of the device is smaller
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
  runJobs(*backend, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1 << 19); // jobs run nevertheless
  const Status status = backend->finish();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, signal);
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(status.message().find(path + ": File too large"), std::string::npos) << status.message();
  const std::vector<uint8_t> left = readFile(path).value();
  std::filesystem::remove(path);
  EXPECT_EQ(parseRecording(left, "full").status().code(), StatusCode::DataLoss);
  EXPECT_GT(replayRecording(left, "full", *open("sim"), Cut::Accepted).value().jobs, 2u);
}

TEST(RecordingTest, FinishedRecordingIsWhole) {
  const std::string path = fmt::format("{}/finished-{}.avor", testing::TempDir(), ::getpid());
  auto backend = open("recorder:" + path + ",sim");
  runJobs(*backend, {1});
  EXPECT_TRUE(backend->finish().isOk());
  runJobs(*backend, {2}); // is not recorded
  EXPECT_TRUE(backend->finish().isOk());
  const auto summary = replayRecording(readFile(path).value(), "finished", *open("sim"));
  std::filesystem::remove(path);
  ASSERT_TRUE(summary.isOk()) << summary.status().toString();
  EXPECT_EQ(summary->jobs, 1u);
}

/// A record that is missing in the middle leaves every checksum right.
TEST(RecordingTest, MissingRecordIsRefused) {
  Recording recording = parseRecording(sampleRecording(), "sample").value();
  const auto isContents = [](const Record &record) { return std::holds_alternative<BufferContents>(record); };
  recording.records.erase(std::ranges::find_if(recording.records, isContents));
  EXPECT_NE(verifyRecording(recording, "run.avor").message().find("the end mark counts"), std::string::npos);
}

TEST(RecordingTest, EverySingleBitFlipIsRefused) {
  std::vector<uint8_t> bytes = sampleRecording();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
    EXPECT_EQ(parseRecording(bytes, "flipped").status().code(), StatusCode::DataLoss) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << bit % 8);
  }
}

/// The recording with three bits of record contents changed, and checksums recomputed.
std::vector<uint8_t> flippedWithChecksums(std::mt19937 &random) {
  constexpr size_t kFrame = sizeof(uint32_t); // the size
  const Recording recording = parseRecording(sampleRecording(), "sample").value();
  std::vector<uint8_t> bytes;
  appendHeader(recording.header, bytes);
  const size_t changed = random() % recording.records.size();
  for (size_t i = 0; i < recording.records.size(); ++i) {
    std::vector<uint8_t> record;
    appendRecord(recording.records[i], record);
    record.resize(record.size() - sizeof(Checksum));
    for (int flips = 0; i == changed && record.size() > kFrame && flips < 3; ++flips)
      record[kFrame + random() % (record.size() - kFrame)] ^= static_cast<uint8_t>(1u << (random() % 8));
    const Checksum checksum = checksumOf({record});
    bytes.insert(bytes.end(), record.begin(), record.end());
    bytes.insert(bytes.end(), checksum.begin(), checksum.end());
  }
  return bytes;
}

TEST(RecordingTest, FlippedBitsWithValidChecksumsNeverCrash) {
  std::mt19937 random(7);
  auto backend = open("null");
  size_t accepted = 0;
  for (int round = 0; round < 500; ++round) {
    const std::vector<uint8_t> bytes = flippedWithChecksums(random);
    Result<Recording> recording = parseRecording(bytes, "flipped");
    accepted += recording.isOk() ? 1 : 0;
    if (recording)
      (void)replayRecording(bytes, "flipped", *backend);
  }
  EXPECT_GT(accepted, 0u); // the checksums matched
}

/// A finished FlatBuffer with its checksum.
std::vector<uint8_t> partOf(flatbuffers::FlatBufferBuilder &builder) {
  std::vector<uint8_t> bytes(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  const Checksum checksum = checksumOf({bytes});
  bytes.insert(bytes.end(), checksum.begin(), checksum.end());
  return bytes;
}

std::string messageOf(std::span<const uint8_t> bytes) { return parseRecording(bytes, "run.avor").status().message(); }

TEST(RecordingTest, RefusesOtherFilesByTheirIdentifier) {
  const std::vector<uint8_t> other(100, 'x');
  EXPECT_EQ(messageOf(other), "run.avor: is no recording (it must begin with a header with the identifier AVOR)");
  EXPECT_EQ(messageOf({}), messageOf(other));
}

TEST(RecordingTest, RefusesOtherVersions) {
  flatbuffers::FlatBufferBuilder builder;
  recordingfb::FinishSizePrefixedRecordingHeaderBuffer(
      builder, recordingfb::CreateRecordingHeaderDirect(builder, kRecordingVersion + 1, 0, "e256"));
  EXPECT_EQ(messageOf(partOf(builder)), fmt::format("run.avor: has format version {}, this program reads {}",
                                                    kRecordingVersion + 1, kRecordingVersion));
}

TEST(RecordingTest, RefusesBrokenStructureWithValidChecksum) {
  std::vector<uint8_t> bytes;
  appendHeader({0, "e256"}, bytes);
  const size_t headerBytes = bytes.size();
  std::vector<uint8_t> record;
  appendRecord(ContextCreated{{}, 1, 7}, record);
  record.resize(record.size() - sizeof(Checksum));
  record[sizeof(uint32_t)] = 0xff; // the offset of the root
  const Checksum checksum = checksumOf({record});
  bytes.insert(bytes.end(), record.begin(), record.end());
  bytes.insert(bytes.end(), checksum.begin(), checksum.end());
  EXPECT_EQ(messageOf(bytes),
            fmt::format("run.avor: record 0 at byte {}: the structure of the record is broken", headerBytes));
}

TEST(RecordingTest, RefusesUnknownKinds) {
  std::vector<uint8_t> bytes;
  appendHeader({0, "e256"}, bytes);
  const size_t headerBytes = bytes.size();
  flatbuffers::FlatBufferBuilder builder;
  const auto event = recordingfb::CreateDeviceReset(builder);
  builder.FinishSizePrefixed(recordingfb::CreateRecord(builder, static_cast<recordingfb::Event>(200), event.Union()));
  const std::vector<uint8_t> record = partOf(builder);
  bytes.insert(bytes.end(), record.begin(), record.end());
  EXPECT_EQ(messageOf(bytes), fmt::format("run.avor: record 0 at byte {}: kind 200 is unknown", headerBytes));
}

TEST(RecordingTest, LargeContentsAreRecordedInPieces) {
  const std::string path = fmt::format("{}/pieces-{}.avor", testing::TempDir(), ::getpid());
  runJobs(*open("recorder:" + path + ",sim"), {3}, kContentsPieceBytes);
  const std::vector<uint8_t> bytes = readFile(path).value();
  std::filesystem::remove(path);
  const Recording recording = parseRecording(bytes, "pieces").value();
  using Piece = std::pair<uint64_t, size_t>;
  std::vector<Piece> pieces;
  for (const Record &record : recording.records)
    if (const auto *contents = std::get_if<BufferContents>(&record))
      pieces.emplace_back(contents->offset, contents->bytes.size());
  const size_t codeBytes = copyProgram(kBytes).size() * 4;
  EXPECT_EQ(pieces,
            (std::vector<Piece>{{0, codeBytes}, {0, kContentsPieceBytes}, {kContentsPieceBytes, kBytes}, {0, kBytes}}));
  Result<ReplaySummary> summary = replayRecording(bytes, "pieces", *open("sim"));
  ASSERT_TRUE(summary.isOk()) << summary.status().toString();
  EXPECT_EQ(summary->differences, std::vector<std::string>());
}

TEST(RecordingTest, RefusesRecordsThatBreakRules) {
  auto refuse = [](std::vector<Record> records) {
    return verifyRecording({{0, "e256"}, std::move(records)}, "test").code();
  };
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, BufferCreated{{}, 1, 8}, BufferMapped{{}, 1, 1, 4096, 3}}), StatusCode::Ok);
  EXPECT_EQ(refuse({ContextDestroyed{{}, 1}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, ContextCreated{{}, 1}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({BufferCreated{{}, 1, 0}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({BufferCreated{{}, 1, UINT64_MAX}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({BufferCreated{{}, 1, 8}, BufferCreated{{}, 1, 8}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({BufferCreated{{}, 1, 8}, BufferContents{{}, 1, 0, {1, 2}}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({BufferCreated{{}, 1, 8}, BufferContents{{}, 1, 8, {}}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({BufferCreated{{}, 1, 8}, BufferContents{{}, 1, 4, {1, 2, 3, 4}}}), StatusCode::DataLoss);
  EXPECT_EQ(refuse({BufferCreated{{}, 1, kContentsPieceBytes}, BufferContents{{}, 1, kContentsPieceBytes, {}}}),
            StatusCode::DataLoss);
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, BufferCreated{{}, 1, 8}, BufferMapped{{}, 1, 1, 4096, 0}}),
            StatusCode::DataLoss);
  EXPECT_EQ(
      refuse({ContextCreated{{}, 1}, BufferCreated{{}, 1, 8}, BufferMapped{{}, 1, 1, 4096, 1}, BufferDestroyed{{}, 1}}),
      StatusCode::DataLoss);
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, BufferUnmapped{{}, 1, 4096}}), StatusCode::DataLoss);
  JobRun run;
  run.context = 1;
  run.state = 9;
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, run}), StatusCode::DataLoss);
  run.state = 1;
  run.job = 5;
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, run}), StatusCode::Ok);
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, run, run}), StatusCode::DataLoss);
  JobRun next = run;
  next.job = 6;
  next.dependencies = {RecordedDependency(1, 5)};
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, run, next}), StatusCode::Ok);
  EXPECT_EQ(refuse({ContextCreated{{}, 1}, next, run}), StatusCode::DataLoss);
}

} // namespace
} // namespace avocet::runtime::test
