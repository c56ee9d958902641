import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOnce } from '../create-once.ts';
import { startOf } from '../start-of.ts';

/** The living processes of a directory, according to its records and the system. */
export function living(directory: string): readonly { readonly machine_id: string; readonly pid: number }[] {
  const orders = join(directory, 'orders');
  const tokens = existsSync(orders) ? readdirSync(orders) : [];
  return tokens.flatMap((token) =>
    readdirSync(join(orders, token)).flatMap((file) => {
      const [, n] = /^(\d+)\.slot$/.exec(file) ?? [];
      const slot = n && readOnce<{ pid?: number; start?: string }>(join(orders, token, file));
      if (!slot || slot.pid === undefined || startOf(slot.pid) !== slot.start) return [];
      return [{ machine_id: `${token}-${n}`, pid: slot.pid }];
    }),
  );
}
