/** Writes what it is told into `events.log` of the working directory, and stumbles now and then. */
import { appendFileSync } from 'node:fs';
import { definePlugin } from '../../../core/index.ts';

let batches = 0;

export default definePlugin({
  name: 'sink',
  contract: 1,
  eventSinks: [
    {
      name: 'file',
      async deliver(events) {
        batches += 1;
        if (batches === 2) throw new Error('stumbled');
        appendFileSync('events.log', events.map(({ seq, type }) => `${seq} ${type}\n`).join(''));
      },
    },
  ],
});
