// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler decided, why, and what else it could have done.
'use strict';

(() => {
  const kNone = 'No decisions are known: artefacts and data of earlier versions have none; report the model file.';

  /** The cost of a choice: a change of the network's cycles, cycles of the part that was decided, or bytes. */
  const costText = (run, choice) => {
    if (choice.cycles_change !== undefined) {
      const sign = choice.cycles_change > 0 ? '+' : '';
      return `${sign}${avocet.commas(choice.cycles_change)} (${avocet.signedPercent(avocet.ratio(choice.cycles_change, run.figures.cycles))})`;
    }
    if (choice.cycles !== undefined) return avocet.commas(choice.cycles);
    return choice.stored_bytes !== undefined ? avocet.bytes(choice.stored_bytes) : '';
  };

  const costTitle = (choices) =>
      choices.some((choice) => choice.cycles_change !== undefined) ? 'predicted cycles of the network'
          : choices.some((choice) => choice.cycles !== undefined) ? 'predicted cycles' : choices.some((choice) => choice.stored_bytes !== undefined) ? 'stored' : '';

  /** "more predicted cycles", or the bytes that are needed and those that there are. */
  const whyNot = (choice) => {
    const isTooLarge = choice.outcome === 'failed' && choice.needs_bytes !== undefined;
    return isTooLarge ? `needs ${avocet.bytes(choice.needs_bytes)} on chip, the target has ${avocet.bytes(choice.has_bytes)}` : choice.reason;
  };

  const takenText = (choice) => {
    const bytes = choice.stored_bytes === undefined ? '' : `, ${avocet.bytes(choice.stored_bytes)}`;
    const needs = choice.needs_bytes === undefined ? '' : `, ${avocet.bytes(choice.needs_bytes)} on chip`;
    return choice.choice + bytes + needs;
  };

  const alternatives = (run, choices) => avocet.element('table', {class: 'choices'},
    avocet.element('thead', {}, avocet.element('tr', {}, avocet.element('th', {text: 'instead'}), avocet.element('th', {class: 'number', text: costTitle(choices)}),
                                               avocet.element('th', {text: 'why not'}))),
    avocet.element('tbody', {}, ...choices.map((choice) => avocet.element('tr', {'data-outcome': choice.outcome},
      avocet.element('td', {text: choice.choice || 'fuse'}),
      avocet.element('td', {class: choice.cycles_change < 0 ? 'number better' : 'number', text: costText(run, choice)}),
      avocet.element('td', {text: whyNot(choice)})))));

  const decisionBlock = (run, {name, layers, choices, location}) => {
    const taken = choices.find((choice) => choice.outcome === 'taken'), others = choices.filter((choice) => choice !== taken);
    const scope = layers.length > 1 ? ` (layers ${layers[0]} to ${layers[layers.length - 1]})` : '';
    const line = avocet.element('p', {}, avocet.element('b', {text: `${name}${scope}: `}), taken ? takenText(taken) : 'not fused',
                                avocet.element('span', {class: 'reason', text: taken?.reason ? ` \u2013 ${taken.reason}` : ''}));
    const block = avocet.element('div', {class: 'decision', 'data-decision': name, title: layers.length === 0 ? location : undefined}, line);
    if (others.length > 0) block.append(alternatives(run, others));
    return block;
  };

  /** The decisions about a layer, or about the network if the layer is -1. */
  avocet.decisionParts = (run, layer) => {
    const decisions = layer < 0 ? run.decisions.ofNetwork : run.decisions.of(layer);
    if (decisions.length === 0) return run.decisions.count > 0 ? [] : [avocet.element('p', {class: 'note', text: kNone})];
    return decisions.map((decision) => decisionBlock(run, decision));
  };
})();
