import { readFile } from 'node:fs/promises';
import type { KnobChange } from '../knobs/knobs.ts';
import { scenarios } from '../knobs/scenarios.ts';

/** The knobs of a ready-made scenario, or of a JSON file. They are checked only when they are set. */
export async function readScenario(nameOrFile: string): Promise<KnobChange> {
  if (Object.hasOwn(scenarios, nameOrFile)) return { scenario: nameOrFile };
  let text: string;
  try {
    text = await readFile(nameOrFile, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw problem(nameOrFile, cause);
    const names = Object.keys(scenarios).join(', ');
    throw new Error(`There is no scenario '${nameOrFile}' and no file of that name. Ready-made scenarios: ${names}.`, {
      cause,
    });
  }
  try {
    return JSON.parse(text) as KnobChange;
  } catch (cause) {
    throw problem(nameOrFile, cause);
  }
}

function problem(file: string, cause: unknown): Error {
  return new Error(`Scenario ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
}
