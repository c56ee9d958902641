import type { Dialect, Seen } from '../support/dialect.ts';
import { lives } from './stories.ts';

/**
 * What a request that ended says of itself and what does not add up in it, in sentences: who failed has no machines,
 * who completed has some, and what was delivered is what is there and what was given back, and no more than was asked
 * for. /
 */
export function judgeStatus(seen: Seen, machine_count: number, { scheduler, completed }: Dialect): string[] {
  const { request_id, status, message, fulfilment, machines } = seen;
  const alive = machines.filter(lives).length;
  const says = (what: string) => `${request_id} is ${status} and says "${message}": ${what}`;
  if (scheduler === 'hostfactory') {
    const succeeded = machines.filter(({ result }) => result === 'succeed').length;
    if ((status === completed) === succeeded >= machine_count) return [];
    return [says(`${succeeded} of ${machine_count} machines succeeded`)];
  }
  if (status === 'failed' || status === 'cancelled') return alive === 0 ? [] : [says(`${alive} machines of it live`)];
  if (fulfilment === undefined) return [says('there is no fulfilment')];
  const { requested, delivered } = fulfilment;
  return [
    ...(requested === machine_count ? [] : [says(`${requested} were requested, and ${machine_count} were asked for`)]),
    ...(delivered > 0 && delivered <= requested ? [] : [says(`${delivered} of ${requested} were delivered`)]),
    ...(delivered >= alive ? [] : [says(`${delivered} were delivered, and ${alive} machines of it live`)]),
  ];
}
