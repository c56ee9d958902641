import type { Wait } from './wait.ts';
import { machinesOf, namesOf } from './words.ts';

/** What a request waits for, in a few words. */
export function waitsFor(wait: Wait): string {
  switch (wait.for) {
    case 'release':
      return `the release of ${machinesOf(wait.count)}`;
    case 'slot':
      return `a slot at '${wait.instance}'`;
    case 'broker':
      return `a broker that has '${wait.instance}'`;
    case 'search':
      return `machines of an order at '${wait.instance}' whose outcome is not known`;
    case 'outcome':
      return `the outcome of an order at '${wait.instance}'`;
    case 'answer':
      return `the answer of '${wait.instance}' to an order`;
    case 'retry':
      return `the next call for an order at '${wait.instance}'`;
    case 'machines':
      return `${machinesOf(wait.count)} that '${wait.instance}' starts`;
    case 'readiness':
      return `${machinesOf(wait.count)} at ${namesOf(wait.instances)} to become ready`;
    case 'capacity':
      return 'capacity';
    case 'order':
      return `an order at '${wait.instance}'`;
    case 'end':
      return 'its end';
  }
}
