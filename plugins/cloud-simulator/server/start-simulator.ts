import type { SimulatorClock } from '../clock.ts';
import type { KnobChange } from '../knobs/knobs.ts';
import { readScenario } from './read-scenario.ts';
import { createSimulator, type Simulator } from './server.ts';

export interface StartOptions {
  /** 0 or absent: any free one. */
  readonly port?: number;
  /** A loopback address; others are refused. Default 127.0.0.1. */
  readonly host?: string;
  readonly seed?: number;
  /** A ready-made scenario by its name, or a file of knobs as JSON. */
  readonly scenario?: string;
  /** Laid over the scenario. */
  readonly knobs?: KnobChange;
  readonly clock?: SimulatorClock;
}

/**
 * A simulated cloud in this process that already listens, on loopback. What is wrong with a scenario is said with its
 * name.
 */
export async function startSimulator(options: StartOptions = {}): Promise<Simulator> {
  const { port, host, seed, scenario, knobs, clock } = options;
  const simulator = createSimulator({
    ...(seed === undefined ? {} : { seed }),
    ...(clock === undefined ? {} : { clock }),
  });
  if (scenario !== undefined) turn(simulator, scenario, await readScenario(scenario));
  if (knobs !== undefined) simulator.setKnobs(knobs);
  await simulator.listen(port, host);
  return simulator;
}

function turn(simulator: Simulator, scenario: string, knobs: KnobChange): void {
  try {
    simulator.setKnobs(knobs);
  } catch (cause) {
    throw new Error(`Scenario ${scenario}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
