import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { FromExport, Signal } from './export-messages.ts';

/** Milliseconds between two reports of lost telemetry. */
const reportMs = 60_000;
const longestReason = 300;

/** Reports the failed exports of a signal: the first one at once, then at most one report each minute. */
export class FailureReports {
  readonly #signal: Signal;
  readonly #send: (message: FromExport) => void;
  readonly #now: () => number;
  #lost = 0;
  #reported_at = -Infinity;
  #failing = false;

  constructor(signal: Signal, send: (message: FromExport) => void, now: () => number = () => performance.now()) {
    this.#signal = signal;
    this.#send = send;
    this.#now = now;
  }

  /** Notes the result of an export of `items` spans or metrics. */
  ended({ code, error }: ExportResult, items: number): void {
    if (code === ExportResultCode.SUCCESS) {
      if (this.#failing) this.#send({ event: 'recovered', signal: this.#signal });
      this.#failing = false;
      return;
    }
    this.lost(items, error);
  }

  lost(items: number, error: unknown): void {
    this.#failing = true;
    this.#lost += items;
    if (this.#now() - this.#reported_at < reportMs) return;
    this.#reported_at = this.#now();
    this.#send({ event: 'failed', signal: this.#signal, lost: this.#lost, reason: reasonOf(error) });
    this.#lost = 0;
  }
}

function reasonOf(error: unknown): string {
  const { code, message = String(error) } = (error ?? {}) as { readonly code?: unknown; readonly message?: string };
  const text = message === '' ? String(code ?? 'no reason is known') : message;
  const numbered = typeof code === 'number' ? `HTTP ${code}: ${text}` : text;
  return numbered.slice(0, longestReason);
}
