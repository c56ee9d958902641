import './node/refuse-old-node.ts';
/** The public interface: everything that plugins and embedders may import. */
export { answers, type Answers, type MachineAnswer, type RequestAnswer } from './contract/answers.ts';
export { checkedAmounts } from './contract/commits/checked-amounts.ts';
export { ClaimLost, isClaimLost } from './contract/commits/claim-lost.ts';
export { chunks } from './collections/chunks.ts';
export { systemClock, type Clock } from './contract/clock.ts';
export { BrokerError, codes, isBrokerError, type Code } from './contract/errors.ts';
export {
  defineService,
  serviceOperation,
  type BrokerService,
  type ServiceAccess,
  type ServiceCheck,
  type ServiceJob,
  type ServiceOperation,
  type ServiceRecord,
  type ServiceRecordChange,
  type ServiceRecords,
} from './contract/service/service.ts';
export {
  defineEventSinkType,
  type BrokerEvent,
  type EventSink,
  type EventSinkContext,
  type EventSinkType,
} from './contract/events.ts';
export { eventTypes } from './journal/event-types.ts';
export { EventView, eventView } from './journal/event-view.ts';
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
export { asksForDollars, exceeded, type BudgetBounds, type Exceeded } from './model/budget/budget-bounds.ts';
export {
  minus,
  nothingReserved,
  plus,
  reservationOf,
  reservesText,
  type Reservation,
  type Reserved,
  type ReservedPart,
} from './model/budget/reserved.ts';
export { partsIn, reservedIn, scopeKey, scopeOfKey, type BudgetScope, type Reserving } from './model/budget/scope.ts';
export { costOf, machineCost, type Cost, type MachineCost } from './model/cost/cost.ts';
export { priceSources, type Price, type PriceSource } from './model/cost/price.ts';
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
export { isDead } from './contract/commits/is-dead.ts';
export { brokerStates, liveRecords, type StoredBroker } from './brokers/broker-states.ts';
export { claimable, surplusOf, type HeldCount, type LiveBroker, type NeedsCount } from './brokers/fair-share.ts';
export { canServe, needsOf, type NeededInstance } from './brokers/needs.ts';
export {
  BrokerRecord,
  brokerStatuses,
  deadShownMs,
  ServedInstance,
  type BrokerState,
  type BrokerStatus,
} from './model/broker.ts';
export { definePlugin, isPlugin, type EndpointContext, type EndpointScheme, type Plugin } from './contract/plugin.ts';
export { AccountContents, mostListed, type AccountList } from './contract/provider/account-contents.ts';
export type { Call, PluginContext, ProviderCall } from './contract/provider/call.ts';
export type { Capabilities, DeclaredCapabilities } from './contract/provider/capabilities.ts';
export type {
  ReleaseTarget,
  Launch,
  LaunchOrder,
  MachineRef,
  MachineReport,
  Observation,
  Progress,
  Watched,
} from './contract/provider/orders-and-reports.ts';
export { defineProviderApi, type ProviderApi } from './contract/provider/provider-api.ts';
export {
  CheckResult,
  type CheckedTemplate,
  type CheckLevel,
  type ProviderCheck,
} from './contract/provider/provider-check.ts';
export type { ProviderSetup, SetupChoice, StarterTemplate } from './contract/provider/provider-setup.ts';
export type { CredentialState, ProviderState, RateState } from './contract/provider/provider-state.ts';
export {
  defineProviderType,
  type NoticeSource,
  type ProviderType,
  type SessionOf,
} from './contract/provider/provider-type.ts';
export type { HostRef, MachineType, OfferTerms, OwnedResource, Places } from './contract/provider/resources.ts';
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
export { Outage } from './contract/commits/outage.ts';
export { refusals } from './contract/commits/refusals.ts';
export { SharedMarks } from './contract/commits/shared-marks.ts';
export { threadMemory } from './contract/commits/thread-memory.ts';
export { compile, type Compiled, type Parsed, type ParseOptions } from './schema/compile.ts';
export { isObject } from './schema/is-object.ts';
export { camelCase, hint, nearest } from './schema/spelling.ts';
export {
  defineStorage,
  type BudgetCheck,
  type Change,
  type Claim,
  type Fence,
  type Held,
  type JobLease,
  type Match,
  type Page,
  type Query,
  type Renewal,
  type StorageContext,
  type StorageDriver,
  type Store,
} from './contract/storage.ts';
export type { StorageCheck, StorageCopy, StorageMigration } from './contract/upkeep.ts';
export { refuseTransferred, transferred } from './contract/commits/transferred.ts';
export type {
  StorageNumbers,
  StorageSnapshot,
  StoredEpoch,
  StoredRecord,
  TransferEnd,
  TransferMark,
  TransferState,
} from './contract/transfer.ts';
export {
  columnValue,
  columnValues,
  insertable,
  quoted,
  shapes,
  type ColumnValue,
  type Shape,
} from './tables/shapes.ts';
export { pagesOf, storedColumns, storedValues } from './tables/stored-records.ts';
export { onlyRequestId } from './tables/only-request-id.ts';
export { countQuery, selectQuery, type Bind, type SelectQuery, type SqlDialect } from './tables/select-query.ts';
export type { SourceInfo } from './templates/layers.ts';
/** The JSON schema library of the broker. A plugin may use another one, for example `@sinclair/typebox`. */
export { Type, type Static, type TObject, type TSchema } from 'typebox';
