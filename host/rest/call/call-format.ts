import type { IncomingHttpHeaders } from 'node:http';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Services } from '../../../core/operations/services.ts';
import type { SchedulerStrategy } from '../../../core/contract/scheduler.ts';
import { nearest } from '../../../core/schema/spelling.ts';
import type { Broker } from '../../compose.ts';

/** The header that chooses the scheduler format of one call, and its alias. */
export const formatHeaders = ['X-Scheduler', 'X-ORB-Scheduler'] as const;

/** The value of the Vary header, for caches between a caller and the broker. */
export const varyOfFormats = formatHeaders.join(', ');

/** The format of the answer to one call. */
export interface CallFormat {
  readonly strategy: SchedulerStrategy;
  /** The services of the broker, with this scheduler strategy. */
  readonly services: Services;
}

/**
 * Returns the valid values of the header: every loaded strategy, and muster's own format also when no plugin
 * contributes it.
 */
export const formatNames = (broker: Pick<Broker, 'schedulers' | 'rendering'>): readonly string[] =>
  [...new Set([broker.rendering.own.name, ...broker.schedulers.map(({ name }) => name)])].toSorted();

/**
 * Returns a function that reads the format of a call from its headers; without the header, the format of the broker.
 * Throws INVALID_REQUEST for an unknown name, and when the two headers name different strategies.
 */
export function callFormats(broker: Broker): (headers: IncomingHttpHeaders) => CallFormat {
  const { rendering, schedulers, scheduler, services } = broker;
  const active: CallFormat = { strategy: scheduler, services };
  const known = new Map(
    [rendering.own, ...schedulers].map((strategy): [string, CallFormat] => [
      strategy.name,
      { strategy, services: { ...services, scheduler: strategy } },
    ]),
  );
  const names = formatNames(broker);
  const [header, other] = [formatHeaders[0].toLowerCase(), formatHeaders[1].toLowerCase()];
  return (headers) => {
    if (headers[header] === undefined && headers[other] === undefined) return active;
    const given = formatHeaders.flatMap((header) => {
      const value = headers[header.toLowerCase()];
      return value === undefined ? [] : [{ header, name: String(value).trim() }];
    });
    const [first, second] = given;
    if (!first) return active;
    if (second && second.name !== first.name)
      throw new BrokerError(
        'INVALID_REQUEST',
        `${second.header}: names another scheduler than ${first.header}; send only one of them.`,
      );
    const format = known.get(first.name);
    if (!format) throw unknownFormat(first.header, first.name, names);
    return format;
  };
}

function unknownFormat(header: string, name: string, names: readonly string[]): BrokerError {
  const near = nearest(name, names);
  const suggestion = near === undefined ? '.' : `; did you mean '${near}'?`;
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return new BrokerError(
    'INVALID_REQUEST',
    `${header}: there is no scheduler '${shown}'${suggestion} Known: ${names.join(', ')}.`,
    {
      known: names,
    },
  );
}
