import type { SimulatorClock } from '../clock.ts';
import type { KnobChange } from '../knobs/knobs.ts';
import { readScenario } from './read-scenario.ts';
import { createSimulator, type Simulator } from './server.ts';

export interface StartOptions {
  /** 0 or absent: a free port. */
  readonly port?: number;
  /** A loopback address; others are refused. Default 127.0.0.1. */
  readonly host?: string;
  readonly seed?: number;
  /** A ready-made scenario by its name, or a file of knobs as JSON. */
  readonly scenario?: string;
  /** Applied after the scenario. */
  readonly knobs?: KnobChange;
  readonly clock?: SimulatorClock;
}

/** Starts a simulated cloud in this process, on loopback. An error in a scenario names the scenario. */
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
