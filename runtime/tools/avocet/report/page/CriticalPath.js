// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chain of commands that decides how long a run takes, and the waits on it.
'use strict';

(() => {
  /** The last command before a place that is no wait, or -1. */
  const previousOf = (run, track, place) => {
    let before = place - 1;
    while (before >= 0 && run.isWait(track, before)) --before;
    return before;
  };

  /** The command that ends last: {track, place}; null: there is none. */
  const lastCommand = (run) => {
    let last = null;
    run.tracks.forEach((track, number) => {
      for (let place = 0; place < track.count; ++place)
        if (!run.isWait(track, place) && (!last || track.end[place] > run.tracks[last.track].end[last.place])) last = {track: number, place};
    });
    return last;
  };

  /**
   * What a command had to wait for longest: a command of another engine (with its link), or the one before it on its own
   * engine. Null at the begin of the run.
   */
  const causeOf = (run, {track, place}) => {
    const before = previousOf(run, run.tracks[track], place);
    let cause = before < 0 ? null : {track, place: before, link: null, end: run.tracks[track].end[before]};
    for (const link of run.links.before(track, place)) {
      const end = run.tracks[link.fromTrack].end[link.fromPlace];
      if (!cause || end > cause.end) cause = {track: link.fromTrack, place: link.fromPlace, link, end};
    }
    return cause;
  };

  /**
   * Walks back from the last command. For each track the intervals in which its engine waited while the path was on
   * another engine, in ascending order; and the keys of the links that the path follows.
   */
  avocet.criticalPath = (run) => {
    const waits = run.tracks.map(() => []), links = new Set();
    let most = run.tracks.reduce((count, track) => count + track.count, 0); // damaged data may have a cycle
    for (let at = lastCommand(run); at && most > 0; --most) {
      const cause = causeOf(run, at);
      if (cause?.link) {
        links.add(avocet.linkKey(cause.link));
        const track = run.tracks[at.track], wait = cause.link.wait, from = run.tracks[cause.track];
        if (wait >= 0) {
          const begin = Math.max(track.start[wait], from.start[cause.place]), end = Math.min(track.end[wait], from.end[cause.place]);
          if (end > begin) waits[at.track].push([begin, end]);
        }
      }
      at = cause;
    }
    for (const list of waits) list.reverse();
    return {waits, hasLink: (link) => links.has(avocet.linkKey(link))};
  };

  avocet.linkKey = (link) => `${link.fromTrack}:${link.fromPlace}:${link.toTrack}:${link.toPlace}`;
})();
