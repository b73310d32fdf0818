// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws tracks of commands. Commands that fall into the same pixel become one rectangle, so the number of rectangles
// depends on the width of the canvas and not on the number of commands.
'use strict';

(() => {
  const kLaneHeight = 13, kLaneGap = 1, kTrackGap = 6, kWaitHeight = 4, kAxisHeight = 18;
  const kArrowPixels = 5; // between arrows
  const kMostArrows = 250; // more would hide the commands

  /** Top of each track and of each port, and the height of all. */
  avocet.trackLayout = (run) => {
    let y = kAxisHeight + 2;
    const tops = run.tracks.map((track) => {
      const top = y;
      y += track.lanes * (kLaneHeight + kLaneGap) + kWaitHeight + kTrackGap;
      return top;
    });
    const ports = run.ports.map((_, i) => y + i * (avocet.kPortHeight + avocet.kPortGap));
    const height = y + ports.length * (avocet.kPortHeight + avocet.kPortGap);
    return {tops, ports, height, laneHeight: kLaneHeight, lanePitch: kLaneHeight + kLaneGap};
  };

  /** Collects commands of one lane that share a pixel; draws a rectangle when the next one is apart. */
  class LanePainter {
    constructor(context, top, isDimmed) {
      this.context_ = context;
      this.top_ = top;
      this.isDimmed_ = isDimmed;
      this.left_ = -1;
      this.right_ = -1;
    }

    add(left, right, layer) {
      const isSameColor = layer === this.layer_;
      if (this.right_ >= 0 && left <= this.right_ + 0.7 && (isSameColor || right - this.left_ < 1)) {
        this.right_ = Math.max(this.right_, right);
        return;
      }
      this.flush();
      this.left_ = left;
      this.right_ = right;
      this.layer_ = layer;
    }

    flush() {
      if (this.right_ < 0) return;
      this.context_.globalAlpha = this.isDimmed_(this.layer_) ? 0.18 : 1;
      this.context_.fillStyle = avocet.layerColor(this.layer_);
      this.context_.fillRect(this.left_, this.top_, Math.max(0.7, this.right_ - this.left_), kLaneHeight);
      this.right_ = -1;
    }
  }

  /**
   * Waits are in a strip below the lanes: the engine issued nothing, while earlier commands may have been running. Those on
   * the critical path are marked; the others cost nothing.
   */
  const drawWaits = (context, run, number, scale, top, range, isDimmed) => {
    const track = run.tracks[number], y = top + track.lanes * (kLaneHeight + kLaneGap);
    let drawn = -1;
    context.fillStyle = avocet.cssColor('faint');
    for (let i = range[0]; i < range[1]; ++i) {
      if (!run.isWait(track, i)) continue;
      const left = Math.max(scale(track.start[i]), drawn), right = scale(track.end[i]);
      if (right < left + 0.3 || right < avocet.kLabelWidth) continue;
      context.globalAlpha = isDimmed(track.layer[i]) ? 0.25 : 0.9;
      context.fillRect(left, y, right - left, kWaitHeight);
      drawn = right;
    }
    context.globalAlpha = 1;
    context.fillStyle = avocet.cssColor('wait');
    drawn = -1;
    for (const [begin, end] of run.criticalPath.waits[number]) {
      const left = Math.max(scale(begin), drawn, avocet.kLabelWidth), right = Math.max(scale(end), left);
      if (right < left + 0.3) continue;
      context.fillRect(left, y, right - left, kWaitHeight);
      drawn = right;
    }
  };

  const drawCommands = (context, run, track, scale, top, range, isDimmed) => {
    const lanes = Array.from({length: track.lanes},
                             (_, lane) => new LanePainter(context, top + lane * (kLaneHeight + kLaneGap), isDimmed));
    for (let i = range[0]; i < range[1]; ++i) {
      if (run.isWait(track, i)) continue;
      const right = scale(track.end[i]);
      if (right >= avocet.kLabelWidth) lanes[track.lane[i]].add(Math.max(scale(track.start[i]), avocet.kLabelWidth), right, track.layer[i]);
    }
    for (const lane of lanes) lane.flush();
    context.globalAlpha = 1;
  };

  /** Names in commands that are wide enough. */
  const drawNames = (context, run, track, scale, top, range, isDimmed) => {
    if (range[1] - range[0] > 1500) return;
    context.textBaseline = 'middle';
    for (let i = range[0]; i < range[1]; ++i) {
      const left = Math.max(scale(track.start[i]), avocet.kLabelWidth), width = scale(track.end[i]) - left;
      if (width < 44 || run.isWait(track, i)) continue;
      context.save();
      context.globalAlpha = isDimmed(track.layer[i]) ? 0.4 : 1;
      context.fillStyle = avocet.cssColor(isDimmed(track.layer[i]) ? 'text' : 'on-layer');
      context.beginPath();
      context.rect(left, 0, width - 2, 4000);
      context.clip();
      context.fillText(`${run.operations[track.operation[i]]} ${run.layerName(track.layer[i])}`, left + 4,
                       top + track.lane[i] * (kLaneHeight + kLaneGap) + kLaneHeight / 2 + 0.5);
      context.restore();
    }
  };

  const labelTracks = (context, run, layout) => {
    context.clearRect(0, 0, avocet.kLabelWidth - 1, layout.height);
    context.fillStyle = avocet.cssColor('text');
    context.textBaseline = 'middle';
    run.tracks.forEach((track, i) => context.fillText(track.title.replace('DMA channel', 'DMA'), 8,
                                                      layout.tops[i] + track.lanes * layout.lanePitch / 2));
    avocet.labelPorts(context, run, layout);
  };

  /** An arrow from the end of a command to the start of the one that waited for it. */
  const drawArrow = (context, run, scale, layout, link) => {
    const from = run.tracks[link.fromTrack], to = run.tracks[link.toTrack];
    const middleOf = (track, number, place) => layout.tops[number] + track.lane[place] * layout.lanePitch + layout.laneHeight / 2;
    const x0 = scale(from.end[link.fromPlace]), y0 = middleOf(from, link.fromTrack, link.fromPlace);
    const x1 = scale(to.start[link.toPlace]), y1 = middleOf(to, link.toTrack, link.toPlace);
    const bend = Math.max(12, Math.min(60, Math.abs(x1 - x0) / 2));
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
    context.stroke();
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - 6, y1 - 3.5);
    context.lineTo(x1 - 6, y1 + 3.5);
    context.fill();
  };

  /** Links of the selected command, and those of the critical path if there are few enough in view. */
  const drawArrows = (context, run, scale, viewport, layout, command, isDimmed) => {
    const isLinked = (link) => !isDimmed(run.tracks[link.fromTrack].layer[link.fromPlace]) || !isDimmed(run.tracks[link.toTrack].layer[link.toPlace]);
    const isInView = (link) => run.tracks[link.toTrack].start[link.toPlace] >= viewport.begin &&
                               run.tracks[link.fromTrack].end[link.fromPlace] <= viewport.end;
    const blocking = [], places = new Set();
    /** Arrows that lie on each other say no more than one of them. */
    const isSeparate = (link) => {
      const place = `${link.fromTrack} ${link.toTrack} ${Math.round(scale(run.tracks[link.toTrack].start[link.toPlace]) / kArrowPixels)}`;
      return places.size < places.add(place).size;
    };
    for (let i = 0; i < run.links.count && blocking.length <= kMostArrows; ++i) {
      const link = run.links.at(i);
      if (link.wait >= 0 && isInView(link) && isLinked(link) && run.criticalPath.hasLink(link) && isSeparate(link)) blocking.push(link);
    }
    const draw = (links, color, alpha, width) => {
      context.globalAlpha = alpha;
      context.strokeStyle = context.fillStyle = avocet.cssColor(color);
      context.lineWidth = width;
      for (const link of links) drawArrow(context, run, scale, layout, link);
      context.globalAlpha = 1;
      context.lineWidth = 1;
    };
    if (blocking.length <= kMostArrows) draw(blocking, 'wait', command ? 0.2 : 0.6, 1);
    if (!command) return;
    draw(run.links.before(command.track, command.place), 'wait', 1, 1.8);
    draw(run.links.after(command.track, command.place), 'accent', 1, 1.8);
  };

  const outlineCommand = (context, run, scale, layout, command) => {
    const track = run.tracks[command.track], left = scale(track.start[command.place]);
    context.strokeStyle = avocet.cssColor('text');
    context.lineWidth = 2;
    context.strokeRect(left - 1, layout.tops[command.track] + track.lane[command.place] * layout.lanePitch - 1,
                       Math.max(3, scale(track.end[command.place]) - left) + 2, layout.laneHeight + 2);
    context.lineWidth = 1;
  };

  avocet.paintTimeLine = (context, {run, viewport, layer, command, width, height}) => {
    const layout = avocet.trackLayout(run);
    const scale = avocet.drawTimeAxis(context, viewport, width, height);
    const isDimmed = (other) => layer >= 0 && other !== layer;
    run.tracks.forEach((track, i) => {
      const range = track.visible(viewport.begin, viewport.end);
      drawCommands(context, run, track, scale, layout.tops[i], range, isDimmed);
      drawWaits(context, run, i, scale, layout.tops[i], range, isDimmed);
      drawNames(context, run, track, scale, layout.tops[i], range, isDimmed);
    });
    avocet.drawPorts(context, run, viewport, width, layout, layer);
    drawArrows(context, run, scale, viewport, layout, command, isDimmed);
    if (command) outlineCommand(context, run, scale, layout, command);
    labelTracks(context, run, layout);
  };
})();
