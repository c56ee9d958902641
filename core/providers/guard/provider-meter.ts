import type { FaultKind } from '../../contract/fault.ts';
import type { ProviderCall } from '../../contract/provider.ts';

/** Told how a call into a plugin ended; without a kind it went well. */
export type Ended = (ms: number, kind?: FaultKind) => void;

/** Counts calls at providers: those into plugins, as the guard sees them, and those that plugins make, as they tell them. */
export interface ProviderMeter {
  /** For one verb of the plugin contract (`launch`, `observe` …) at one instance. */
  verb(instance: string, verb: string): Ended;
  /** For the calls that the plugin itself makes for one instance. */
  calls(instance: string): { record(call: ProviderCall): void };
}

const ignore = () => undefined;

/** Counts nothing. */
export const unmetered: ProviderMeter = { verb: () => ignore, calls: () => ({ record: ignore }) };
