import { setTimeout as wait } from 'node:timers/promises';
import { OpenLoop } from '../load/open-loop.ts';
import { StreamReaders } from '../load/stream-readers.ts';
import { spread } from '../measure/numbers.ts';
import type { Broker } from '../processes/broker.ts';
import { call, json } from '../processes/http.ts';
import { cpuSeconds, rssMb } from '../processes/usage.ts';
import { below } from '../report/row.ts';
import type { Line } from './line.ts';
import { fresh } from './provisioning.ts';

const streams = 1_000;
const per_second = 200;
const settleMs = 5_000;
const warmUpSeconds = 5;
const gatheringMs = 1_000;

/**
 * A thousand open streams of all events, compressed as browsers and the clients of muster take them: what they cost
 * while nothing happens, what calls that cause events take, how often an event is rendered, and how much memory a
 * stream takes that nobody reads and that is not compressed.
 */
export const streamsThousand: Line = {
  names: ['streams-thousand'],

  async run({ quick }, _wanted, tell) {
    const seconds = quick ? 5 : 15;
    const restMs = quick ? 5_000 : 30_000;
    const { broker } = await fresh({ env: { MUSTER_SERVER_RATE_LIMIT_ENABLED: 'false' } });
    const url = `${broker.api}/events/`;
    const readers = new StreamReaders();
    const load = new OpenLoop();
    const body = JSON.stringify({ template_id: 'run', machine_count: 1 });
    const post = (s = seconds) => load.run({ url: `${broker.api}/machines/request`, per_second, seconds: s, body });
    try {
      await wait(settleMs);
      const idle = await cpuShare(broker, restMs);
      const opened = await eventsOf(broker);
      await readers.do({ do: 'open', url, readers: streams, unread: 0, gzip: true });
      await wait(settleMs);
      const watched = await cpuShare(broker, restMs);
      // The first seconds of a process compile its code, which takes the processors from the calls.
      const cold = await post(warmUpSeconds);
      await wait(settleMs);
      const before = await eventsOf(broker);
      const { p50_ms, p99_ms, max_ms, failures } = await post();
      await wait(settleMs);
      const after = await eventsOf(broker);
      const got = await readers.do({ do: 'count' });
      const all = after.last - opened.last;
      await readers.do({ do: 'close' });

      await readers.do({ do: 'open', url, readers: streams, unread: 0, gzip: false });
      await wait(settleMs);
      const plain = await post();
      await readers.do({ do: 'close' });

      // Half of the streams, so that the other readers show what is theirs.
      const calm = rssMb(broker.pid) ?? Number.NaN;
      await readers.do({ do: 'open', url, readers: 0, unread: streams / 2, gzip: false });
      await post();
      const unreadKb = (((rssMb(broker.pid) ?? Number.NaN) - calm) * 1024) / (streams / 2);
      const events = after.last - before.last;
      const renderings = (after.rendered - before.rendered) / events;
      const measured = spread([p99_ms]);
      tell({
        name: 'streams-thousand',
        title: `POST ${per_second}/s beside ${streams} streams, p99`,
        unit: 'ms',
        measured,
        runs: 1,
        targets: [
          below(measured.median, 50, 'ms'),
          { text: 'none failed', met: failures + cold.failures + plain.failures === 0 },
          {
            text: 'no reader lost an event or its stream',
            met: got.open === streams && got.events >= all * 0.99 && got.least >= 0.99,
          },
          below(renderings, 1.01, 'renderings of an event'),
          below(unreadKb, 256, 'KB for a stream that nobody reads'),
          below(watched - idle, 0.01, 'processors at rest'),
        ],
        notes: [
          `in the first ${warmUpSeconds} seconds, which are not counted above: p99 ${cold.p99_ms.toFixed(1)} ms`,
          `p50 ${p50_ms.toFixed(1)} ms, most ${Math.round(max_ms)} ms; ${events} events to each of ${streams} readers`,
          `beside readers that take nothing compressed: p99 ${plain.p99_ms.toFixed(1)} ms`,
          `at rest ${(idle * 100).toFixed(2)} % of a processor without streams, ${(watched * 100).toFixed(2)} % with them; an unread stream takes ${Math.round(unreadKb)} KB`,
        ],
      });
    } finally {
      await Promise.all([readers.stop(), load.stop(), broker.stop()]);
    }
  },
};

/** The share of a processor that the broker uses. */
async function cpuShare({ pid }: Broker, ms: number): Promise<number> {
  const before = cpuSeconds(pid) ?? Number.NaN;
  await wait(ms);
  return ((cpuSeconds(pid) ?? Number.NaN) - before) / (ms / 1_000);
}

/** The last event, and how many were rendered for streams, at a moment without new events. */
async function eventsOf(broker: Broker): Promise<{ readonly last: number; readonly rendered: number }> {
  const { api } = broker;
  for (;;) {
    const { next } = await json(`${api}/events/?limit=1`);
    // Events are rendered in parts, a moment after they happened.
    await wait(gatheringMs);
    const metrics = (await call(`${new URL(api).origin}/metrics`)).body.toString();
    const rendered = /^muster_stream_events_rendered_total\{[^}]*\} (\d+)$/m.exec(metrics)?.[1];
    if ((await json(`${api}/events/?limit=1`)).next === next)
      return { last: next, rendered: Number(rendered ?? Number.NaN) };
  }
}
