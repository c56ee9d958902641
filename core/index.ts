/** The public interface: everything that plugins and embedders may import. */
export { answers, type Answers, type MachineAnswer, type RequestAnswer } from './contract/answers.ts';
export { checkedAmounts } from './contract/commits/checked-amounts.ts';
export { ClaimLost, isClaimLost } from './contract/commits/claim-lost.ts';
export { chunks } from './collections/chunks.ts';
export { systemClock, type Clock } from './contract/clock.ts';
export { BrokerError, codes, isBrokerError, type Code } from './contract/errors.ts';
export type { BrokerEvent, EventSink } from './contract/events.ts';
export { faultKinds, isFault, ProviderFault, type FaultDetails, type FaultKind } from './contract/fault.ts';
export { isError, sentence, sentences, type Finding } from './contract/findings.ts';
export { silentLog, type Log } from './contract/log.ts';
export { noticeKinds, type Notice, type NoticeMessage } from './contract/notice.ts';
export { machineMessage } from './model/machine.ts';
export {
  machineKey,
  machineStatuses,
  type MachineKey,
  type MachineRecord,
  type MachineStatus,
} from './model/machine.ts';
export { marketWord, type Market, type MarketWord } from './model/market.ts';
export type { AttemptRecord, AttemptState } from './model/attempt.ts';
export { kinds, type Column, type Kind, type KeyOf, type Records } from './model/kinds.ts';
export type { EventRecord, FactRecord, KeyRecord, TemplateRecord } from './model/records.ts';
export {
  isTerminal,
  ProviderSelection,
  requestStatuses,
  type RequestRecord,
  type RequestStatus,
} from './model/request.ts';
export { Fulfilment, Shortfall, type Offer } from './model/shortfall.ts';
export {
  CommonTemplate,
  commonTemplateFields,
  templateIdPattern,
  type Template,
  type TemplateOf,
} from './model/template.ts';
export type { SignalRecord } from './model/signal.ts';
export type { ObjectSchema, ValueOf } from './schema/object-schema.ts';
export { isDead } from './contract/commits/owner.ts';
export { definePlugin, isPlugin, type EndpointContext, type EndpointScheme, type Plugin } from './contract/plugin.ts';
export {
  defineProviderApi,
  defineProviderType,
  type ReleaseTarget,
  type Call,
  type Capabilities,
  type DeclaredCapabilities,
  type HostRef,
  type Launch,
  type LaunchOrder,
  type MachineRef,
  type MachineReport,
  type MachineType,
  type NoticeSource,
  type Observation,
  type OwnedResource,
  type Places,
  type PluginContext,
  type ProviderCall,
  type Progress,
  type ProviderApi,
  type ProviderType,
  type SessionOf,
  type Watched,
} from './contract/provider.ts';
export {
  listView,
  type ListView,
} from './contract/scheduler.ts';
export type {
  CanonicalTemplate,
  ListOf,
  Reclaimed,
  RequestDetail,
  SchedulerStrategy,
  TemplateDetail,
  TemplateLayer,
  TemplatesRead,
  WrittenKey,
  View,
} from './contract/scheduler.ts';
export { refusals } from './contract/commits/refusals.ts';
export { compile, type Compiled, type Parsed, type ParseOptions } from './schema/compile.ts';
export { isObject } from './schema/is-object.ts';
export { camelCase, hint, nearest } from './schema/spelling.ts';
export {
  defineStorage,
  type Change,
  type Claim,
  type Match,
  type Owner,
  type Page,
  type Query,
  type StorageCheck,
  type StorageContext,
  type StorageCopy,
  type StorageDriver,
  type Store,
} from './contract/storage.ts';
export type { SourceInfo } from './templates/layers.ts';
/** The JSON schema library of the broker. A plugin may use another one, for example `@sinclair/typebox`. */
export { Type, type Static, type TObject, type TSchema } from 'typebox';
