import type { FaultKind } from '../../contract/fault.ts';
import type { ProviderCall } from '../../contract/provider.ts';

/** Called at the end of a call into a plugin. Without a kind the call succeeded. */
export type Ended = (ms: number, kind?: FaultKind) => void;

/**
 * Counts calls at providers: the calls into plugins, measured by the guard, and the calls of plugins, which they
 * report.
 */
export interface ProviderMeter {
  /** For one verb of the plugin contract (`launch`, `observe`, …) at one instance. */
  verb(instance: string, verb: string): Ended;
  /** For the calls that the plugin itself makes for one instance. */
  calls(instance: string): { record(call: ProviderCall): void };
}

const ignore = () => undefined;

/** Counts nothing. */
export const unmetered: ProviderMeter = { verb: () => ignore, calls: () => ({ record: ignore }) };
