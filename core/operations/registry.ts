import { extensionPoint, type Container } from '../container.ts';
import type { Operation } from './operation.ts';
import { getProviderCapabilities } from './providers.ts';
import { cancelRequest, createRequest, createReturnRequest, listRequests, listReturnRequests, syncAndGetRequest } from './requests.ts';
import { getTemplate, listTemplates, refreshTemplates } from './templates.ts';

/** Everything that muster can do. A new operation is one entry in one of the files imported here. */
export const operations: readonly Operation<any, any>[] = [
  listTemplates,
  getTemplate,
  refreshTemplates,
  createRequest,
  createReturnRequest,
  cancelRequest,
  syncAndGetRequest,
  listRequests,
  listReturnRequests,
  getProviderCapabilities,
];

export const operationPoint = extensionPoint<Operation<any, any>>('operations');

export function registerOperations(container: Container): void {
  for (const each of operations) container.add(operationPoint, each);
}
