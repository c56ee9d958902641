import { duration } from '../../words/durations.ts';

/** Places times on a line from 0 to 100. */
export interface TimeScale {
  /** The place of a time in percent. Times outside are at the ends. */
  at(time: number): number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  /** Where the line is cut: behind it the time after the end is drawn on a scale of its own. */
  readonly cut?: number;
}

/** The share of the line before the cut, and where the part behind it begins. */
const head = 84;
const tail = 88;
/** A tail that is at most this share of the whole needs no scale of its own. */
const plainTail = 0.35;

const steps_s = [
  0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200,
  86_400, 172_800, 604_800,
];

/**
 * The scale of a request: linear from its beginning until it is settled. What comes later may take a thousand times as
 * long (machines are used) and is drawn behind a cut.
 */
export function timeScale(from: number, settled: number, to: number): TimeScale {
  const until = Math.max(settled, from + 1);
  const end = Math.max(to, until);
  const isCut = end - until > plainTail * (end - from);
  const whole = isCut ? until : end;
  const width = isCut ? head : 100;
  const at = (time: number): number => {
    if (time <= whole || !isCut) return (width * Math.min(Math.max(0, time - from), whole - from)) / (whole - from);
    return tail + ((100 - tail) * Math.min(time - until, end - until)) / (end - until);
  };
  const step = stepFor(whole - from, isCut ? 6 : 7);
  const ticks = Array.from({ length: Math.floor((whole - from) / step) + 1 }, (_, index) => ({
    at: (width * index * step) / (whole - from),
    label: index === 0 ? '0' : round(index * step),
  }));
  return { at, ticks, ...(isCut ? { cut: (head + tail) / 2 } : {}) };
}

const stepFor = (length: number, most: number): number =>
  (steps_s.find((step) => length / (step * 1_000) <= most) ?? 604_800 * Math.ceil(length / (604_800_000 * most))) *
  1_000;

/** A round duration without its empty parts: `30 s`, `2 min`, `1 h`. */
const round = (ms: number): string =>
  duration(ms)
    .replace(/\.0 s$/, ' s')
    .replace(/ 0+ (s|min|h)$/, '');
