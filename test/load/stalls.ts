import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How long threads stood still at most, in milliseconds. */
export interface Stalls {
  /** The thread of the callers: what it stood still for is in the times of their calls too. */
  readonly callers: number;
  /** By thread of the server. Empty: it did not answer. */
  readonly server: Readonly<Record<string, number>>;
}

/** Measures from now until the stalls are read. The server measures from its last scrape. */
export async function watchStalls(port: number): Promise<() => Promise<Stalls>> {
  const own = monitorEventLoopDelay({ resolution: 5 });
  own.enable();
  await ofServer(port);
  return async () => {
    own.disable();
    return { callers: own.max / 1e6, server: await ofServer(port) };
  };
}

async function ofServer(port: number): Promise<Readonly<Record<string, number>>> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );
  const longest = /^muster_event_loop_delay_seconds\{thread="(\w+)",worker="\d+",quantile="1"\} (\S+)$/gm;
  return Object.fromEntries(
    [...text.matchAll(longest)].map(([, thread, seconds]) => [thread, Number(seconds) * 1_000]),
  );
}
