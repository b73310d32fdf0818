//===- ReportPageTest.cpp - The page of a report in a browser ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are printed. A test fails only above a limit that is far from the goal (2 s to load, 100 ms to react), because
// machines differ.
//
//===----------------------------------------------------------------------===//

#include "Browser.h"
#include "Sanitizer.h"
#include "SyntheticReport.h"
#include "ToolRunner.h"
#include "avocet/base/ScratchDirectory.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <iostream>
#include <optional>

namespace avocet::tool::test {
namespace {

using avocet::test::Browser;
using BrowserJson = Browser::Json;
using ::testing::IsEmpty;

const std::string kDigits = std::string(AVOCET_SOURCE_DIR) + "/tests/models/digits/digits_int8.tflite";
constexpr const char *kReady = "document.documentElement.dataset.ready === 'true'";

/// Functions for the tests: how long an action takes until the page has been laid out and painted, for one.
constexpr const char *kHelpers = R"(
  window.view = () => Object.values(avocet.page.views).find((view) => !view.root.hidden);
  window.timed = (action) => {
    const start = performance.now();
    action();
    view().paint();
    document.body.offsetHeight;
    return performance.now() - start;
  };
  window.rows = () => [...document.querySelectorAll('#layers .row[data-layer]')].map((row) => Number(row.dataset.layer));
  window.type = (id, text) => {
    const input = document.getElementById(id);
    input.value = text;
    input.dispatchEvent(new Event('input'));
  };
  window.settled = async (condition) => {
    for (let i = 0; i < 5000 && !condition(); ++i) await new Promise((resolve) => setTimeout(resolve, 10));
    return !!condition();
  };
  true)";

class ReportPageTest : public ToolTest {
protected:
  /// One browser for all tests: it starts in seconds.
  static void SetUpTestSuite() {
    const std::string program = Browser::find();
    if (program.empty())
      return;
    auto made = ScratchDirectory::make();
    ASSERT_TRUE(made.isOk()) << made.status().toString();
    profile.emplace(std::move(*made));
    auto started = Browser::start(program, profile->path());
    ASSERT_TRUE(started.isOk()) << started.status().toString();
    browser = std::move(*started);
  }

  static void TearDownTestSuite() {
    browser.reset();
    profile.reset();
  }

  void SetUp() override {
    ToolTest::SetUp();
    if (!browser)
      GTEST_SKIP() << "there is no chromium; scripts/setup --browser installs it";
  }

  void TearDown() override {
    if (browser)
      EXPECT_THAT(browser->takeMessages(), IsEmpty());
    ToolTest::TearDown();
  }

  /// Writes a page with `avocet report` and opens it.
  void openReport(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"report", "-o", "page.html"});
    const ToolResult result = run(arguments);
    ASSERT_EQ(result.exitCode, 0) << result.errors;
    const Status opened = browser->open(path("page.html"), kReady);
    ASSERT_TRUE(opened.isOk()) << opened.toString();
    const double loadedMs = number("avocet.page.loadedMs");
    std::cout << std::filesystem::file_size(path("page.html")) << " bytes, loaded in " << loadedMs << " ms\n";
    EXPECT_GE(loadedMs, 0);
    value(kHelpers);
  }

  BrowserJson value(const std::string &expression) {
    Result<BrowserJson> result = browser->evaluate(expression);
    EXPECT_TRUE(result.isOk()) << expression << ": " << result.status().toString();
    return result ? *result : BrowserJson();
  }
  bool isTrue(const std::string &expression) { return value(expression) == true; }
  double number(const std::string &expression) {
    const BrowserJson result = value(expression);
    return result.is_number() ? result.get<double>() : -1;
  }

  /// Prints how long an action takes.
  void react(const std::string &name, const std::string &action) {
    const double milliseconds = number("timed(() => { " + action + " })");
    std::cout << name << ": " << milliseconds << " ms\n";
    EXPECT_GE(milliseconds, 0) << name;
  }

  void showTab(const std::string &name) { value("document.querySelector('[data-tab=" + name + "]').click()"); }

  static inline std::unique_ptr<Browser> browser;
  static inline std::optional<ScratchDirectory> profile;
};

TEST_F(ReportPageTest, SelectedLayerIsMarkedInEveryPane) {
  openReport({kDigits});
  react("click", "document.querySelector('#layers .row[data-layer=\"3\"]').click()");
  EXPECT_EQ(number("avocet.page.selections[0].layer"), 3);
  EXPECT_TRUE(isTrue("document.querySelector('#layers .row.selected').dataset.layer === '3'"));
  EXPECT_TRUE(isTrue("document.getElementById('details').textContent.includes('Layer 3')"));
  EXPECT_TRUE(isTrue("document.getElementById('details').textContent.includes('4 ADD digits_int8.tflite:add1')"));
  showTab("Roofline");
  EXPECT_TRUE(isTrue("settled(() => document.querySelector('#roofline .selected')?.dataset.layer === '3')"));
  showTab("Traffic");
  EXPECT_TRUE(isTrue("settled(() => document.querySelector('#traffic .selected')?.dataset.layer === '3')"));
  showTab("Predicted");
  for (const char *chart : {"layers", "prediction", "bound"}) {
    value(std::string("document.querySelector('#prediction [data-chart=") + chart + "]').click()");
    EXPECT_TRUE(isTrue("settled(() => document.querySelector('#prediction .selected')?.dataset.layer === '3')"))
        << chart;
  }
  showTab("Graph");
  for (const char *level : {"network", "placed", "scheduled"}) {
    value(std::string("document.querySelector('#graph [data-level=") + level + "]').click()");
    EXPECT_TRUE(isTrue("settled(() => document.querySelector('#graph .node.selected')?.dataset.layer === '3')"))
        << level;
  }
  showTab("IR");
  for (int phase = 0; phase < 6; ++phase) {
    const std::string button = "document.querySelectorAll('#ir .chart-tools button')[" + std::to_string(phase) + "]";
    value(button + ".click()");
    EXPECT_TRUE(isTrue("settled(() => " + button +
                       ".ariaPressed === 'true' && document.querySelector('#ir .ir-line.selected'))"))
        << phase;
  }
  value("document.querySelectorAll('#ir .chart-tools button')[0].click()");
  EXPECT_TRUE(isTrue("settled(() => document.querySelector('#ir .ir-line.current')?.textContent.includes('conv_2d'))"));
}

TEST_F(ReportPageTest, LastPhaseChosenIsShown) {
  openReport({kDigits});
  showTab("IR");
  // A phase whose text is there only after that of the next choice.
  value("(() => { const phase = avocet.page.runs[0].phases[5], text = phase.lines();"
        " phase.lines = () => new Promise((resolve) => { window.deliver = () => resolve(text); }); })()");
  const std::string buttons = "document.querySelectorAll('#ir .chart-tools button')";
  value(buttons + "[5].click()");
  value(buttons + "[0].click()");
  value("deliver()");
  EXPECT_TRUE(isTrue("settled(() => " + buttons + "[0].ariaPressed === 'true')"));
  EXPECT_TRUE(isTrue(buttons + "[5].ariaPressed !== 'true'"));
}

TEST_F(ReportPageTest, ClickOnCommandSelectsItsLine) {
  openReport({kDigits});
  showTab("IR");
  value("settled(() => document.querySelector('#ir .ir-line'))");
  value("document.querySelectorAll('#ir .chart-tools button')[5].click()");
  // The middle of the longest command of the first track.
  value(R"(window.target = (() => {
    const run = avocet.page.runs[0], track = run.tracks[0], layout = avocet.trackLayout(run);
    let place = -1;
    for (let i = 0; i < track.count; ++i)
      if (!run.isWait(track, i) && (place < 0 || track.end[i] - track.start[i] > track.end[place] - track.start[place])) place = i;
    const canvas = document.querySelector('#time-line canvas'), box = canvas.getBoundingClientRect();
    const x = view().viewport.scale(canvas.clientWidth)((track.start[place] + track.end[place]) / 2);
    return {place, command: track.command[place], x: box.left + x, y: box.top + layout.tops[0] + (track.lane[place] + 0.5) * layout.lanePitch};
  })())");
  const double x = number("target.x"), y = number("target.y");
  for (const char *type : {"mouseMoved", "mousePressed", "mouseReleased"})
    ASSERT_TRUE(browser->mouse(type, x, y).isOk());
  EXPECT_TRUE(isTrue("settled(() => avocet.page.selections[0].command?.place === target.place)"));
  EXPECT_TRUE(isTrue("settled(() => Number(document.querySelector('#ir .ir-line.selected')?.dataset.line) === "
                     "avocet.page.runs[0].phases[5].lineOf(avocet.page.runs[0].tracks[0], target.place))"));
  EXPECT_TRUE(isTrue("document.getElementById('tooltip').textContent.includes('command ' + target.command)"));
}

TEST_F(ReportPageTest, WheelZoomsAroundPointer) {
  openReport({kDigits});
  value("window.box = document.querySelector('#time-line canvas').getBoundingClientRect()");
  const double x = number("box.left + box.width * 0.4"), y = number("box.top + 40");
  const std::string cycle = "view().viewport.scale(box.width).invert(box.width * 0.4)";
  const double before = number(cycle);
  ASSERT_TRUE(browser->mouse("mouseWheel", x, y, -400).isOk());
  EXPECT_TRUE(isTrue("settled(() => view().viewport.end - view().viewport.begin < view().viewport.full * 0.6)"));
  EXPECT_NEAR(number(cycle), before, number("view().viewport.full * 0.001"));
  react("zoom", "view().viewport.zoom(view().viewport.full / 2, 0.5)");
  value("view().viewport.reset()");
  EXPECT_TRUE(isTrue("view().viewport.begin === 0 && view().viewport.end === view().viewport.full"));
}

TEST_F(ReportPageTest, MemoryMapIsColoredByTensor) {
  // A memory in which the network's tensors are several pixels high.
  std::string target = run({"targets", "--print", "e256s"}).output;
  const std::string bytes = "bytes = 393_216";
  ASSERT_NE(target.find(bytes), std::string::npos);
  write("small.toml", target.replace(target.find(bytes), bytes.size(), "bytes = 65_536"));
  openReport({kDigits, "--without-ir", "-t", path("small.toml")});
  // The colors in the middle of the largest buffers, by layer: one for each, another for each other.
  value(R"(window.colors = (() => {
    const run = avocet.page.runs[0], canvas = document.querySelector('#memory canvas'), ratio = canvas.width / canvas.clientWidth;
    const scale = view().viewport.scale(canvas.clientWidth), top = 18, height = canvas.clientHeight - top - 2;
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data, found = new Map();
    const middle = (buffer) => [(buffer.start_cycle + buffer.end_cycle) / 2, buffer.address + buffer.bytes / 2];
    const covers = (buffer, [cycle, address]) => buffer.start_cycle <= cycle && cycle <= buffer.end_cycle &&
        buffer.address <= address && address < buffer.address + buffer.bytes;
    const kLeastPixels = 3;
    const isHigh = (buffer) => buffer.bytes * height >= kLeastPixels * run.target.sram_bytes;
    const seen = run.buffersBySize.filter((buffer, i) => isHigh(buffer) && !run.buffersBySize.slice(i + 1).some((later) => covers(later, middle(buffer))));
    for (const buffer of seen.sort((a, b) => b.bytes * (b.end_cycle - b.start_cycle) - a.bytes * (a.end_cycle - a.start_cycle)).slice(0, 4)) {
      const x = scale((buffer.start_cycle + buffer.end_cycle) / 2), y = top + height * (1 - (buffer.address + buffer.bytes / 2) / run.target.sram_bytes);
      const first = 4 * (Math.round(y * ratio) * canvas.width + Math.round(x * ratio));
      found.set(buffer.layer, pixels.slice(first, first + 4).join());
    }
    return found;
  })())");
  EXPECT_GT(number("colors.size"), 1);
  EXPECT_EQ(number("new Set(colors.values()).size"), number("colors.size")) << value("JSON.stringify([...colors])");
}

TEST_F(ReportPageTest, OnlyWaitsOnCriticalPathAreMarked) {
  openReport({kDigits, "--without-ir"});
  value(R"(window.lengths = (() => {
    const run = avocet.page.runs[0], of = {waited: 0, critical: 0, outside: 0};
    run.tracks.forEach((track, number) => {
      const waits = [];
      for (let i = 0; i < track.count; ++i)
        if (run.isWait(track, i)) waits.push([track.start[i], track.end[i]]);
      for (const [begin, end] of waits) of.waited += end - begin;
      for (const [begin, end] of run.criticalPath.waits[number]) {
        of.critical += end - begin;
        if (!waits.some(([from, to]) => from <= begin && end <= to)) ++of.outside;
      }
    });
    return of;
  })())");
  EXPECT_GT(number("lengths.critical"), 0);
  EXPECT_LT(number("lengths.critical"), number("lengths.waited") / 2); // the DSP waits for nearly all of the run
  EXPECT_EQ(number("lengths.outside"), 0);
}

TEST_F(ReportPageTest, TableSortsAndSearches) {
  openReport({kDigits});
  react("sort", "document.querySelector('#layers [data-column=cycles]').click()");
  EXPECT_TRUE(isTrue("rows().every((layer, i, all) => i === 0 || avocet.page.runs[0].layers[all[i - 1]].cycles >= "
                     "avocet.page.runs[0].layers[layer].cycles)"));
  react("search", "type('search', 'depthwise')");
  EXPECT_TRUE(isTrue("rows().length > 0 && rows().every((layer) => "
                     "avocet.page.runs[0].layers[layer].name.includes('depthwise') || "
                     "avocet.page.runs[0].layers[layer].operation.toLowerCase().includes('depthwise'))"));
  value("type('search', 'no such layer')");
  EXPECT_EQ(number("rows().length"), 0);
}

TEST_F(ReportPageTest, PredictionsHaveColumnsAndTotal) {
  openReport({kDigits, "--without-ir"});
  const std::string total = "document.querySelector('#layers [data-total=predicted]').textContent";
  EXPECT_TRUE(isTrue(total + " === avocet.commas(avocet.page.runs[0].figures.predicted_cycles)"));
  value("document.querySelector('#layers [data-column=error]').click()");
  EXPECT_TRUE(isTrue("rows().map((layer) => avocet.page.runs[0].layers[layer]).every((layer, i, all) => i === 0 || "
                     "layer.cycles / layer.predicted_cycles <= all[i - 1].cycles / all[i - 1].predicted_cycles)"));
  value("type('search', 'add1')");
  EXPECT_TRUE(isTrue(total + " === avocet.commas(avocet.page.runs[0].layers[rows()[0]].predicted_cycles)"))
      << "of the layers shown";
}

TEST_F(ReportPageTest, TableSaysWhyPredictionsAreMissing) {
  ASSERT_EQ(run({"compile", kDigits, "-o", "out"}).exitCode, 0);
  openReport({"out"});
  EXPECT_TRUE(isTrue("document.querySelector('#layers [data-total=predicted]').textContent === '\\u2013'"));
  EXPECT_TRUE(isTrue("document.querySelector('#layers .pane-head .hint').textContent.includes('artefacts')"));
  EXPECT_TRUE(isTrue("document.getElementById('details').textContent.includes('No decisions are known')"));
}

TEST_F(ReportPageTest, SramPortShowsTheBytesCounted) {
  openReport({kDigits, "--without-ir", "-t", "m512"});
  value(R"(window.port = (() => {
    const run = avocet.page.runs[0], number = run.ports.findIndex((port) => port.id === 'sram'), port = run.ports[number];
    const canvas = document.querySelector('#time-line canvas'), box = canvas.getBoundingClientRect();
    const columns = Math.floor(canvas.clientWidth - avocet.kLabelWidth - 8), {all, own} = avocet.portUse(run, port, 0, run.cycles, columns, 3);
    const busiest = all.indexOf(Math.max(...all));
    return {bytes: all.reduce((sum, share) => sum + share * port.rate * run.cycles / columns, 0), counted: run.figures.sram_bytes, most: Math.max(...all),
            own: own.some((share) => share > 0) && own.every((share, i) => share <= all[i] + 1e-9),
            x: box.left + avocet.kLabelWidth + busiest + 0.5, y: box.top + avocet.trackLayout(run).ports[number] + avocet.kPortHeight - 3};
  })())");
  EXPECT_NEAR(number("port.bytes / port.counted"), 1, 0.001);
  EXPECT_LE(number("port.most"), 1.000001);
  EXPECT_TRUE(isTrue("port.own"));
  ASSERT_TRUE(browser->mouse("mouseMoved", number("port.x"), number("port.y")).isOk());
  EXPECT_TRUE(isTrue("settled(() => document.getElementById('tooltip')?.textContent.startsWith('SRAM port: '))"));
  EXPECT_TRUE(isTrue("document.querySelector('#time-line .time-legend').textContent.includes("
                     "'SRAM port: busy share, 100 % is 16.0 bytes per cycle')"));
  value(R"(window.pixel = (() => {
    const canvas = document.querySelector('#time-line canvas'), box = canvas.getBoundingClientRect(), ratio = canvas.width / canvas.clientWidth;
    return [...canvas.getContext('2d').getImageData((port.x - box.left) * ratio, (port.y - box.top) * ratio, 1, 1).data].slice(0, 3).join();
  })())");
  value(R"(window.color = (() => {
    const probe = document.createElement('i');
    probe.style.color = avocet.cssColor('port-sram');
    document.body.append(probe);
    return getComputedStyle(probe).color.replace(/[^0-9,]/g, '');
  })())");
  EXPECT_EQ(value("pixel"), value("color"));
}

TEST_F(ReportPageTest, DetailsShowDecisionsAboutSelectedLayer) {
  openReport({kDigits, "--without-ir"});
  EXPECT_TRUE(isTrue("document.querySelector('#details [data-decision=plan]') !== null")) << "of the network";
  react("click", "document.querySelector('#layers .row[data-layer=\"3\"]').click()");
  value(R"(window.about = avocet.page.runs[0].json.decisions.filter((decision) => decision.layers.includes(3)))");
  EXPECT_GT(number("about.length"), 2);
  EXPECT_EQ(number("document.querySelectorAll('#details [data-decision]').length"), number("about.length"));
  EXPECT_EQ(number("document.querySelectorAll('#details [data-outcome]').length"),
            number("about.flatMap((decision) => decision.choices).filter(({outcome}) => outcome !== 'taken').length"));
  EXPECT_TRUE(isTrue("about.flatMap((decision) => decision.choices).every(({choice}) => "
                     "document.getElementById('details').textContent.includes(choice))"));
}

TEST_F(ReportPageTest, ThemeFollowsSystemAndSwitch) {
  openReport({kDigits});
  const std::string background = "getComputedStyle(document.body).backgroundColor";
  ASSERT_TRUE(browser->preferTheme("light").isOk());
  const BrowserJson light = value(background);
  ASSERT_TRUE(browser->preferTheme("dark").isOk());
  const BrowserJson dark = value(background);
  EXPECT_NE(light, dark);
  react("theme", "document.getElementById('theme').click()");
  EXPECT_EQ(value(background), light);
  EXPECT_EQ(value("document.getElementById('theme').textContent"), "Dark");
}

TEST_F(ReportPageTest, ComparisonLinksLayersOfBothRuns) {
  openReport({"--compare", kDigits, "-t", "e256", "-t", "m512"});
  react("click", "document.querySelector('#changes .row[data-place=\"1\"]').click()");
  EXPECT_TRUE(isTrue(
      "avocet.page.selections[0].layer >= 0 && avocet.page.runs[0].layers[avocet.page.selections[0].layer].name === "
      "avocet.page.runs[1].layers[avocet.page.selections[1].layer].name"));
  EXPECT_TRUE(isTrue(
      "[...document.querySelectorAll('#changes .row[data-place]')].length === avocet.page.runs[0].layers.length"));
  EXPECT_TRUE(isTrue("[...document.querySelectorAll('#compare-decisions > div')].every((side) => "
                     "side.querySelector('[data-decision=cascade]'))"));
  value("avocet.page.selections[1].selectLayer(2, null)"); // as a click in the time line of B
  EXPECT_TRUE(isTrue(
      "avocet.page.runs[0].layers[avocet.page.selections[0].layer].name === avocet.page.runs[1].layers[2].name"));
  react("view of A", "avocet.page.show('A')");
  EXPECT_TRUE(isTrue("document.querySelector('#layers .row.selected') !== null"));
  react("view of B", "avocet.page.show('B')");
  react("comparison", "avocet.page.show('Compare')");
  react("sort", "document.querySelector('#changes [data-column=percent]').click()");
  react("search", "type('compare-search', 'pool')");
  EXPECT_TRUE(
      isTrue("document.querySelectorAll('#changes .row[data-place]').length < avocet.page.runs[0].layers.length"));
}

TEST_F(ReportPageTest, TablesAreShownOnRequest) {
  openReport({kDigits, "--without-ir"});
  EXPECT_TRUE(isTrue("document.getElementById('tables').hidden && !document.getElementById('app').hidden"));
  value("document.getElementById('show-tables').click()");
  EXPECT_TRUE(isTrue("document.getElementById('tables').offsetHeight > 300 && document.getElementById('app').hidden"));
}

TEST_F(ReportPageTest, LargeNumbersAreNotCut) {
  constexpr uint64_t kCycles = 448'982'847, kPredicted = 448'520'927;
  nlohmann::json document = syntheticReport(2, 100);
  document["figures"]["cycles"] = document["figures"]["layers"][0]["cycles"] = kCycles;
  document["figures"]["predicted_cycles"] = document["layers"][0]["predicted_cycles"] = kPredicted;
  write("large.json", document.dump());
  openReport({"large.json"});
  EXPECT_TRUE(isTrue("document.querySelector('#layers [data-total=cycles]').textContent.startsWith('448,98')"));
  EXPECT_EQ(value("[...document.querySelectorAll('.card b, #layers .total .number')]"
                  ".filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent).join(' ')"),
            "");
}

TEST_F(ReportPageTest, ThousandLayersStayUsable) {
  if (kHasSanitizer)
    GTEST_SKIP() << "100,000 commands take the sanitizer's build too long; plain builds open them";
  write("large.json", syntheticReport(1000, 100'000).dump());
  openReport({"large.json"});
  EXPECT_LT(number("document.querySelectorAll('#layers .row[data-layer]').length"), 100); // those in view
  react("click", "document.querySelector('#layers .row[data-layer=\"5\"]').click()");
  react("select the last layer", "avocet.page.selections[0].selectLayer(999, null)");
  EXPECT_TRUE(isTrue("document.querySelector('#layers .row.selected').dataset.layer === '999'"));
  react("zoom in", "view().viewport.zoom(view().viewport.full / 2, 0.01)");
  react("move", "view().viewport.pan(1000)");
  react("zoom out", "view().viewport.reset()");
  react("search", "type('search', 'layer 77')");
  react("sort", "document.querySelector('#layers [data-column=dram]').click()");
  react("end of search", "type('search', '')");
  react("clear", "avocet.page.selections[0].clear(null)");
}

} // namespace
} // namespace avocet::tool::test
