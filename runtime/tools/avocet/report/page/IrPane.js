// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of all phases. The lines of the selected layer are marked, also in a strip beside the text.
'use strict';

(() => {
  const kLineHeight = 17, kLongestLine = 2000;
  const kConstant = /= "?\w+\.constant\b/; // the operation says more than its weights, which come first

  avocet.createIr = (run, selection) => {
    const buttons = run.phases.map((phase, i) => avocet.element('button', {text: phase.name, on: {click: () => show(i)}}));
    const find = avocet.element('input', {type: 'search', placeholder: 'Find in the text', 'aria-label': 'Find in the text'});
    const note = avocet.element('span', {class: 'hint'});
    const step = (title, text, by) => avocet.element('button', {text, title, on: {click: () => go(by)}});
    const strip = avocet.element('div', {class: 'ir-strip'});
    const root = avocet.element('div', {class: 'chart', id: 'ir'},
      avocet.element('div', {class: 'chart-tools'}, ...buttons, find, step('Previous marked line', '\u2191', -1), step('Next marked line', '\u2193', 1), note));
    let wanted = -1, current = -1, lines = [], marked = [], at = -1, commandLine = -1;

    const list = new avocet.VirtualList(kLineHeight, (index) => {
      const layer = phaseLayer(index), text = lines[index];
      const line = avocet.element('div', {class: 'ir-line' + (isMarked(index) ? ' selected' : '') + (index === at ? ' current' : ''), 'data-line': index},
        avocet.element('span', {class: 'ir-number', text: index + 1}),
        avocet.element('code', {text: text.length > kLongestLine ? text.slice(0, kLongestLine) + ' \u2026' : text}));
      if (layer >= 0) line.style.setProperty('--layer', avocet.layerColor(layer));
      return line;
    });
    root.append(avocet.element('div', {class: 'ir-body'}, list.root, strip));
    const painter = avocet.canvas(strip, 'Places of the marked lines', (context, width, height) => {
      context.fillStyle = avocet.cssColor('accent');
      for (const line of marked) context.fillRect(0, height * line / Math.max(1, lines.length), width, Math.max(2, height / Math.max(1, lines.length)));
    });

    const phaseLayer = (line) => run.phases[current]?.layers[line] ?? -1;
    const isMarked = (line) => (find.value ? lines[line].includes(find.value)
                                           : commandLine >= 0 ? line === commandLine
                                                              : selection.layer >= 0 && phaseLayer(line) === selection.layer);

    const collect = () => {
      marked = [];
      const phase = run.phases[current], command = selection.command;
      commandLine = phase && command ? phase.lineOf(run.tracks[command.track], command.place) : -1;
      if (!phase || (selection.layer < 0 && !find.value)) return;
      for (let line = 0; line < lines.length; ++line)
        if (isMarked(line)) marked.push(line);
    };
    const update = (reveals) => {
      collect();
      at = marked.find((line) => !kConstant.test(lines[line])) ?? marked[0] ?? -1;
      const kind = find.value ? 'lines found' : 'lines of the selection';
      note.textContent = marked.length ? `${avocet.commas(marked.length)} ${kind}` : find.value ? 'not found' : run.phases[current]?.isCut ? 'the text is cut' : '';
      if (reveals && at >= 0) list.reveal(at);
      else list.render();
      painter.redraw();
    };
    const go = (by) => {
      if (marked.length === 0) return;
      const place = marked.indexOf(at);
      at = marked[(place + by + marked.length) % marked.length];
      list.reveal(at);
    };
    const show = async (index) => {
      if (!run.phases[index]) return;
      wanted = index;
      const text = await run.phases[index].lines();
      if (wanted !== index) return; // the reader chose another phase while this one was unpacked
      lines = text;
      current = index;
      buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === index)));
      list.root.scrollTop = 0;
      list.setCount(lines.length && lines[lines.length - 1] === '' ? lines.length - 1 : lines.length);
      update(true);
    };

    list.root.addEventListener('click', (event) => {
      const line = Number(event.target.closest('.ir-line')?.dataset.line ?? -1);
      const layer = phaseLayer(line);
      if (layer < 0 || layer >= run.layers.length || String(window.getSelection())) return; // no click, if text was selected
      const place = run.phases[current].commandAt(line);
      const track = place ? run.trackOf(place.engine, place.index) : -1;
      const command = track >= 0 ? run.tracks[track].placeOf(place.command) : -1;
      if (command >= 0) selection.selectCommand(track, command, layer, root);
      else selection.selectLayer(layer, root);
    });
    find.addEventListener('input', () => update(true));
    find.addEventListener('keydown', (event) => event.key === 'Enter' && go(event.shiftKey ? -1 : 1));
    selection.listen((_, source) => root.clientWidth > 0 && update(source !== root));
    document.addEventListener('themechange', () => list.render());
    new ResizeObserver(() => root.clientWidth > 0 && (wanted < 0 ? show(0) : update(true))).observe(root);
    return {title: 'IR', root, show};
  };
})();
