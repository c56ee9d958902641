import { isBrokerError, type ServiceAccess } from '../../../core/index.ts';
import { controllerOf, type Controller } from '../controller/controller.ts';
import { placeOrder } from '../nodes/place-orders.ts';
import { readRequests, mayLive } from '../nodes/machines.ts';
import { readCluster } from '../nodes/records.ts';
import { isWanted, release, releasesOf, type Release } from '../nodes/release-nodes.ts';
import { setsByNode, type SlurmSettings } from '../settings.ts';
import { act } from './act.ts';
import { decide, doubtful, type Compared, type Decided } from './decide.ts';
import type { Looks } from './looks.ts';

type Access = ServiceAccess<SlurmSettings>;

/** A comparison of Slurm's nodes with muster's machines. */
export interface Comparison {
  readonly compared: Compared;
  readonly decided: readonly Decided[];
  readonly releases: readonly Release[];
  /** Orders whose request does not exist yet: the broker ended between both. */
  readonly unplaced: readonly string[];
}

/** Compares the nodes with the machines. Changes nothing. Rejects when slurmctld does not answer, or knows no node. */
export async function compare(
  access: Access,
  controller: Controller = controllerOf(access.settings),
): Promise<Comparison> {
  const { settings, records, clock } = access;
  const setOf = setsByNode(settings);
  const slurm = new Map(
    (await controller.nodes()).flatMap((node) => (setOf.has(node.name) ? [[node.name, node]] : [])),
  );
  // A list without any of the nodes proves nothing about them.
  if (slurm.size === 0)
    throw new Error(
      'slurmctld knows none of the nodes of the configuration; nothing is compared. See `muster slurm install`.',
    );
  const known = await readCluster(records, settings.cluster);
  const requests = await readRequests(access, [...known.orders.keys()]);
  const uncertain = doubtful({ slurm, records: known });
  const { held, busy } = await controller.withJobs(uncertain);
  const compared = { slurm, records: known, requests, held, busy, setOf, now: clock.now() };
  return {
    compared,
    decided: decide(compared),
    releases: releasesOf(known, requests),
    unplaced: [...known.orders.values()].flatMap(({ value }) =>
      requests.has(value.request_id) || value.refused ? [] : [value.request_id],
    ),
  };
}

/** One comparison and what follows from it. Repeatable; a failure is repeated by the next one. */
export async function sync(access: Access, looks: Looks, signal?: AbortSignal): Promise<Comparison> {
  const controller = controllerOf(access.settings);
  const comparison = await compare(access, controller);
  const { compared, decided, releases, unplaced } = comparison;
  for (const request_id of unplaced) {
    const kept = compared.records.orders.get(request_id);
    const isNeeded = kept?.value.names.some((name) => isWanted(compared.records, request_id, name));
    if (kept && isNeeded) await placeOrder(access, kept);
  }
  await release(access, releases);
  const due = looks.due(decided, compared.now, access.settings.sync_s * 500);
  if (signal?.aborted !== true) await act(access, controller, compared, due);
  await forget(access, compared);
  return { ...comparison, decided: due };
}

/**
 * How long an order without a request is kept. Another process may be between storing the order and making its
 * request: without the record nobody would end the machines of that request.
 */
const unplacedMs = 3_600_000;

/** Removes the records of orders that are over: no node has them, and none of their machines lives. */
async function forget({ records, settings, log }: Access, { records: known, requests, now }: Compared): Promise<void> {
  for (const [request_id, { value, version }] of known.orders) {
    const request = requests.get(request_id);
    // If a node has an order without a request, it is placed.
    const isOver = request ? request.isOver && !request.machines.some(mayLive) : now - value.at > unplacedMs;
    if (!isOver || value.names.some((name) => isWanted(known, request_id, name))) continue;
    await records.remove({ key: `${settings.cluster}/order/${request_id}`, version }).catch((error: unknown) => {
      if (!isBrokerError(error)) throw error;
      log.debug({ request_id, code: error.code }, 'The record of an order stays for now.');
    });
  }
}
