// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pane with the commands of all engines in time.
'use strict';

(() => {
  const kNearest = 3; // pixels around the pointer in which a command counts as hit

  /** The command at a place of the canvas: {track, place}, or null. */
  const commandAt = (run, viewport, width, x, y) => {
    const layout = avocet.trackLayout(run), scale = viewport.scale(width);
    for (let number = 0; number < run.tracks.length; ++number) {
      const track = run.tracks[number], lane = Math.floor((y - layout.tops[number]) / layout.lanePitch);
      if (y < layout.tops[number] || lane > track.lanes) continue; // after the lanes: the waits
      const [first, last] = track.visible(scale.invert(x - kNearest), scale.invert(x + kNearest));
      let best = null, least = Infinity;
      for (let place = first; place < last; ++place) {
        const distance = Math.max(scale(track.start[place]) - x, x - scale(track.end[place]), 0);
        const isHit = run.isWait(track, place) ? lane === track.lanes : track.lane[place] === lane;
        if (isHit && distance < least) [best, least] = [{track: number, place}, distance];
      }
      return least <= kNearest ? best : null;
    }
    return null;
  };

  const describe = (run, {track, place}) => {
    const entry = run.tracks[track];
    const lines = [run.describe(track, place),
                   `cycles ${avocet.commas(entry.start[place])} to ${avocet.commas(entry.end[place])}: ` +
                       avocet.commas(entry.end[place] - entry.start[place])];
    if (entry.dramBytes?.[place]) lines.push(`${avocet.bytes(entry.dramBytes[place])} off chip`);
    if (entry.sramBytes?.[place]) lines.push(`${avocet.bytes(entry.sramBytes[place])} through the SRAM port`);
    return lines;
  };

  const legend = (run) => {
    const entry = (color, text) => avocet.element('span', {class: 'entry'}, avocet.element('i', {style: `background:${color}`}), text);
    const why = !run.json.is_straight && !run.json.sections ? 'ports: not in data of earlier versions about networks with branches or loops'
        : !run.target.sram_port_bytes_per_cycle ? 'SRAM port: not in data of earlier versions' : '';
    return avocet.element('p', {class: 'legend time-legend'}, entry('linear-gradient(90deg, hsl(210 52% 60%), hsl(347 52% 60%), hsl(125 52% 60%))', 'commands, colored by layer'),
                          entry('var(--faint)', 'the engine waited'),
                          entry('var(--wait)', 'so did the run: the critical path was on the other engine'),
                          ...run.ports.map((port) => entry(`var(--port-${port.id})`, `${port.title}: busy share, 100 % is ${port.rate.toFixed(1)} bytes per cycle (${port.how})`)),
                          avocet.element('span', {text: why}));
  };

  avocet.createTimeLine = (run, viewport, selection, suffix = '') => {
    const button = (text, title, action) => avocet.element('button', {text, title, on: {click: action}});
    const help = avocet.element('span', {class: 'hint', text: 'wheel: zoom, drag: move, shift and drag: zoom to range, double click: all'});
    const pane = avocet.pane('time-line' + suffix, suffix ? `Time line of ${suffix.slice(1).toUpperCase()}` : 'Time line', help,
                             button('+', 'Zoom in', () => viewport.zoom((viewport.begin + viewport.end) / 2, 0.5)),
                             button('\u2212', 'Zoom out', () => viewport.zoom((viewport.begin + viewport.end) / 2, 2)),
                             button('All', 'Show all cycles', () => viewport.reset()),
                             button('Selection', 'Zoom to the selected layer', () => {
                               const cycles = run.cyclesOf(selection.layer);
                               if (cycles) viewport.set(...cycles);
                             }));
    const layout = avocet.trackLayout(run);
    pane.body.style.height = layout.height + 'px';
    pane.root.append(legend(run));
    const painter = avocet.canvas(pane.body, 'Commands of all engines by cycle', (context, width, height) =>
        avocet.paintTimeLine(context, {run, viewport, layer: selection.layer, command: selection.command, width, height}));
    const hit = (x, y) => commandAt(run, viewport, painter.canvas.clientWidth, x, y);
    avocet.attachViewport(painter.canvas, viewport, {
      onClick: (event, x, y) => {
        const command = hit(x, y);
        if (command) selection.selectCommand(command.track, command.place, run.tracks[command.track].layer[command.place], pane);
        else selection.clear(pane);
      },
      onHover: (event, x, y) => {
        const command = hit(x, y);
        painter.canvas.style.cursor = command ? 'pointer' : 'default';
        avocet.showTooltip(event, command ? describe(run, command)
                                          : avocet.describePort(run, viewport, painter.canvas.clientWidth, layout, x, y));
      },
    });
    viewport.listen(painter.redraw);
    selection.listen(painter.redraw);
    return {root: pane.root, paint: painter.paint};
  };
})();
