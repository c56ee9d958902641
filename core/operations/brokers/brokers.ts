import { Type, type Static } from 'typebox';
import { brokerStatuses, ServedInstance, type BrokerState, type BrokerStatus } from '../../model/broker.ts';
import { isoTime } from '../iso-time.ts';
import { operation } from '../operation.ts';

const BrokerView = Type.Object({
  broker_id: Type.String(),
  host: Type.String(),
  pid: Type.Integer(),
  version: Type.String(),
  address: Type.Union([Type.String(), Type.Null()], { description: 'Where it serves HTTP. null: not known.' }),
  started_at: Type.String(),
  lease_until: Type.String({ description: 'Until then it counts as alive, by the clock of the storage.' }),
  status: Type.Unsafe<BrokerStatus>(
    Type.Enum([...brokerStatuses], {
      description:
        '`live`; `draining`: it stops and takes no more requests; `dead`: its lease ended, and others took its requests over. A dead broker is listed for ten minutes.',
    }),
  ),
  serves: Type.Array(ServedInstance, {
    description: 'The provider instances that it can serve. Without `identity`: it has not connected to them yet.',
  }),
  holds: Type.Integer({ description: 'The number of requests that it works on.' }),
  warnings: Type.Array(Type.String()),
});
type BrokerView = Static<typeof BrokerView>;

export const listBrokers = operation('ListBrokersQuery', {
  summary: 'List the brokers that share the storage, with the provider instances that each can serve.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({ brokers: Type.Array(BrokerView) }),
  rest: { method: 'GET', path: '/brokers/', limit: 'read' },
  cli: { command: 'brokers list', example: 'muster brokers list' },
  async handle(_input, { brokers }) {
    const all = await brokers();
    return { brokers: all.map((broker) => viewOf(broker, all)) };
  },
});

function viewOf(broker: BrokerState, all: readonly BrokerState[]): BrokerView {
  const { broker_id, host, pid, version, address = null, started, lease_until, status, serves, holds } = broker;
  return {
    broker_id,
    host,
    pid,
    version,
    address,
    started_at: isoTime(started),
    lease_until: isoTime(lease_until),
    status,
    serves: serves.map((served) => ({ ...served })),
    holds,
    warnings: [...warningsOf(broker, all)],
  };
}

/** Instances with the same name and another cloud behind it: a request goes only to brokers with the cloud it began at. */
export function warningsOf(
  broker: Pick<BrokerState, 'broker_id' | 'serves'>,
  all: readonly Pick<BrokerState, 'broker_id' | 'host' | 'pid' | 'status' | 'serves'>[],
): readonly string[] {
  const others = all.filter(({ broker_id, status }) => broker_id !== broker.broker_id && status !== 'dead');
  return broker.serves.flatMap(({ name, identity }) =>
    others.flatMap(({ host, pid, serves }) => {
      const theirs = serves.find((each) => each.name === name)?.identity;
      if (identity === undefined || theirs === undefined || identity === theirs) return [];
      return [
        `Instance '${name}' is '${identity}' here and '${theirs}' at the broker on ${host} (pid ${pid}). Give different clouds different names.`,
      ];
    }),
  );
}
