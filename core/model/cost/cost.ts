import { Type, type Static } from 'typebox';
import type { MachineRecord } from '../machine.ts';

/** What a machine costs. */
export const MachineCost = Type.Object(
  {
    usd_per_hour: Type.Number({ description: 'US dollars an hour; 0 once the machine is gone.' }),
    usd_so_far: Type.Number({
      description: 'US dollars since muster first saw the machine. Without minimum times and taxes of the provider.',
    }),
  },
  { description: 'What the machine costs by the price that was known when it came. null: no price is known.' },
);
export type MachineCost = Static<typeof MachineCost>;

/** What several machines cost together. */
export const Cost = Type.Object(
  {
    usd_per_hour: Type.Number({ description: 'US dollars an hour of the machines that live.' }),
    usd_so_far: Type.Number({ description: 'US dollars of all machines, also of those that are gone.' }),
    unpriced_machines: Type.Optional(
      Type.Integer({ description: 'Machines without a known price, which the sums leave out.' }),
    ),
  },
  { description: 'What the machines cost by the prices that were known when they came.' },
);
export type Cost = Static<typeof Cost>;

type CostlyMachine = Pick<MachineRecord, 'price' | 'created_at' | 'gone_at'>;

const hourMs = 3_600_000;

/** The cost of a machine at a time, in epoch milliseconds. Undefined: its price is not known. */
export function machineCost({ price, created_at, gone_at }: CostlyMachine, now: number): MachineCost | undefined {
  if (price === undefined) return undefined;
  const ms = Math.max(0, (gone_at ?? now) - created_at);
  return {
    usd_per_hour: gone_at === undefined ? price.usd_per_hour : 0,
    usd_so_far: rounded((price.usd_per_hour * ms) / hourMs),
  };
}

/** The cost of several machines at a time, in epoch milliseconds. */
export function costOf(machines: readonly CostlyMachine[], now: number): Cost {
  const known = machines.flatMap((machine) => machineCost(machine, now) ?? []);
  const unpriced = machines.length - known.length;
  return {
    usd_per_hour: rounded(known.reduce((sum, { usd_per_hour }) => sum + usd_per_hour, 0)),
    usd_so_far: rounded(known.reduce((sum, { usd_so_far }) => sum + usd_so_far, 0)),
    ...(unpriced === 0 ? {} : { unpriced_machines: unpriced }),
  };
}

/** To a millionth of a dollar, so that sums of binary fractions show no tail. */
const rounded = (usd: number): number => Math.round(usd * 1e6) / 1e6;
