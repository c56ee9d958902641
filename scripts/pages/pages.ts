import { apiPage } from './api.ts';
import { cliDeclarationsPage } from './cli-declarations.ts';
import { cliPage } from './cli.ts';
import { cloudPage } from './cloud.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { licencesPage } from './licences.ts';
import { mcpPage } from './mcp.ts';
import { operationsPage } from './operations.ts';
import type { Page } from './page.ts';
import { rehearsalPage } from './rehearsal.ts';
import { restPage } from './rest.ts';
import { sdkPage } from './sdk.ts';
import { simulatorParametersPage } from './simulator-parameters.ts';
import { writingPage } from './writing.ts';

/** Everything that is generated, in the order in which it is made: a page stands below those that it is made from. */
export const pages: readonly Page[] = [
  simulatorParametersPage,
  cliDeclarationsPage,
  cliPage,
  operationsPage,
  restPage,
  mcpPage,
  sdkPage,
  errorsPage,
  eventsPage,
  configurationPage,
  cloudPage,
  writingPage,
  licencesPage,
  apiPage,
  rehearsalPage,
];
