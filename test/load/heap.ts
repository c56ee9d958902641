import { readFileSync } from 'node:fs';

interface Sample {
  readonly thread: string;
  readonly bytes: number;
}

/**
 * What a thread kept, in MB, each time that nothing was under way: first after the warm-up, then after each minute of
 * load.
 */
export interface Kept {
  readonly thread: string;
  readonly mb: readonly number[];
  readonly mb_per_minute: number;
}

/**
 * The most by which a heap may grow in a minute of load. Callers make some thirty requests a second: one that left 300
 * bytes behind would show. Less than that is the noise of bounded caches and of code that is compiled and forgotten. /
 */
export const mostMbPerMinute = 0.5;

/** What the threads of a server keep, written down by the hook; read when nothing is under way. */
export class HeapBook {
  readonly #file: string;
  readonly #kept = new Map<string, number[]>();

  constructor(file: string) {
    this.#file = file;
  }

  /** Takes the last that each thread wrote. */
  take(): void {
    const samples = readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Sample);
    for (const [thread, own] of Map.groupBy(samples, (sample) => sample.thread))
      this.#kept.set(thread, [...(this.#kept.get(thread) ?? []), (own.at(-1)?.bytes ?? 0) / 1e6]);
  }

  kept(): readonly Kept[] {
    return [...this.#kept].map(([thread, mb]) => ({
      thread,
      mb,
      mb_per_minute: slope(mb.map((each, minute) => [minute, each])),
    }));
  }
}

/** Of the line through all points, by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map(([each]) => each));
  const y = mean(points.map(([, each]) => each));
  const over = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  const under = points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
