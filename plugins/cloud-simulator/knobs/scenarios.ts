import type { KnobChange } from './knobs.ts';

/** Ready-made states of the cloud, for rehearsing. */
export interface Scenario {
  /** What happens in it. */
  readonly sentence: string;
  readonly knobs: Omit<KnobChange, 'scenario'>;
}

/** By name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  calm: { sentence: 'Everything works: machines run two seconds after their launch.', knobs: {} },
};
