import { readFileSync } from 'node:fs';

interface Sample {
  readonly thread: string;
  readonly at: number;
  readonly bytes: number;
}

/** How what a thread keeps changed after the warm-up. */
export interface Growth {
  readonly thread: string;
  readonly samples: number;
  readonly mb: number;
  readonly mb_per_minute: number;
  /** The mean of each minute from the start. */
  readonly minutes: readonly number[];
}

/**
 * The most by which a heap may grow in a minute. Callers make some sixty requests a second: one that left 150 bytes behind would show. Less than that is the
 * noise of caches that turn over.
 */
export const mostMbPerMinute = 0.5;

/** The line through all samples of each thread after `from`, by least squares. */
export function growth(file: string, from: number): readonly Growth[] {
  const samples = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Sample);
  return [...Map.groupBy(samples, ({ thread }) => thread)].map(([thread, all]) => {
    const own = all.filter(({ at }) => at >= from);
    const began = all[0]?.at ?? 0;
    const minutes = [...Map.groupBy(all, ({ at }) => Math.floor((at - began) / 60_000)).values()].map(meanMb);
    return {
      thread,
      samples: own.length,
      mb: meanMb(own),
      mb_per_minute: slope(own.map(({ at, bytes }) => [at / 60_000, bytes / 1e6])),
      minutes,
    };
  });
}

const meanMb = (samples: readonly Sample[]): number => samples.reduce((sum, { bytes }) => sum + bytes, 0) / samples.length / 1e6;

export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(points.map(([each]) => each));
  const y = mean(points.map(([, each]) => each));
  const over = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  const under = points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
