// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data of the page: unpacks its blocks and indexes a run (report.schema.json) for the panes.
'use strict';

(() => {
  /** The text of a block that the avocet program packed with zlib and base64. */
  avocet.unpack = async (id) => {
    const binary = atob(document.getElementById(id).textContent);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Response(stream).text();
  };

  const kMostLanes = 4; // commands of one engine overlap, because it issues the next before the last has ended

  /** Lane of each command, so that commands of one lane do not overlap while there are lanes left. Waits have none. */
  const assignLanes = (start, end, isWait) => {
    const lanes = new Uint8Array(start.length), free = [];
    for (let i = 0; i < start.length; ++i) {
      if (isWait(i)) continue;
      let lane = free.findIndex((cycle) => cycle <= start[i]);
      if (lane < 0) lane = free.length < kMostLanes ? free.length : free.indexOf(Math.min(...free));
      free[lane] = end[i];
      lanes[i] = lane;
    }
    return {lanes, count: Math.max(1, free.length)};
  };

  /** A track with typed arrays. Starts ascend; `latestEnd[i]` is the latest end of commands 0 to i. */
  class Track {
    constructor(json, waitOperation) {
      this.title = json.title;
      this.engine = json.engine;
      this.index = json.index;
      this.count = json.start.length;
      this.start = Float64Array.from(json.start);
      this.end = Float64Array.from(json.start, (start, i) => start + json.cycles[i]);
      this.layer = Int32Array.from(json.layer);
      this.operation = Uint8Array.from(json.operation);
      this.command = Uint32Array.from(json.command);
      this.run = json.run ?? null; // of a section; null: the network is one
      this.dramBytes = json.dram_bytes.length ? Float64Array.from(json.dram_bytes) : null;
      this.sramBytes = json.sram_bytes?.length ? Float64Array.from(json.sram_bytes) : null;
      this.latestEnd = new Float64Array(this.count);
      let latest = 0;
      for (let i = 0; i < this.count; ++i) this.latestEnd[i] = latest = Math.max(latest, this.end[i]);
      const {lanes, count} = assignLanes(this.start, this.end, (i) => this.operation[i] === waitOperation);
      this.lane = lanes;
      this.lanes = count;
      this.placeOfCommand_ = new Map(json.command.map((command, place) => [command, place]));
    }

    /** Commands [first, last) that may overlap the cycles. */
    visible(begin, end) {
      return [firstAbove(this.latestEnd, begin), firstAbove(this.start, end)];
    }

    /** The place of command number `command` of the stream, or -1. */
    placeOf(command) {
      return this.placeOfCommand_.get(command) ?? -1;
    }
  }

  /** The first place of an ascending list whose value is above `limit`. */
  const firstAbove = (list, limit) => {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] > limit) high = middle;
      else low = middle + 1;
    }
    return low;
  };

  /** Links of semaphores by the command that waits and by the command that is waited for. */
  class Links {
    constructor(numbers) {
      this.count = numbers.length / 5;
      this.numbers_ = Int32Array.from(numbers);
      this.to_ = new Map();
      this.from_ = new Map();
      for (let i = 0; i < this.count; ++i) {
        const link = this.at(i);
        this.add_(this.to_, link.toTrack, link.toPlace, i);
        this.add_(this.from_, link.fromTrack, link.fromPlace, i);
      }
    }

    at(index) {
      const [fromTrack, fromPlace, toTrack, toPlace, wait] = this.numbers_.subarray(5 * index, 5 * index + 5);
      return {fromTrack, fromPlace, toTrack, toPlace, wait};
    }

    before(track, place) {
      return (this.to_.get(key(track, place)) ?? []).map((index) => this.at(index));
    }

    after(track, place) {
      return (this.from_.get(key(track, place)) ?? []).map((index) => this.at(index));
    }

    add_(map, track, place, index) {
      const list = map.get(key(track, place));
      if (list) list.push(index);
      else map.set(key(track, place), [index]);
    }
  }
  const key = (track, place) => track * 0x4000000 + place;

  /** Expands pairs [value, how many times]. */
  const expandRuns = (runs) => {
    let length = 0;
    for (let i = 1; i < runs.length; i += 2) length += runs[i];
    const values = new Int32Array(length);
    let end = 0;
    for (let i = 0; i < runs.length; i += 2) values.fill(runs[i], end, (end += runs[i + 1]));
    return values;
  };

  /** The text of a phase; unpacked when it is first shown. */
  class Phase {
    constructor(json, block) {
      this.name = json.phase;
      this.isCut = json.is_cut;
      this.streams = json.streams;
      this.layers = expandRuns(json.layers);
      this.block_ = block;
      this.lines_ = null;
    }

    async lines() {
      this.lines_ ??= (await avocet.unpack(this.block_)).split('\n');
      return this.lines_;
    }

    /** The line of a command of the last phase, or -1; also with branches or loops, where an engine has several streams. */
    lineOf(track, place) {
      const streams = this.streams.filter((entry) => entry.engine === track.engine && entry.index === track.index);
      return streams.length === 1 ? streams[0].first_line + track.command[place] : -1;
    }

    /** The command of a line: {engine, index, command}, or null. */
    commandAt(line) {
      let found = null;
      for (const stream of this.streams)
        if (stream.first_line <= line && (!found || stream.first_line > found.first_line)) found = stream;
      return found && {engine: found.engine, index: found.index, command: line - found.first_line};
    }
  }

  /** The operators of the user's file by layer, and the tile of each command that has one. */
  class SourceMap {
    constructor(json, sections) {
      this.sections_ = sections;
      this.operators_ = json.operators;
      this.results_ = json.results;
      this.tiles_ = new Map();
      for (const {engine, index, section = 0, values} of json.tiles)
        for (let i = 0; i < values.length; i += 8)
          this.tiles_.set(`${engine}${index}.${section}:${values[i]}`, values.slice(i + 1, i + 8));
    }

    /** "3 CONV_2D model.tflite:conv1", of joined names the first. */
    operatorsOf(layer) {
      return this.operators_.filter((entry) => entry.layer === layer)
          .map((entry) => `${entry.number ?? ''} ${entry.kind} ${entry.location.split(';')[0]}`.trim());
    }

    /** {result, text} of a command, or null: "rows 8 to 11, columns 0 to 13, channels 0 to 15". */
    tileOf(track, place) {
      const section = track.run ? this.sections_[track.run[place]].section : 0;
      const tile = this.tiles_.get(`${track.engine}${track.index}.${section}:${track.command[place]}`);
      if (!tile) return null;
      const [operation, row, column, channel, height, width, channels] = tile;
      const range = (name, begin, count) => count === 1 ? `${name} ${begin}` : `${name}s ${begin} to ${begin + count - 1}`;
      return {result: this.results_[operation],
              text: [range('row', row, height), range('column', column, width), range('channel', channel, channels)].join(', ')};
    }
  }

  /** The decisions of the compiler by layer; those about no layer are about the network. */
  class Decisions {
    constructor(list) {
      this.count = list.length;
      this.ofNetwork = [];
      this.byLayer_ = new Map();
      for (const decision of list) {
        if (decision.layers.length === 0) this.ofNetwork.push(decision);
        for (const layer of decision.layers) {
          if (!this.byLayer_.has(layer)) this.byLayer_.set(layer, []);
          this.byLayer_.get(layer).push(decision);
        }
      }
    }

    of(layer) {
      return this.byLayer_.get(layer) ?? [];
    }
  }

  /** Ports of memory whose use the time line shows: bytes per cycle at most, and the bytes of a track's commands. Data of earlier versions has none of networks with branches or loops. */
  const portsOf = (run) => !run.json.is_straight && !run.json.sections ? [] : [
    {id: 'dram', title: 'off-chip port', rate: run.target.dram_bytes_per_cycle, bytesOf: (track) => track.dramBytes,
     how: 'bytes of transfers'},
    {id: 'sram', title: 'SRAM port', rate: run.target.sram_port_bytes_per_cycle, bytesOf: (track) => track.sramBytes,
     how: 'counted by layer, divided among its commands'},
  ].filter((port) => port.rate > 0 && run.tracks.some((track) => port.bytesOf(track)));

  /** What the layers' predictions add up to, or why there is no sum. */
  const predictionOf = (run) => {
    const known = run.layers.filter((layer) => layer.predicted_cycles !== undefined);
    const sum = known.reduce((cycles, layer) => cycles + layer.predicted_cycles, 0);
    if (known.length === 0) return {sum: null, note: 'no prediction by layer: artefacts and data of earlier versions have none; report the model file'};
    if (known.length < run.layers.length) return {sum: null, note: `${known.length} of ${run.layers.length} layers have a prediction: no sum`};
    const rest = run.figures.predicted_cycles - sum;
    const notes = [run.json.is_straight ? '' : 'predictions count each branch and each pass of a loop once', rest === 0 ? '' : `${avocet.commas(rest)} predicted cycles belong to no layer`];
    return {sum, note: notes.filter((note) => note).join('; ')};
  };

  /** The words of the time line for the names of engines and causes in the data. */
  const kTitles = {mac: 'MAC array', dsp: 'DSP', dma: 'DMA', array: 'MAC array', dram: 'off-chip port', data: 'off-chip port', sram: 'SRAM port'};
  avocet.titleOf = (name) => kTitles[name] ?? name;

  /** One run with everything that the panes ask for. */
  avocet.Run = class {
    constructor(json, number) {
      this.json = json;
      this.figures = json.figures;
      this.target = json.target;
      this.operations = json.operations;
      this.layers = json.figures.layers.map((figures, index) => ({...figures, ...json.layers[index], index}));
      for (const layer of this.layers) layer.short_name ||= `layer ${layer.index}`; // MLIR without locations names none
      this.waitOperation_ = json.operations.indexOf('wait');
      this.tracks = json.tracks.map((track) => new Track(track, this.waitOperation_));
      this.links = new Links(json.links);
      this.criticalPath = avocet.criticalPath(this);
      this.sourceMap = new SourceMap(json.source_map, json.sections ?? []);
      this.decisions = new Decisions(json.decisions ?? []); // data of earlier versions has none
      this.ports = portsOf(this);
      this.prediction = predictionOf(this);
      this.buffers = json.memory.buffers;
      const areaOf = (buffer) => buffer.bytes * (buffer.end_cycle - buffer.start_cycle);
      this.buffersBySize = this.buffers.slice().sort((a, b) => areaOf(b) - areaOf(a)); // the order in which they are drawn
      this.tensors_ = json.memory.tensors ?? []; // data of earlier versions has none
      this.sections = json.is_straight ? [] : json.sections ?? [];
      this.memoryMatch = json.is_straight || json.sections ? json.memory.match : 'branches';
      this.graphs = json.graphs;
      this.phases = json.ir.map((phase, index) => new Phase(phase, `ir-${number}-${index}`));
      this.cycles = Math.max(1, json.figures.cycles, ...this.tracks.map((track) => track.latestEnd[track.count - 1] ?? 0));
      const level = json.optimize === '' ? '' : `, --optimize ${json.optimize}`;
      this.title = `${json.model} on ${json.target.name}${level}`;
    }

    layerName(layer) {
      return this.layers[layer]?.short_name ?? 'no layer';
    }

    /** The result or the constants that a buffer holds, of joined names the first. */
    tensorOf(buffer) {
      return this.tensors_[buffer.tensor]?.split(';')[0] ?? buffer.name;
    }

    /** "2, run 3 of 5": a run of a section. */
    describeRun(number) {
      const {section} = this.sections[number];
      const isSame = (run) => run.section === section;
      return `${section}, run ${this.sections.slice(0, number + 1).filter(isSame).length} of ${this.sections.filter(isSame).length}`;
    }

    isWait(track, place) {
      return track.operation[place] === this.waitOperation_;
    }

    /** "conv of block_3 (MAC array, command 17)". */
    describe(track, place) {
      const entry = this.tracks[track];
      return `${this.operations[entry.operation[place]]} of ${this.layerName(entry.layer[place])} ` +
             `(${entry.title}, command ${entry.command[place]})`;
    }

    /** First start and last end of a layer's commands. */
    cyclesOf(layer) {
      let begin = Infinity, end = 0;
      for (const track of this.tracks)
        for (let i = 0; i < track.count; ++i)
          if (track.layer[i] === layer) {
            begin = Math.min(begin, track.start[i]);
            end = Math.max(end, track.end[i]);
          }
      return end > begin ? [begin, end] : null;
    }

    trackOf(engine, index) {
      return this.tracks.findIndex((track) => track.engine === engine && track.index === index);
    }
  };

  /** All runs of the page: one, or two to compare. */
  avocet.loadRuns = async () => JSON.parse(await avocet.unpack('data')).map((json, number) => new avocet.Run(json, number));
})();
