import type { Clock } from '../../core/contract/clock.ts';
import { BrokerError } from '../../core/contract/errors.ts';
import type { Log } from '../../core/contract/log.ts';
import type { BrokerService, ServiceAccess } from '../../core/contract/service/service.ts';
import type { Fence, Store } from '../../core/contract/storage.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { readInput } from '../../core/operations/read-input.ts';
import type { Rendering } from '../../core/operations/rendering.ts';
import type { Services } from '../../core/operations/services.ts';
import { hint } from '../../core/schema/spelling.ts';
import { serviceRecords } from './service-records.ts';

/** What services are made of, once the broker is composed. */
export interface ServiceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly services: Services;
  readonly rendering: Rendering;
  readonly operations: readonly Operation<any, any>[];
  /** The sections of the configuration, by the name of the service. */
  readonly sections: Readonly<Record<string, unknown>>;
}

/** What a service may use. `fence`: for a job, a condition of every commit. */
export function accessOf(service: BrokerService<any>, parts: () => ServiceParts, fence?: () => Fence): ServiceAccess {
  const { store, clock, log, sections } = parts();
  return {
    settings: sections[service.name],
    clock,
    log,
    records: serviceRecords(service.name, store, clock, fence),
    async call(name, raw) {
      const { operations, services, rendering } = parts();
      const operation = operations.find((each) => each.name === name);
      if (!operation) {
        const known = operations.map((each) => each.name);
        throw new BrokerError('NOT_FOUND', `There is no operation '${name}'${hint(name, known)}`);
      }
      const result = await operation.handle(readInput(operation, raw) as never, services, { owner: true });
      return rendering.value(operation, result, rendering.own);
    },
  };
}

/** The operations of the configured services, as operations of the broker. */
export const operationsOf = (
  services: readonly BrokerService<any>[],
  parts: () => ServiceParts,
): readonly Operation<any, any>[] =>
  services.flatMap((service) =>
    (service.operations ?? []).map(
      ({ handle, ...declared }): Operation<any, any> => ({
        ...declared,
        class_name: classNameOf(declared.name, declared.kind),
        handle: (input) => handle(input as never, accessOf(service, parts)),
      }),
    ),
  );

const classNameOf = (name: string, kind: 'command' | 'query'): string =>
  `${name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}${kind === 'query' ? 'Query' : 'Command'}`;
