import { testDatabase, type TestDatabase } from '../../support/postgres-database.ts';
import { campaign } from '../campaign/campaign.ts';
import type { Size } from '../campaign/stories.ts';
import type { Tally } from '../campaign/tally.ts';
import { dialects } from '../support/dialect.ts';
import { playCluster, type ClusterOptions } from './play-cluster.ts';

const faultsEach = 24;

export interface ClusterCampaignOptions {
  readonly runs: number;
  readonly seed: number;
  readonly from: number;
  readonly brokers: number;
  readonly at_once: number;
  /** Default: hundreds of machines in one play of five. */
  readonly size?: Size;
}

/** Plays with several brokers until there were as many faults as wanted. Undefined: a play went wrong. */
export async function clusterCampaign(options: ClusterCampaignOptions): Promise<Tally | undefined> {
  const { runs, seed, from, brokers, at_once, size } = options;
  const servers = await Promise.all(Array.from({ length: at_once }, () => testDatabase()));
  const free: TestDatabase[] = [...servers];
  try {
    return await campaign({
      runs,
      from,
      at_once,
      played: (number, left): Omit<ClusterOptions, 'database'> => ({
        seed: seed + number,
        brokers,
        size: size ?? (number % 5 === 3 ? 'large' : 'small'),
        scheduler: dialects[number % dialects.length]?.scheduler ?? 'default',
        most: Math.min(faultsEach, left),
        tight: number % 3 === 2,
      }),
      async play(played) {
        const database = free.pop() as TestDatabase;
        try {
          return await playCluster({ ...played, database });
        } finally {
          free.push(database);
        }
      },
      // What happens depends on the moment: the same faults seldom meet the same work twice.
      shortens: false,
      again: (number, { most }) =>
        `--brokers ${brokers} --seed ${seed} --from ${number} --runs ${most}${size ? ` --size ${size}` : ''}`,
    });
  } finally {
    await Promise.all(servers.map((each) => each.remove()));
  }
}
