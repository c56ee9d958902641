import { scenarios } from '../../plugins/cloud-simulator/knobs/scenarios.ts';

/** A ready-made state of the cloud, and what of it the judge has to know. */
export interface Setting {
  readonly scenario: string;
  /** Only want of places keeps a request from having all that it asks for. */
  readonly whole: boolean;
  /** Nothing takes longer than in good times. */
  readonly timely: boolean;
  /** Requests end under it, not after it. */
  readonly lasting: boolean;
  /** How long it lasts, in the cloud's time; then everything works again. */
  readonly lasts_ms: number;
}

/** In these a launch may be refused for good for a reason that lies with the cloud. */
const refusing: ReadonlySet<string> = new Set(['partial-fleet', 'expired-credentials', 'chaos']);
/** In these machines come at once. */
const timely: ReadonlySet<string> = new Set(['calm', 'spot-reclaim']);
const longMs = 1_200_000;

export const settings: readonly Setting[] = Object.keys(scenarios).map((scenario) => ({
  scenario,
  whole: !refusing.has(scenario),
  timely: timely.has(scenario),
  lasting: scenario !== 'az-outage' && scenario !== 'chaos',
  lasts_ms: scenario === 'az-outage' || scenario === 'chaos' ? 400_000 : longMs,
}));

export function settingOf(scenario: string): Setting {
  const found = settings.find((each) => each.scenario === scenario);
  if (!found)
    throw new Error(
      `There is no scenario '${scenario}'; there are ${settings.map((each) => each.scenario).join(', ')}.`,
    );
  return found;
}
