import { randomUUID } from 'node:crypto';
import { isDead } from '../../core/contract/commits/is-dead.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import { sentences, type Finding } from '../../core/contract/findings.ts';
import type { TransferEnd, TransferState } from '../../core/contract/transfer.ts';
import type { Kind } from '../../core/model/kinds.ts';
import type { LoopParts } from '../../core/reconciler/running-loop.ts';
import { digestOf, type SnapshotDigest } from './snapshot-digest.ts';

/** The result of a copy. */
export interface CopiedStorage {
  readonly from: string;
  readonly to: string;
  /** False: an earlier run had copied everything already. */
  readonly copied: boolean;
  readonly records: Readonly<Partial<Record<Kind, number>>>;
  readonly took_ms: number;
}

type Self = LoopParts['broker'];

/**
 * Copies everything from one storage to another, so that brokers continue there and no longer here. No broker may use
 * either. A process that is killed at any point leaves at most one storage that brokers can use, and a repetition
 * completes the copy:
 *
 * 1. The source is fenced: from here on its content does not change.
 * 2. The target receives everything in one transaction, and is closed to brokers.
 * 3. Both are compared.
 * 4. The source is marked as moved, and then the target is opened.
 *
 * A failure before step 4 opens the source again. Rejects with CONFLICT when the storages are in use, or the target is
 * not empty; `replace` permits the latter.
 */
export async function copyStorage(
  source: TransferEnd,
  target: TransferEnd,
  replace: boolean,
  self: Self,
): Promise<CopiedStorage> {
  const began = performance.now();
  const done = (copied: boolean, records: CopiedStorage['records']): CopiedStorage => ({
    from: source.place,
    to: target.place,
    copied,
    records,
    took_ms: Math.round(performance.now() - began),
  });
  if (source.place === target.place) throw sameStorage(source.place);
  const [here, there] = [await source.state(), await target.state()];
  refuseSource(source.place, here);
  // One copy may have been interrupted at any point.
  const isHalfDone = here.to !== undefined && there.from?.copy_id === here.to.copy_id;
  if (isHalfDone && here.to?.done && there.from?.done) return done(false, {});
  if (here.to?.done && !isHalfDone)
    throw new BrokerError(
      'CONFLICT',
      `${source.place} was copied to ${here.to.place} already. Copy from there; or run \`muster storage reopen --force\` on this storage when no broker uses that copy.`,
    );
  refuseLive(source.place, here, self);
  refuseLive(target.place, there, self);
  if (!isHalfDone) refuseTarget(target.place, there, source.place, replace);
  const copy_id = here.to && (isHalfDone || here.to.place === target.place) ? here.to.copy_id : randomUUID();
  await source.fence({ copy_id, place: target.place });
  const { records } = await undoing(source, here, copy_id, async () => {
    // A broker may have joined since its state was read.
    refuseLive(source.place, await source.state(), self);
    // Two names may lead to one place.
    if ((await target.state()).to?.copy_id === copy_id) throw sameStorage(source.place);
    if (!isHalfDone) await receive(source, target, copy_id, replace || there.from?.done === false);
    return compare(source, target);
  });
  await source.moved(copy_id);
  await target.complete(copy_id);
  return done(true, records);
}

const sameStorage = (place: string) =>
  new BrokerError('INVALID_REQUEST', `${place} is the source and the target. Name another target.`);

/** After a failure brokers may use the source again, unless the copy has come further in another run. */
async function undoing<T>(
  source: TransferEnd,
  before: TransferState,
  copy_id: string,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!before.to) await source.unfence(copy_id).catch(() => {});
    throw error;
  }
}

async function receive(source: TransferEnd, target: TransferEnd, copy_id: string, replace: boolean): Promise<void> {
  await using snapshot = await source.snapshot();
  const { valid, findings } = await target.receive(snapshot, { copy_id, place: source.place }, replace);
  if (!valid) throw inconsistent(source.place, findings);
}

/** The refusal of a copy whose records contradict each other. */
export const inconsistent = (place: string, findings: readonly Finding[]): BrokerError =>
  new BrokerError(
    'CONFLICT',
    `The records in ${place} are inconsistent, and a copy would not be better: ${sentences(findings.filter(({ level }) => level === 'error'))}`,
    { findings },
  );

/** Rejects with CONFLICT when two storages do not have the same content. */
export async function compare(source: TransferEnd, target: TransferEnd): Promise<SnapshotDigest> {
  const [here, there] = [await digest(source), await digest(target)];
  if (here.digest === there.digest) return here;
  throw new BrokerError(
    'CONFLICT',
    `The copy in ${target.place} differs from ${source.place}: something else writes there. End it, then repeat the copy.`,
  );
}

async function digest(end: TransferEnd): Promise<SnapshotDigest> {
  await using snapshot = await end.snapshot();
  return await digestOf(snapshot);
}

function refuseSource(place: string, { exists, from }: TransferState): void {
  if (!exists) throw new BrokerError('FILE_NOT_FOUND', `There is no storage of muster in ${place}.`);
  if (from?.done === false)
    throw new BrokerError(
      'CONFLICT',
      `${place} is an incomplete copy of ${from.place}. Repeat the copy from there first.`,
    );
}

/** An incomplete copy of the same source may be replaced: no broker has used it. */
export function refuseTarget(place: string, { records, from }: TransferState, source: string, replace: boolean): void {
  if (replace || records === 0 || (from?.done === false && from.place === source)) return;
  throw new BrokerError(
    'CONFLICT',
    from?.done === false
      ? `${place} is an incomplete copy of another storage, ${from.place}. Name an empty place, or replace it with --replace.`
      : `${place} is not empty: it has ${records} records. Name an empty place, or replace all of it with --replace.`,
  );
}

/** Rejects with CONFLICT when a broker uses a storage. */
export function refuseLive(place: string, { brokers }: TransferState, self: Self): void {
  const live = brokers.filter((each) => each.status !== 'dead' && !isDead(each, self));
  if (live.length === 0) return;
  const named = live.map(
    ({ host, pid, lease_until }) => `pid ${pid} on ${host} (lease until ${new Date(lease_until).toISOString()})`,
  );
  throw new BrokerError(
    'CONFLICT',
    `Brokers use ${place}: ${named.join(', ')}. Stop them with \`muster server stop\` on their hosts, then repeat; one that was killed counts as stopped when its lease has ended.`,
  );
}
