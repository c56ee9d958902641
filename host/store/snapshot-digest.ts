import { createHash } from 'node:crypto';
import { kinds, type Kind } from '../../core/model/kinds.ts';
import type { StorageSnapshot } from '../../core/contract/transfer.ts';

/** The contents of a snapshot: equal exactly when everything in it is equal. */
export interface SnapshotDigest {
  readonly records: Readonly<Record<Kind, number>>;
  readonly claims: number;
  readonly digest: string;
}

const bits = 128;

/** Reads a whole snapshot. Only one page is in memory at a time. */
export async function digestOf(snapshot: StorageSnapshot): Promise<SnapshotDigest> {
  const parts: unknown[] = [snapshot.numbers.event, snapshot.numbers.changes, snapshot.numbers.last_claim_at];
  const records: [string, number][] = [];
  for (const kind of Object.keys(kinds) as Kind[]) {
    const { count, sum } = await digestOfPages(snapshot.records(kind));
    records.push([kind, count]);
    parts.push([kind, count, sum]);
  }
  const [claims, jobs] = [await digestOfPages(snapshot.epochs('claim')), await digestOfPages(snapshot.epochs('job'))];
  parts.push(claims.sum, jobs.sum);
  return {
    records: Object.fromEntries(records) as Record<Kind, number>,
    claims: claims.count,
    digest: createHash('sha256').update(JSON.stringify(parts)).digest('hex'),
  };
}

/** The sum of the hashes of the rows, so that their order does not matter. */
async function digestOfPages(
  pages: AsyncIterable<readonly (readonly unknown[])[]>,
): Promise<{ readonly count: number; readonly sum: string }> {
  let count = 0;
  let sum = 0n;
  for await (const page of pages) {
    count += page.length;
    for (const row of page) {
      const hash = createHash('sha256').update(JSON.stringify(row)).digest();
      sum = BigInt.asUintN(bits, sum + ((hash.readBigUInt64LE(0) << 64n) | hash.readBigUInt64LE(8)));
    }
  }
  return { count, sum: sum.toString(16) };
}
