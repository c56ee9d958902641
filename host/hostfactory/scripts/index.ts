import type { Script } from '../client/script.ts';
import type { ScriptName } from '../client/script-call.ts';
import { getAvailableMachines } from './get-available-machines.ts';
import { getAvailableTemplates } from './get-available-templates.ts';
import { getRequestStatus } from './get-request-status.ts';
import { getReturnRequests } from './get-return-requests.ts';
import { requestMachines } from './request-machines.ts';
import { requestReturnMachines } from './request-return-machines.ts';

export const scripts: Readonly<Record<ScriptName, Script>> = {
  getAvailableTemplates,
  requestMachines,
  requestReturnMachines,
  getRequestStatus,
  getReturnRequests,
  getAvailableMachines,
};
