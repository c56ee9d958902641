import { isAlive } from '../../core/reconciler/state/machine-life.ts';
import { isTerminal } from '../../core/model/request.ts';
import { type Ledger, requestTag } from '../../plugins/cloud-simulator/dispatch/ledger.ts';
import type { Instance } from '../../plugins/cloud-simulator/state/instances/instance.ts';
import { accountOf } from './account.ts';
import type { Cell } from './cells.ts';
import { knobsAfter, knobsDuring, placesFor } from './cloud-of-cells.ts';
import { judge } from './judge.ts';
import type { Outcome } from './outcome.ts';
import type { Setting } from './settings.ts';
import { openStage, type Stage } from './stage.ts';
import type { Cast } from './story.ts';

/** How long the broker may take until what it says and what there is are the same, after everything works again. */
const quietMs = 1_800_000;
const lookMs = 10_000;
/** How long everything is left alone then: nothing may come that nobody asked for. */
const restMs = 60_000;

/** What was found wrong with a cell, and what happened. */
export interface Finding {
  readonly wrong: readonly string[];
  readonly account: string;
}

/** By cell; `*` for what is wrong with no cell in particular. */
export type Verdict = ReadonlyMap<string, Finding>;

interface Entry {
  readonly cell: Cell;
  readonly request_id: string;
}

/**
 * Plays cells at once under a scenario, ends it, compares what the broker says with what the cloud has, and gives
 * everything back.
 */
export async function runScenario(setting: Setting, cells: readonly Cell[], seed: number): Promise<Verdict> {
  const found = new Map<string, Finding>();
  const tell = (id: string, wrong: readonly string[], account = '') =>
    void found.set(id, {
      wrong: [...(found.get(id)?.wrong ?? []), ...wrong],
      account: account || (found.get(id)?.account ?? ''),
    });
  const stage = await openStage(cells);
  try {
    stage.simulator.setKnobs(knobsDuring(setting.scenario, cells, seed));
    const entries = await ask(stage, cells);
    const plays = Promise.all(
      entries.map(async (entry) =>
        entry.cell.story.play(castOf(stage, entry)).catch((error: Error) => tell(entry.cell.id, [error.message])),
      ),
    );
    await Promise.race([plays, stage.clock.sleep(setting.lasts_ms)]);
    stage.simulator.setKnobs(knobsAfter(setting.scenario, cells));
    await plays;
    // There is enough of everything now: who still wanted something would get it.
    stage.simulator.setKnobs({ scenario: 'calm' });
    await stage.clock.sleep(restMs);
    // Each has to be right at one moment; what the cloud takes back meanwhile takes the broker a while to see.
    let last = new Map<string, Finding>();
    let suspects = entries;
    await quiet(stage, async () => {
      last = await findings(stage, setting, suspects, entries);
      suspects = entries.filter(({ cell }) => last.has(cell.id));
      return last.size === 0;
    });
    for (const [id, { wrong, account }] of last) tell(id, wrong, account);
    await giveAllBack(stage, entries);
    if (!(await quiet(stage, async () => leftIn(stage.simulator.ledger()).length === 0)))
      tell('*', [`left when all was given back: ${leftIn(stage.simulator.ledger()).join(' ')}`]);
    return found;
  } finally {
    await stage.close();
  }
}

async function ask(stage: Stage, cells: readonly Cell[]): Promise<readonly Entry[]> {
  return Promise.all(
    cells.map(async (cell) => {
      const machine_count = cell.story.machines(cell.way);
      const { body } = await stage.call('POST', '/machines/request', { template_id: cell.id, machine_count });
      return { cell, request_id: body.request_id as string };
    }),
  );
}

function castOf({ board, call }: Stage, { request_id }: Entry): Cast {
  return {
    request_id,
    request: () => board.request(request_id),
    machines: () => board.machines(request_id),
    ended: () => board.ended(request_id),
    until: (what, asked) => board.until(what, asked),
    async giveBack(machines) {
      if (machines.length === 0) return;
      const { body } = await call('POST', '/machines/return', {
        machine_ids: machines.map(({ machine_id }) => machine_id),
      });
      await board.until('the return is stored', () => board.history(body.request_id).length > 0);
      await board.ended(body.request_id);
    },
    cancel: async () => (await call('DELETE', `/requests/${request_id}`, undefined, [409])).status === 202,
  };
}

/** Whether it becomes so in time. */
async function quiet({ clock }: Stage, ask: () => Promise<boolean>): Promise<boolean> {
  for (const end = clock.now() + quietMs; clock.now() < end; ) {
    await clock.sleep(lookMs);
    if (await ask()) return true;
  }
  return false;
}

/** What is wrong with some of the cells, or with none in particular. */
async function findings(
  stage: Stage,
  setting: Setting,
  entries: readonly Entry[],
  all: readonly Entry[],
): Promise<Map<string, Finding>> {
  const found = new Map<string, Finding>();
  const ledger = stage.simulator.ledger();
  const known = new Set(all.map(({ request_id }) => request_id));
  const strange = Object.keys(ledger.live).filter((id) => !known.has(id));
  if (strange.length + ledger.untagged.length > 0)
    found.set('*', { wrong: [`machines of nobody: ${[...strange, ...ledger.untagged].join(' ')}`], account: '' });
  const started = Map.groupBy(instances(stage), (instance) => instance.tags.get(requestTag));
  for (const entry of entries) {
    const outcome = await outcomeOf(stage, setting, entry, ledger, started.get(entry.request_id) ?? []);
    const wrong = judge(outcome);
    if (wrong.length === 0) continue;
    const events = await stage.broker.broker.store.find('event', { where: { request_id: entry.request_id } });
    found.set(entry.cell.id, { wrong, account: accountOf(outcome, events, stage.simulator.audit()) });
  }
  return found;
}

async function outcomeOf(
  { board, broker, call }: Stage,
  setting: Setting,
  { cell, request_id }: Entry,
  ledger: Ledger,
  started: readonly Instance[],
): Promise<Outcome> {
  const [{ body }, attempts, machines] = await Promise.all([
    call('GET', `/requests/${request_id}/status`),
    broker.broker.store.find('attempt', { where: { request_id } }),
    board.machines(request_id),
  ]);
  const told = Object.groupBy(body.machines as { status: string; machine_id: string }[], ({ status }) => status);
  return {
    cell,
    setting,
    request: board.request(request_id),
    attempts,
    machines,
    told: Object.fromEntries(
      Object.entries(told).map(([status, of = []]) => [status, of.map(({ machine_id }) => machine_id)]),
    ),
    history: board.history(request_id),
    started,
    live: ledger.live[request_id] ?? [],
    places: placesFor(setting.scenario, cell),
    ledger,
  };
}

const instances = ({ simulator }: Stage): Instance[] =>
  [...simulator.state.regions()].flatMap(({ instances: all }) => [...all]);

async function giveAllBack({ board, call }: Stage, entries: readonly Entry[]): Promise<void> {
  const all = await Promise.all(entries.map(({ request_id }) => board.machines(request_id)));
  const machine_ids = all
    .flat()
    .flatMap((machine) => (isAlive(machine) && machine.going === undefined ? [machine.machine_id] : []));
  const open = entries.filter(({ request_id }) => !isTerminal(board.request(request_id).status));
  await Promise.all(open.map(({ request_id }) => call('DELETE', `/requests/${request_id}`, undefined, [409])));
  if (machine_ids.length > 0) await call('POST', '/machines/return', { machine_ids });
}

function leftIn({ live, untagged, fleets, spot_fleets, groups, templates }: Ledger): string[] {
  return [...Object.values(live).flat(), ...untagged, ...fleets, ...spot_fleets, ...groups, ...templates];
}
