import { extensionPoint, type Container } from '../wiring/container.ts';
import type { Operation } from './operation.ts';
import { listCapacity } from './providers/capacity.ts';
import { listBudgets } from './budgets/budgets.ts';
import { listBrokers } from './brokers/brokers.ts';
import { listEvents } from './events/events.ts';
import { getRequestTimeline } from './events/timeline.ts';
import { getOverview } from './overview/overview.ts';
import { getConfiguration } from './providers/configuration.ts';
import {
  getActiveMachineCount,
  getMachine,
  getMachineHealth,
  listMachines,
  listReclaimedMachines,
} from './machines/machines.ts';
import { extendMachines, holdMachines } from './machines/leases.ts';
import { cleanupAllResources, cleanupOldRequests, cleanupTerminatedMachines } from './machines/maintenance.ts';
import {
  testProviderSelection,
  validateProviderConfiguration,
  validateProviderEnvironment,
} from './providers/provider-checks.ts';
import { discoverProvider } from './providers/discover-provider.ts';
import { checkProvider, getProviderHealth } from './providers/provider-health.ts';
import { endOrphans, listOrphans } from './providers/orphans.ts';
import { getProviderMetrics } from './providers/provider-metrics.ts';
import { getProvider, getProviderCapabilities, listProviders } from './providers/providers.ts';
import {
  cancelRequest,
  createRequest,
  createReturnRequest,
  getRequests,
  listRequests,
  listReturnRequests,
  syncAndGetRequest,
} from './requests/requests.ts';
import { planRequest } from './requests/plan.ts';
import { explainRequest } from './requests/explain.ts';
import { createSelectedRequest, getRequestProvider } from './requests/selected-requests.ts';
import {
  completeRequest,
  getRequestSummary,
  populateMachineIds,
  syncRequest,
  updateRequestStatus,
} from './requests/request-commands.ts';
import { validateTemplateForProvider, validateTemplateForProviders } from './templates/template-fits.ts';
import { createTemplate, deleteTemplate, updateTemplate, validateTemplate } from './templates/template-writes.ts';
import { getUsage } from './usage/usage.ts';
import { getTemplate, listTemplates, refreshTemplates } from './templates/templates.ts';

/** All operations of muster. A new operation is one entry in one of the files imported here. */
export const operations = [
  listTemplates,
  getTemplate,
  createTemplate,
  updateTemplate,
  deleteTemplate,
  validateTemplate,
  validateTemplateForProvider,
  validateTemplateForProviders,
  refreshTemplates,
  createRequest,
  createSelectedRequest,
  getRequestProvider,
  createReturnRequest,
  cancelRequest,
  syncAndGetRequest,
  getRequests,
  listRequests,
  listReturnRequests,
  getRequestSummary,
  explainRequest,
  planRequest,
  syncRequest,
  completeRequest,
  updateRequestStatus,
  populateMachineIds,
  listMachines,
  getMachine,
  getActiveMachineCount,
  getMachineHealth,
  listReclaimedMachines,
  extendMachines,
  holdMachines,
  cleanupOldRequests,
  cleanupTerminatedMachines,
  cleanupAllResources,
  getConfiguration,
  listProviders,
  getProvider,
  getProviderCapabilities,
  getProviderMetrics,
  listOrphans,
  endOrphans,
  checkProvider,
  discoverProvider,
  getProviderHealth,
  validateProviderConfiguration,
  validateProviderEnvironment,
  testProviderSelection,
  listCapacity,
  listBrokers,
  listBudgets,
  listEvents,
  getRequestTimeline,
  getOverview,
  getUsage,
] as const;

/** The operations by name: the types of embedding and calling programs. */
export type Operations = { readonly [O in (typeof operations)[number] as O['name']]: O };

export const operationPoint = extensionPoint<Operation<any, any>>('operations');

export function registerOperations(container: Container): void {
  for (const each of operations) container.add(operationPoint, each);
}
