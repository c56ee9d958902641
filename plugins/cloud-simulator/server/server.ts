import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuditEntry } from '../dispatch/audit.ts';
import { runningClock, type SimulatorClock } from '../clock.ts';
import { control } from './control.ts';
import { dispatch, refuse } from '../dispatch/dispatch.ts';
import type { KnobChange, Knobs } from '../knobs/knobs.ts';
import { type Ledger, readLedger } from '../dispatch/ledger.ts';
import { checkListenHost, isLoopbackHost, isLoopbackOrigin, refusedHost, refusedOrigin } from './loopback.ts';
import { send } from './send.ts';
import { createSimulation } from '../simulation.ts';
import type { World } from '../state/world.ts';
import { accountOf } from '../wire/caller.ts';
import { AwsError } from '../wire/errors.ts';
import { readForm } from '../wire/form.ts';
import { readJsonCall } from '../wire/json-call.ts';

export interface SimulatorOptions {
  /** Same seed, same ids and choices. Default 1. */
  readonly seed?: number;
  readonly knobs?: KnobChange;
  /** Default: a clock that runs with the computer's; `standingClock()` for tests that step the time. */
  readonly clock?: SimulatorClock;
  /** The data directory that it serves, shown by `GET /_sim/health`. */
  readonly directory?: string;
}

/** A simulated cloud in this process. */
export interface Simulator {
  /** `http://ADDRESS:PORT` once it listens; the `endpoint` of an SDK client. */
  readonly url: string;
  /**
   * Listens on `port` (default a free one) of `host` (default 127.0.0.1), which must be a loopback address. Returns
   * the url.
   */
  listen(port?: number, host?: string): Promise<string>;
  /** Stops at once: open connections are closed, hanging calls dropped. */
  close(): Promise<void>;
  readonly knobs: Knobs;
  /** Merges a change into the knobs; throws a TypeError that names every mistake in it. */
  setKnobs(change: KnobChange): Knobs;
  /** `account` is an account number or an access key; without it all accounts together. */
  ledger(account?: string): Ledger;
  /** Calls after number `since` (default 0: all that are kept). */
  audit(since?: number): readonly AuditEntry[];
  reset(options?: { readonly knobs?: boolean }): void;
  /** Moves the clock. */
  advance(ms: number): void;
  readonly clock: SimulatorClock;
  /** The accounts and regions. Read only. */
  readonly state: World;
  /** Changes with every start. */
  readonly stateId: string;
  /** Milliseconds since the last call of any kind; open connections without a call do not count. */
  idleMs(): number;
}

const maxBodyBytes = 8 * 1024 * 1024;

/** Makes a simulated cloud; it answers once `listen` has been called. */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const clock = options.clock ?? runningClock();
  const simulation = createSimulation({
    clock,
    seed: options.seed ?? 1,
    ...(options.knobs === undefined ? {} : { knobs: options.knobs }),
  });
  const identity = {
    pid: process.pid,
    state_id: randomUUID(),
    ...(options.directory === undefined ? {} : { directory: options.directory }),
  };
  let lastCall = performance.now();
  let url = '';

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    lastCall = performance.now();
    const body = await readBody(req);
    if (body === undefined) return json(res, 413, { error: `The body is larger than ${maxBodyBytes} bytes.` });
    const target = URL.parse(req.url ?? '/', 'http://127.0.0.1');
    if (target === null) return json(res, 400, { error: `Not a URL: ${req.url}` });
    const ours = isLoopbackHost(req.headers.host);
    if (/^\/_sim(\/|$)/.test(target.pathname)) {
      if (!ours) return json(res, 403, { error: refusedHost(req.headers.host) });
      if (!isLoopbackOrigin(req.headers.origin)) return json(res, 403, { error: refusedOrigin(req.headers.origin) });
      const reply = control(simulation, identity, req.method ?? 'GET', target, body);
      return json(res, reply.status, reply.body);
    }
    const form =
      readJsonCall(req.headers['x-amz-target'], body) ?? readForm(body === '' ? target.search.slice(1) : body);
    await send(
      res,
      ours
        ? dispatch(simulation, form, req.headers)
        : refuse(form, new AwsError('AccessDenied', refusedHost(req.headers.host), 403)),
    );
  }

  const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
    // Only reading from a disconnected caller can fail here.
    handle(req, res).catch(() => res.destroy());
  });

  return {
    get url() {
      return url;
    },
    async listen(port = 0, host = '127.0.0.1') {
      checkListenHost(host);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
      url = `http://${host === '::1' ? '[::1]' : host}:${(server.address() as AddressInfo).port}`;
      return url;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    get knobs() {
      return simulation.knobs.current;
    },
    setKnobs: (change) => simulation.knobs.turn(change),
    ledger: (account) =>
      readLedger(
        simulation.world,
        clock.now(),
        account === undefined || /^\d{12}$/.test(account) ? account : accountOf(account),
      ),
    audit: (since = 0) => simulation.audit.since(since).entries,
    reset: (what) => simulation.reset(what),
    advance: (ms) => clock.advance(ms),
    clock,
    state: simulation.world,
    stateId: identity.state_id,
    idleMs: () => performance.now() - lastCall,
  };
}

/** The body as text; undefined when it is too large. */
async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The body is read to its end, because a connection that is closed earlier loses the refusal.
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  if (size > maxBodyBytes) return undefined;
  return chunks.length === 1 ? (chunks[0] as Buffer).toString() : Buffer.concat(chunks).toString();
}

function json(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  res.end(text);
}
