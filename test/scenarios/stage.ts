import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator, type Simulator } from '../../plugins/cloud-simulator/server/server.ts';
import { bootBroker, type Answer, type BootedBroker } from '../support/boot-broker.ts';
import { Board } from './board.ts';
import type { Cell } from './cells.ts';
import { providersOf, templatesOf } from './cloud-of-cells.ts';
import { tickingClock, type TickingClock } from './ticking-clock.ts';

/** Where it exists, nobody waits for a disk. */
const memory = process.env['TEST_MEMORY'] ?? (existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
/** So many times as fast as the computer's clock. */
const times = 200;

/** A real broker with real storage, and a cloud with the same clock. */
export interface Stage {
  readonly broker: BootedBroker;
  readonly simulator: Simulator;
  readonly clock: TickingClock;
  readonly board: Board;
  /** A call below /api/v1; throws a refusal, but for those that are named. */
  call(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, allowed?: readonly number[]): Promise<Answer>;
  close(): Promise<void>;
}

export async function openStage(cells: readonly Cell[]): Promise<Stage> {
  const clock = tickingClock(times);
  const directory = await mkdtemp(join(memory, 'muster-scenario-'));
  const simulator = createSimulator({ clock: clock.cloud });
  await simulator.listen();
  const configuration = {
    plugins: [
      'cloud',
      'cloud-runinstances',
      'cloud-ec2fleet',
      'cloud-spotfleet',
      'cloud-asg',
      'default-format',
      'storage-sqlite',
    ],
    scheduler: 'default',
    storage: { type: 'sqlite' },
    server: { rate_limit: { enabled: false } },
    providers: providersOf(cells, simulator.url),
  };
  await writeFile(join(directory, 'muster.config.json'), JSON.stringify(configuration));
  await writeFile(join(directory, 'templates.json'), JSON.stringify({ templates: templatesOf(cells) }));
  const broker = await bootBroker({
    place: { directory, simulator, close: async () => undefined },
    clock,
    // A look is made as often as the computer can, whatever the clock says.
    settings: { observe_moving_ms: 20_000, observe_resting_ms: 60_000, lease_ms: 600_000 },
  });
  const board = new Board(broker.broker.store, clock);
  return {
    broker,
    simulator,
    clock,
    board,
    async call(method, path, body, allowed = []) {
      const answer = await broker.call(method, path, body);
      if (answer.status >= 400 && !allowed.includes(answer.status))
        throw new Error(`${method} ${path} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer;
    },
    async close() {
      board.close();
      await broker.close();
      await simulator.close();
      clock.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
