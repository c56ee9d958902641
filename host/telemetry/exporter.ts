import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { TelemetrySettings } from '../../config/telemetry/telemetry-settings.ts';
import type { Log } from '../../core/contract/log.ts';
import type { Family } from '../metrics/family.ts';
import { limitsOfExport } from '../process/thread-limits.ts';
import type { ExportThreadData, FromExport, ToExport } from './export/export-messages.ts';
import type { SpanBatch } from './batch/span-batch.ts';

/** Batches that the thread has not taken over, at most; one of usual spans has 120 kB. */
const mostWaiting = 64;
/** Milliseconds for the last export when the server stops. */
const closeMs = 3_000;
/** Milliseconds between two reports of spans that the thread had no time for. */
const reportMs = 60_000;

export interface ExporterOptions {
  readonly settings: TelemetrySettings;
  readonly resource: Readonly<Record<string, string>>;
  readonly log: Log;
  /** Reads the metrics, summed up over the threads and processes of the server. */
  families(): Promise<readonly Family[]>;
}

/**
 * Exports telemetry from a thread of its own, so that encoding, connections and a collector that hangs take no time
 * of the threads that serve calls. The packages of OpenTelemetry are loaded there only. What cannot be exported is
 * dropped and counted.
 */
export class Exporter {
  readonly #options: ExporterOptions;
  /** Undefined once the thread has ended. */
  #worker: Worker | undefined;
  readonly #exited: Promise<void>;
  #waiting = 0;
  #dropped = 0;
  #reported_at = -Infinity;
  #closed: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
    const { variables, ...settings } = options.settings;
    const data: ExportThreadData = { settings, resource: options.resource };
    const worker = new Worker(new URL(`./export/export-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: data,
      env: { ...variables },
      resourceLimits: limitsOfExport(),
    });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (message: FromExport) => this.#handle(message));
    worker.on('error', (err) =>
      options.log.error({ err }, 'The export of telemetry failed and stops; the server continues without it.'),
    );
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#worker = undefined;
        this.#closed?.();
        resolve();
      });
    });
  }

  /** Takes ended spans. Drops them when the thread is behind. */
  add(batch: SpanBatch): void {
    if (!this.#worker || this.#waiting >= mostWaiting) return this.#drop(batch.spans);
    this.#waiting += 1;
    this.#send({ do: 'spans', batch });
  }

  /** Exports what is left within three seconds, then ends. Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    if (this.#worker) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#closed = resolve;
      const timeout = setTimeout(resolve, closeMs);
      this.#send({ do: 'close' });
      await promise;
      clearTimeout(timeout);
    }
    await this.#worker?.terminate();
    await this.#exited;
  }

  #handle(message: FromExport): void {
    const { log } = this.#options;
    if (message.event === 'taken') this.#waiting -= 1;
    else if (message.event === 'families') void this.#answer(message.id);
    else if (message.event === 'closed') this.#closed?.();
    else if (message.event === 'recovered') log.info({}, `The collector takes ${message.signal} again.`);
    else if (message.event === 'failed') {
      const { signal, lost, reason } = message;
      const what = signal === 'traces' ? `${lost} spans` : `${lost} exports of metrics`;
      log.warn({ signal, lost }, `The collector did not take ${signal}; ${what} are lost: ${reason}`);
    }
  }

  async #answer(id: number): Promise<void> {
    const families = await this.#options.families().catch((err: unknown) => {
      this.#options.log.warn({ err }, 'The metrics could not be read for the collector.');
      return undefined;
    });
    this.#send({ do: 'families', id, ...(families ? { families } : {}) });
  }

  #drop(spans: number): void {
    this.#dropped += spans;
    const now = performance.now();
    if (!this.#worker || now - this.#reported_at < reportMs) return;
    this.#reported_at = now;
    const lost = this.#dropped;
    this.#dropped = 0;
    this.#options.log.warn(
      { lost },
      `More spans end than can be exported: ${lost} are lost. OTEL_TRACES_SAMPLER can sample a part of the traces.`,
    );
  }

  #send(message: ToExport): void {
    this.#worker?.postMessage(message);
  }
}
