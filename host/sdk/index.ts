import '../../core/node/refuse-old-node.ts';
/** The public interface for programs: an embedded broker, or a client of a running one. */
export { createBroker, type CreateBrokerOptions } from './create-broker.ts';
export { connect, type ConnectOptions } from './connect.ts';
export type { MachineAnswer, RequestAnswer } from '../../core/contract/answers.ts';
export type { BrokerClient } from './client.ts';
export type { CallOptions, Methods } from './methods.ts';
export type { FollowedEvents, FollowOptions } from './follow-events.ts';
export type { EventView } from '../../core/journal/event-view.ts';
export type { WaitOptions } from './wait-for.ts';
export {
  AlreadyExistsError,
  ConfigurationError,
  HandlerDiscoveryError,
  MethodExecutionError,
  NotFoundError,
  ProviderError,
  SDKError,
} from './errors.ts';
