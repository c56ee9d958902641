import type { IncomingHttpHeaders } from 'node:http';
import { BrokerError } from '../../../core/contract/errors.ts';
import type { Services } from '../../../core/operations/services.ts';
import type { SchedulerStrategy } from '../../../core/contract/scheduler.ts';
import { nearest } from '../../../core/schema/spelling.ts';
import type { Broker } from '../../compose.ts';

/** The header that chooses the scheduler format of one call, and its other name. */
export const formatHeaders = ['X-Scheduler', 'X-ORB-Scheduler'] as const;

/** For whoever keeps answers between a caller and the broker. */
export const varyOfFormats = formatHeaders.join(', ');

/** What one call is answered with. */
export interface CallFormat {
  readonly strategy: SchedulerStrategy;
  /** The broker's, with this scheduler. */
  readonly services: Services;
}

/** The names that the header may have: every loaded strategy, and muster's own words also where no plugin brings them. */
export const formatNames = (broker: Pick<Broker, 'schedulers' | 'rendering'>): readonly string[] =>
  [...new Set([broker.rendering.own.name, ...broker.schedulers.map(({ name }) => name)])].toSorted();

/** Reads the format of a call off its headers; without one, that of the broker. INVALID_REQUEST for a name that nobody knows, and for two names. */
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
      throw new BrokerError('INVALID_REQUEST', `${second.header}: names another scheduler than ${first.header}; give one of them.`);
    const format = known.get(first.name);
    if (!format) throw unknownFormat(first.header, first.name, names);
    return format;
  };
}

function unknownFormat(header: string, name: string, names: readonly string[]): BrokerError {
  const near = nearest(name, names);
  const meant = near === undefined ? '.' : `; did you mean '${near}'?`;
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name;
  return new BrokerError('INVALID_REQUEST', `${header}: there is no scheduler '${shown}'${meant} Known: ${names.join(', ')}.`, {
    known: names,
  });
}
