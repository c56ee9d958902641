import { readFile } from 'node:fs/promises';
import type { KnobChange } from './knobs/knobs.ts';
import { createSimulator, type Simulator } from './server.ts';

export interface StartOptions {
  /** 0 or absent: any free one. */
  readonly port?: number;
  readonly seed?: number;
  readonly knobs?: KnobChange;
  /** A file of knobs as JSON; `knobs` are laid over it. */
  readonly scenario?: string;
}

/** A simulated cloud in this process that already listens, on loopback. What is wrong with a scenario file is said with its name. */
export async function startSimulator(options: StartOptions = {}): Promise<Simulator> {
  const simulator = createSimulator(options.seed === undefined ? {} : { seed: options.seed });
  if (options.scenario !== undefined) await applyScenario(simulator, options.scenario);
  if (options.knobs !== undefined) simulator.setKnobs(options.knobs);
  await simulator.listen(options.port);
  return simulator;
}

async function applyScenario(simulator: Simulator, file: string): Promise<void> {
  try {
    simulator.setKnobs(JSON.parse(await readFile(file, 'utf8')) as KnobChange);
  } catch (error) {
    throw new Error(`Scenario ${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
