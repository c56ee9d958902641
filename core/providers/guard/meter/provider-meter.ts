import type { FaultKind } from '../../../contract/fault.ts';
import type { ProviderCall } from '../../../contract/provider/call.ts';

/** Called at the end of a call into a plugin. Without a kind the call succeeded. */
export type Ended = (ms: number, kind?: FaultKind) => void;

/**
 * What became of a notice. `stored`: it had an effect. `unchanged`: nothing new, for example a repeat. `unknown`: it
 * concerns no machine of muster. `malformed`: its message could not be read. `refuted`: it was stored, and the provider
 * showed the opposite for a minute.
 */
export type NoticeOutcome = 'stored' | 'unchanged' | 'unknown' | 'malformed' | 'refuted';

/** Counts the calls that a plugin makes to its provider. */
export interface CallCounter {
  record(call: ProviderCall): void;
}

/**
 * Counts calls at providers: the calls into plugins, measured by the guard, and the calls of plugins, which they
 * report.
 */
export interface ProviderMeter {
  /** For one verb of the plugin contract (`launch`, `observe`, …) at one instance. */
  verb(instance: string, verb: string): Ended;
  /** For the calls that the plugin itself makes for one instance. */
  calls(instance: string): CallCounter;
  /** Counts notices of an instance. `kind`: of the notice, or `other`. */
  notices(instance: string, kind: string, outcome: NoticeOutcome, count: number): void;
}

const ignore = () => undefined;

/** Counts nothing. */
export const unmetered: ProviderMeter = { verb: () => ignore, calls: () => ({ record: ignore }), notices: ignore };
