// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known about the selected layer or command: figures, causes of waits, buffers, commands before and after.
'use strict';

(() => {
  const kMostRows = 8;

  const table = (rows) => avocet.element('dl', {}, ...rows.flatMap(([name, value]) => [
    avocet.element('dt', {text: name}), avocet.element('dd', {text: value, class: name === 'full name' ? 'full' : undefined})]));
  const heading = (text) => avocet.element('h3', {text});

  const predictedText = (layer) => (layer.predicted_cycles === undefined ? 'not known'
      : `${avocet.commas(layer.predicted_cycles)} cycles` + (layer.predicted_cycles > 0 ? `, simulated ${avocet.signedPercent(avocet.predictionError(layer))}` : ''));

  const kHiddenTitles = {dsp: 'on the DSP while the array worked', results: 'last results left the array', transfers: 'transfers'};

  /** Work in cycles of other layers; data of earlier versions does not say. */
  const hiddenText = (layer) => Object.entries(layer.hidden_cycles ?? {}).filter(([, cycles]) => cycles > 0)
      .map(([what, cycles]) => `${kHiddenTitles[what] ?? what} ${avocet.commas(cycles)}`).join(', ');

  const layerRows = (run, layer) => [
    ['name', layer.short_name],
    ['operation', `${layer.operation} on ${avocet.titleOf(layer.engine)}`],
    ['cycles', `${avocet.commas(layer.cycles)} (${avocet.percent(avocet.ratio(layer.cycles, run.figures.cycles))})`],
    ['predicted', predictedText(layer)],
    ['bound', `${avocet.commas(layer.roofline_cycles)}: computation ${avocet.commas(layer.compute_cycles)}, constants ${avocet.bytes(layer.least_dram_bytes)}`],
    ...(layer.device_cycles === undefined ? [] : [['on the device', `${avocet.commas(layer.device_cycles)} with all its limits`]]), // data of earlier versions has none
    ['bound by', avocet.titleOf(layer.bound_by)],
    ...(hiddenText(layer) ? [['in cycles of others', hiddenText(layer)]] : []),
    ['MACs', `${avocet.count(layer.macs)} needed, ${avocet.count(layer.executed_macs)} executed`],
    ['off chip', `${avocet.bytes(layer.dram_bytes)}: constants ${avocet.bytes(layer.transfers.constants)}, intermediate ${avocet.bytes(layer.transfers.scratch)}`],
    ['on chip', `${avocet.bytes(layer.sram_bytes)} moved, ${avocet.bytes(layer.sram_peak_bytes)} touched`],
    ['energy', `${(layer.energy_picojoules / 1e6).toFixed(2)} \u00b5J`],
    ['active', `cycles ${avocet.commas(layer.start_cycle)} to ${avocet.commas(layer.end_cycle)}, ${avocet.commas(layer.commands)} commands`],
    ...run.sourceMap.operatorsOf(layer.index).map((text) => ['operator', text]),
    ['full name', layer.name],
  ];

  const stallBars = (layer) => {
    const stalls = Object.entries(layer.stall_cycles).filter(([, cycles]) => cycles > 0).sort((a, b) => b[1] - a[1]);
    if (stalls.length === 0) return [];
    return [heading('Stalls and waits in its cycles'), avocet.element('div', {class: 'bars'}, ...stalls.flatMap(([cause, cycles]) => [
      avocet.element('span', {text: avocet.stallTitles[cause] ?? cause}),
      avocet.element('span', {class: 'bar-line'}, avocet.element('i', {style: `width:${100 * Math.min(1, avocet.ratio(cycles, layer.cycles))}%;background:var(--wait)`})),
      avocet.element('span', {class: 'number', text: avocet.commas(cycles)})]))];
  };

  /** Cycles that commands of a layer waited, by the engine and layer that made them wait. */
  const waitCauses = (run, layer) => {
    const causes = new Map();
    for (let i = 0; i < run.links.count; ++i) {
      const link = run.links.at(i), to = run.tracks[link.toTrack];
      if (link.wait < 0 || to.layer[link.toPlace] !== layer) continue;
      const from = run.tracks[link.fromTrack], cycles = to.end[link.wait] - to.start[link.wait];
      const text = `${from.title}: ${run.operations[from.operation[link.fromPlace]]} of ${run.layerName(from.layer[link.fromPlace])}`;
      const entry = causes.get(text) ?? {text, cycles: 0, link};
      entry.cycles += cycles;
      causes.set(text, entry);
    }
    return [...causes.values()].sort((a, b) => b.cycles - a.cycles);
  };

  const causeList = (run, layer, selection, root) => {
    const causes = waitCauses(run, layer);
    if (causes.length === 0) return [];
    return [heading('Waits and what ended them'), avocet.element('ul', {}, ...causes.slice(0, kMostRows).map((cause) => avocet.element('li', {},
      avocet.element('button', {class: 'link', text: cause.text, on: {click: () => {
        const {fromTrack, fromPlace} = cause.link;
        selection.selectCommand(fromTrack, fromPlace, run.tracks[fromTrack].layer[fromPlace], root);
      }}}), ` ${avocet.commas(cause.cycles)} cycles`)))];
  };

  const bufferList = (run, layer) => {
    const buffers = run.buffers.filter((buffer) => buffer.layer === layer);
    if (buffers.length === 0) return [];
    const total = buffers.reduce((sum, buffer) => sum + buffer.bytes, 0);
    const largest = buffers.slice().sort((a, b) => b.bytes - a.bytes).slice(0, kMostRows);
    return [heading(`${avocet.commas(buffers.length)} buffers on chip, ${avocet.bytes(total)} in sum`), avocet.element('ul', {}, ...largest.map((buffer) => avocet.element('li', {
      text: `${run.tensorOf(buffer) || 'buffer'}: ${avocet.bytes(buffer.bytes)} at 0x${buffer.address.toString(16)}`})))];
  };

  const decisionList = (run, layer) => {
    const parts = avocet.decisionParts(run, layer);
    return parts.length === 0 ? [] : [heading('What the compiler decided'), ...parts];
  };

  const linkList = (run, title, links, endOf, selection, root) => links.length === 0 ? [] : [
    heading(title), avocet.element('ul', {}, ...links.slice(0, kMostRows).map((link) => {
      const [track, place] = endOf(link);
      return avocet.element('li', {}, avocet.element('button', {class: 'link', text: run.describe(track, place), on: {click: () =>
        selection.selectCommand(track, place, run.tracks[track].layer[place], root)}}));
    }))];

  const commandParts = (run, {track, place}, selection, root) => {
    const entry = run.tracks[track], rows = [
      ['command', `${run.operations[entry.operation[place]]}, number ${entry.command[place]} of ${entry.title}`],
      ...(entry.run ? [['section', run.describeRun(entry.run[place])]] : []),
      ['cycles', `${avocet.commas(entry.start[place])} to ${avocet.commas(entry.end[place])}: ${avocet.commas(entry.end[place] - entry.start[place])}`]];
    const tile = run.sourceMap.tileOf(entry, place);
    if (tile) rows.push(['tile', tile.text], ['of tensor', tile.result.split(';')[0]]);
    if (entry.dramBytes?.[place]) rows.push(['off chip', avocet.bytes(entry.dramBytes[place])]);
    if (entry.sramBytes?.[place]) rows.push(['SRAM port', `${avocet.bytes(entry.sramBytes[place])}, part of those counted for its layer`]);
    return [heading('Command'), table(rows),
            ...linkList(run, 'Starts after the end of', run.links.before(track, place), (link) => [link.fromTrack, link.fromPlace], selection, root),
            ...linkList(run, 'Needed by', run.links.after(track, place), (link) => [link.toTrack, link.toPlace], selection, root)];
  };

  const engineRows = (run) => run.figures.engines.map((engine) => {
    const cycles = run.figures.cycles * engine.units, stalls = Object.values(engine.stall_cycles).reduce((sum, value) => sum + value, 0);
    const units = engine.units > 1 ? ` of ${engine.units} channels` : '';
    return [avocet.titleOf(engine.engine) + units, `busy ${avocet.percent(avocet.ratio(engine.busy_cycles, cycles))}, stalled ${avocet.percent(avocet.ratio(stalls, cycles))}`];
  });

  avocet.createDetails = (run, selection) => {
    const root = avocet.element('div', {class: 'chart scrolls', id: 'details'});
    const update = () => {
      const layer = run.layers[selection.layer], parts = [];
      if (selection.command) parts.push(...commandParts(run, selection.command, selection, root));
      if (layer) parts.push(heading('Layer ' + layer.index), table(layerRows(run, layer)), ...stallBars(layer),
                            ...causeList(run, layer.index, selection, root), ...decisionList(run, layer.index), ...bufferList(run, layer.index));
      if (parts.length === 0)
        parts.push(avocet.element('p', {class: 'note', text: 'Select a layer in any pane: its row, commands, buffers, graph nodes and lines of IR are marked everywhere.'}),
                   heading('Engines'), table(engineRows(run)), ...decisionList(run, -1));
      root.replaceChildren(...parts);
    };
    selection.listen(update);
    update();
    return {title: 'Details', root};
  };
})();
