// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pane with the buffers of on-chip memory: addresses by cycles, colored by the layer that writes them.
'use strict';

(() => {
  const kTop = 18;
  const kLeastBordered = 4; // pixels; a border would hide smaller boxes
  const kMatches = {
    exact: '',
    by_layer: 'exact at the borders of layers: data of an earlier version',
    branches: 'times are estimated: the network has branches or loops',
    estimated: 'times are estimated from the order of the commands: the artefacts have no source map (avocet compile -g)',
  };

  const drawAddresses = (context, run, width, height) => {
    const bytes = run.target.sram_bytes, y = (address) => kTop + (height - kTop - 2) * (1 - address / bytes);
    context.textBaseline = 'middle';
    for (let i = 0; i <= 4; ++i) {
      const address = bytes * i / 4, line = Math.min(height - 2, Math.round(y(address))) + 0.5;
      context.strokeStyle = avocet.cssColor('grid');
      context.beginPath();
      context.moveTo(avocet.kLabelWidth, line);
      context.lineTo(width - 8, line);
      context.stroke();
      context.fillStyle = avocet.cssColor('muted');
      context.fillText(avocet.bytes(address), 8, Math.min(height - 8, Math.max(kTop + 4, line)));
    }
    return y;
  };

  /** Small buffers are on top of large ones, and all have a border: two may share addresses, as the input and the result of a copy. */
  const paint = (context, {run, viewport, selection, hovered, width, height}) => {
    const scale = avocet.drawTimeAxis(context, viewport, width, height), y = drawAddresses(context, run, width, height);
    context.save();
    context.beginPath();
    context.rect(avocet.kLabelWidth, kTop, width - avocet.kLabelWidth - 8, height - kTop);
    context.clip();
    for (const buffer of run.buffersBySize) {
      if (buffer.end_cycle < viewport.begin || buffer.start_cycle > viewport.end) continue;
      const left = scale(buffer.start_cycle), top = y(buffer.address + buffer.bytes);
      const box = [left, top, Math.max(0.6, scale(buffer.end_cycle) - left), Math.max(0.6, y(buffer.address) - top)];
      const isSelected = buffer.layer === selection.layer;
      context.globalAlpha = selection.layer < 0 ? 0.85 : isSelected ? 1 : 0.15;
      context.fillStyle = avocet.layerColor(buffer.layer);
      context.fillRect(...box);
      const isMarked = buffer === hovered || (isSelected && selection.layer >= 0);
      if (!isMarked && Math.min(box[2], box[3]) < kLeastBordered) continue;
      context.strokeStyle = avocet.cssColor(isMarked ? 'text' : 'pane');
      context.strokeRect(...box);
    }
    context.restore();
    context.globalAlpha = 1;
  };

  avocet.createMemoryPane = (run, viewport, selection) => {
    const pane = avocet.pane('memory', 'On-chip memory',
                             avocet.element('span', {class: 'hint', text: kMatches[run.memoryMatch]}));
    let hovered = null;
    const painter = avocet.canvas(pane.body, 'Buffers of on-chip memory by address and cycle', (context, width, height) =>
        paint(context, {run, viewport, selection, hovered, width, height}));
    const bufferAt = (x, y) => {
      const height = painter.canvas.clientHeight, cycle = viewport.scale(painter.canvas.clientWidth).invert(x);
      const address = (1 - (y - kTop) / (height - kTop - 2)) * run.target.sram_bytes;
      return run.buffersBySize.findLast((buffer) => cycle >= buffer.start_cycle && cycle <= buffer.end_cycle &&
                                          address >= buffer.address && address < buffer.address + buffer.bytes) ?? null;
    };
    avocet.attachViewport(painter.canvas, viewport, {
      onClick: (event, x, y) => {
        const buffer = bufferAt(x, y);
        if (buffer) selection.selectLayer(buffer.layer, pane);
        else selection.clear(pane);
      },
      onHover: (event, x, y) => {
        const buffer = bufferAt(x, y);
        if (buffer !== hovered) painter.redraw();
        hovered = buffer;
        avocet.showTooltip(event, buffer && [
          `${run.tensorOf(buffer)}, ${avocet.bytes(buffer.bytes)} in buffer ${buffer.name}`,
          `address 0x${buffer.address.toString(16)}, steps ${buffer.first_step} to ${buffer.last_step}`,
          `cycles ${avocet.commas(buffer.start_cycle)} to ${avocet.commas(buffer.end_cycle)}`,
          `layer ${run.layerName(buffer.layer)}`,
        ]);
      },
    });
    viewport.listen(painter.redraw);
    selection.listen(painter.redraw);
    return {root: pane.root, paint: painter.paint};
  };
})();
