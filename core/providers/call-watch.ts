import type { HealthWatch } from '../lifecycle/act/health-watch.ts';
import type { ProviderMeter } from './provider-meter.ts';

/** Knows in whose name code of plugins runs: of which provider instance, or of which event sink. */
export interface CallWatch {
  /** Runs a call, and everything that follows from it, in somebody's name until its promise settles. */
  call<T>(name: string, call: () => Promise<T>): Promise<T>;
  /** Runs a function that gives its answer at once. */
  pure<T>(name: string, call: () => T): T;
}

/** Watches nothing. */
export const unwatched: CallWatch = { call: (_, call) => call(), pure: (_, call) => call() };

/** A meter that also has calls watched, and tells of instances whose plugin breaks its contract, or keeps it again. */
export function attentive(meter: ProviderMeter, watch: CallWatch, health: Pick<HealthWatch, 'misbehaved' | 'behaved'>): ProviderMeter {
  return {
    calls: (instance) => meter.calls(instance),
    verb(instance, verb) {
      const counted = meter.verb(instance, verb);
      const run = <T>(call: () => Promise<T>): Promise<T> => watch.call(instance, call);
      return Object.assign<typeof counted, { run: typeof run }>(
        (ms, kind, misbehaved) => {
          counted(ms, kind, misbehaved);
          if (misbehaved) health.misbehaved(instance, verb, misbehaved.message);
          else health.behaved(instance, verb, kind === undefined);
        },
        { run },
      );
    },
  };
}
