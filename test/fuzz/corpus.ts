import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bases } from './bases.ts';
import type { Recipe } from './recipe.ts';

export const corpusFile = join(import.meta.dirname, 'corpus.json');

/**
 * Hostile calls worth keeping: of each call the one that took longest, and those that were answered in a way of their
 * own.
 */
export const readCorpus = (): readonly Recipe[] => JSON.parse(readFileSync(corpusFile, 'utf8')) as readonly Recipe[];

/** The valid calls themselves: where a fuzzer begins. */
export const seeds: readonly Recipe[] = Object.keys(bases).map((base) => ({ base, steps: [] }));
