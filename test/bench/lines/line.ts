import type { Row } from '../report/row.ts';

/** How thorough this run is. */
export interface Effort {
  readonly quick: boolean;
  readonly rounds: number;
  readonly seconds: number;
}

/** Some lines of the table that share their preparation. */
export interface Line {
  /** For `--only`: the names of the rows that it makes. */
  readonly names: readonly string[];
  /** It takes minutes: a quick run leaves it out unless it is named. */
  readonly slow?: boolean;
  /** Measures the rows that are wanted, and tells each as it is done. */
  run(effort: Effort, wanted: (name: string) => boolean, tell: (row: Row) => void): Promise<void>;
}
