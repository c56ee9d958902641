import { randomUUID } from 'node:crypto';
import { BrokerError } from '../../core/contract/errors.ts';
import type { TransferEnd, TransferMark, TransferState } from '../../core/contract/transfer.ts';
import type { Kind } from '../../core/model/kinds.ts';
import type { LoopParts } from '../../core/reconciler/running-loop.ts';
import { compare, inconsistent, refuseLive, refuseTarget } from './copy-storage.ts';

/** The result of a restore. */
export interface RestoredStorage {
  readonly from: string;
  readonly to: string;
  readonly records: Readonly<Partial<Record<Kind, number>>>;
  readonly took_ms: number;
}

/**
 * Puts the content of a backup into a storage that no broker uses. The backup is only read. A process that is killed
 * at any point leaves the storage as it was, or closed to brokers; a repetition completes it:
 *
 * 1. The storage receives everything at once, and is closed to brokers.
 * 2. It is compared with the backup.
 * 3. It is opened.
 *
 * Rejects with CONFLICT when a broker uses the storage, or when it is not empty; `replace` permits the latter, also for
 * content that cannot be read. `name` stands for the backup where the storage is marked, and in messages.
 */
export async function restoreStorage(
  backup: TransferEnd,
  target: TransferEnd,
  replace: boolean,
  self: LoopParts['broker'],
  name = backup.place,
): Promise<RestoredStorage> {
  const began = performance.now();
  if (backup.place === target.place)
    throw new BrokerError('INVALID_REQUEST', `${target.place} is the storage itself. Name a backup of it.`);
  const { exists, from } = await backup.state();
  if (!exists) throw new BrokerError('FILE_NOT_FOUND', `There is no backup of muster in ${name}.`);
  if (from?.done === false)
    throw new BrokerError('CONFLICT', `${name} is an incomplete copy of ${from.place}. Name a complete backup.`);
  const present = await presentState(target, replace);
  if (present) {
    refuseLive(target.place, present, self);
    refuseTarget(target.place, present, name, replace);
  }
  const copy_id = randomUUID();
  await receive(backup, target, { copy_id, place: name }, replace || present?.from?.done === false);
  const { records } = await compare(backup, target);
  await target.complete(copy_id);
  return { from: name, to: target.place, records, took_ms: Math.round(performance.now() - began) };
}

/** Undefined for content that cannot be read and is to be replaced. */
async function presentState(target: TransferEnd, replace: boolean): Promise<TransferState | undefined> {
  const why = await target.unreadable?.();
  if (why === undefined) return target.state();
  if (replace) return undefined;
  throw new BrokerError('CONFLICT', `${why} To replace it with the backup, repeat with --replace.`);
}

async function receive(
  backup: TransferEnd,
  target: TransferEnd,
  mark: Pick<TransferMark, 'copy_id' | 'place'>,
  replace: boolean,
): Promise<void> {
  await using snapshot = await backup.snapshot();
  const { valid, findings } = await target.receive(snapshot, mark, replace);
  if (!valid) throw inconsistent(mark.place, findings);
}
