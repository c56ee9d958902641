import { Type, type Static } from 'typebox';
import { sharedDifferencesOf } from '../../brokers/differences.ts';
import { brokerStatuses, ServedInstance, type BrokerState, type BrokerStatus } from '../../model/broker.ts';
import { isoTime } from '../../schema/iso-time.ts';
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
  serves: Type.Array(Type.Pick(ServedInstance, ['name', 'type', 'identity']), {
    description: 'The provider instances that it can serve. Without `identity`: it has not connected to them yet.',
  }),
  holds: Type.Integer({ description: 'The number of requests that it works on.' }),
  warnings: Type.Array(Type.String(), {
    description:
      'How its instances and template files differ from those of the other brokers. A dead broker is not compared.',
  }),
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
    const live = all.filter(({ status }) => status !== 'dead');
    return { brokers: all.map((broker) => viewOf(broker, live)) };
  },
});

function viewOf(broker: BrokerState, live: readonly BrokerState[]): BrokerView {
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
    serves: serves.map(({ name, type, identity }) => ({
      name,
      type,
      ...(identity === undefined ? {} : { identity }),
    })),
    holds,
    warnings: status === 'dead' ? [] : [...sharedDifferencesOf(broker, live)],
  };
}
