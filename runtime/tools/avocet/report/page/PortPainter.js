// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The use of the memory ports over time: bytes of commands, spread evenly over their cycles, as a share of what the port
// can move in that time.
'use strict';

(() => {
  avocet.kPortHeight = 30;
  avocet.kPortGap = 6;

  /** Adds bytes to the columns from `from` to `to`, which are fractions of columns. Most commands of a long run are in one column. */
  const spread = (sums, bytes, from, to) => {
    const first = Math.floor(from), last = Math.floor(to), columns = sums.length;
    if (first === last) {
      if (first >= 0 && first < columns) sums[first] += bytes;
      return;
    }
    const perColumn = bytes / (to - from);
    if (first >= 0) sums[first] += perColumn * (first + 1 - from);
    for (let c = Math.max(0, first + 1), end = Math.min(columns, last); c < end; ++c) sums[c] += perColumn;
    if (last < columns) sums[last] += perColumn * (to - last);
  };

  /** Bytes that commands move in each of `columns` equal parts of the cycles: of all layers, and of one. */
  const bytesByColumn = (run, port, begin, end, columns, layer) => {
    const perColumn = (end - begin) / columns, all = new Float64Array(columns), own = new Float64Array(columns);
    for (const track of run.tracks) {
      const moved = port.bytesOf(track);
      if (!moved) continue;
      const [first, last] = track.visible(begin, end);
      for (let i = first; i < last; ++i) {
        if (moved[i] === 0) continue;
        const from = (track.start[i] - begin) / perColumn, to = (Math.max(track.end[i], track.start[i] + 1) - begin) / perColumn;
        spread(all, moved[i], from, to);
        if (track.layer[i] === layer) spread(own, moved[i], from, to);
      }
    }
    return {all, own};
  };

  /** No port exceeds its rate: what an even spread puts above it moves to the next columns, and at the end back. */
  const limit = (bytes, most) => {
    let waiting = 0;
    const add = (c) => {
      const sum = bytes[c] + waiting;
      bytes[c] = Math.min(sum, most);
      waiting = sum - bytes[c];
    };
    for (let c = 0; c < bytes.length; ++c) add(c);
    for (let c = bytes.length - 1; c >= 0 && waiting > 0; --c) add(c);
  };

  /** Shares from 0 to 1 of the port's rate by column; `own`: the part of one layer. */
  avocet.portUse = (run, port, begin, end, columns, layer) => {
    const most = Math.max(port.rate * (end - begin) / columns, 1e-9);
    const {all, own} = bytesByColumn(run, port, begin, end, columns, layer), sums = all.slice();
    limit(all, most);
    for (let c = 0; c < columns; ++c) {
      own[c] = sums[c] > 0 ? (own[c] / sums[c]) * (all[c] / most) : 0;
      all[c] /= most;
    }
    return {all, own};
  };

  /** One bar for each pixel; with a selected layer its part is strong and the rest faint. */
  const drawBars = (context, shares, top, color) => {
    context.fillStyle = color;
    shares.forEach((share, c) => {
      if (share > 0) context.fillRect(avocet.kLabelWidth + c, top + avocet.kPortHeight * (1 - share), 1, avocet.kPortHeight * share);
    });
  };

  avocet.drawPorts = (context, run, viewport, width, layout, layer) => {
    const columns = Math.max(1, Math.floor(width - avocet.kLabelWidth - 8));
    run.ports.forEach((port, i) => {
      const top = layout.ports[i], {all, own} = avocet.portUse(run, port, viewport.begin, viewport.end, columns, layer);
      context.fillStyle = avocet.cssColor('track');
      context.fillRect(avocet.kLabelWidth, top, columns, avocet.kPortHeight);
      context.globalAlpha = layer >= 0 ? 0.3 : 1;
      drawBars(context, all, top, avocet.cssColor('port-' + port.id));
      context.globalAlpha = 1;
      if (layer >= 0) drawBars(context, own, top, avocet.cssColor('port-' + port.id));
      context.strokeStyle = avocet.cssColor('faint');
      context.strokeRect(avocet.kLabelWidth + 0.5, top + 0.5, columns - 1, avocet.kPortHeight - 1);
    });
  };

  /** Names, and the ends of the scale: 0 and 100 %. */
  avocet.labelPorts = (context, run, layout) => run.ports.forEach((port, i) => {
    const top = layout.ports[i];
    context.fillStyle = avocet.cssColor('text');
    context.fillText(port.title, 8, top + avocet.kPortHeight / 2);
    context.fillStyle = avocet.cssColor('muted');
    context.textAlign = 'right';
    context.font = '9px system-ui, sans-serif';
    context.fillText('100 %', avocet.kLabelWidth - 3, top + 4);
    context.fillText('0', avocet.kLabelWidth - 3, top + avocet.kPortHeight - 4);
    context.font = '11px system-ui, sans-serif';
    context.textAlign = 'left';
  });

  /** Lines of text about a port at a place of the canvas, or null. */
  avocet.describePort = (run, viewport, width, layout, x, y) => {
    const number = layout.ports.findIndex((top) => y >= top && y < top + avocet.kPortHeight);
    const columns = Math.max(1, Math.floor(width - avocet.kLabelWidth - 8)), column = Math.floor(x - avocet.kLabelWidth);
    if (number < 0 || column < 0 || column >= columns) return null;
    const port = run.ports[number], perColumn = (viewport.end - viewport.begin) / columns;
    const {all} = avocet.portUse(run, port, viewport.begin, viewport.end, columns, -1);
    const from = viewport.begin + column * perColumn;
    return [`${port.title}: ${avocet.percent(all[column])} busy, ${(all[column] * port.rate).toFixed(1)} of ${port.rate.toFixed(1)} bytes per cycle`,
            `cycles ${avocet.commas(from)} to ${avocet.commas(from + perColumn)}; ${port.how}`];
  };
})();
