import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codes, BrokerError, type Code } from '../core/contract/errors.ts';
import { faultKinds, faultMeanings, ownFaultCodes } from '../core/contract/fault.ts';
import type { Operation } from '../core/operations/operation.ts';
import { operations as registered } from '../core/operations/registry.ts';
import { rejections } from '../core/selection/candidate.ts';
import { exitCodeOf, exitMeanings } from '../host/cli/exit-codes.ts';
import { failure } from '../host/mcp/tools/envelope.ts';
import { refusalBody, refusalOf } from '../host/rest/refusal.ts';
import { sdkError } from '../host/sdk/errors.ts';
import { table } from './schema-text.ts';

const page = join(import.meta.dirname, '../docs/reference/errors.md');
const generated = '<!-- Made by scripts/errors-page.ts from the code; do not edit. -->';
const operations: readonly Operation<any, any>[] = registered;

/** The reference of everything that can go wrong as it is written, and as it would be made from the tables of the code. */
export function errorsPage(): { readonly written: string; readonly made: string } {
  let written = '';
  try {
    written = readFileSync(page, 'utf8');
  } catch {
    // The first time.
  }
  return { written, made: made() };
}

const all = Object.keys(codes) as Code[];

const made = (): string =>
  `# Errors\n\n${generated}\n\nThree kinds, never mixed. A call that is **refused** has a code of the table below, whatever the face. A **provider's fault** refuses no call: the request says what came of it. What a person typed wrong is told all at once, as **findings**, in the details of the refusal.\n\n## Codes\n\n${overview()}${faces()}${all.map(codeText).join('')}${faults()}${findings()}`.replace(
    /\n+$/,
    '\n',
  );

const classOf = (code: Code): string => sdkError(code, '').name;

const overview = (): string =>
  table(
    ['Code', 'HTTP', 'Exit code', 'Class of the SDK, type over MCP', 'The same call again'],
    all.map((code) => [
      `[\`${code}\`](#${code.toLowerCase()})`,
      String(refusalOf(refused(code)).status),
      String(exitCodeOf({ code })),
      `\`${classOf(code)}\``,
      codes[code].retry ? 'may help, later' : 'does not help',
    ]),
  );

const refused = (code: Code): BrokerError => new BrokerError(code, '');

/** One refusal, as each face shows it: made by the code that shows it. */
function faces(): string {
  const shown = new BrokerError('TEMPLATE_NOT_FOUND', "No template is called 'smal'.", {
    template_id: 'smal',
    suggestion: "Did you mean 'small'?",
  });
  const refusal = refusalOf(shown);
  const body = (form: 'detail' | 'error') => {
    const { error, ...rest } = JSON.parse(refusalBody(refusal, form, 'req-1'));
    return json(error ? { error: { ...error, timestamp: '2026-01-15T09:30:00.000Z' } } : rest);
  };
  const { entity_type, entity_id } = sdkError(shown.code, shown.message, shown.details) as unknown as Record<string, string>;
  const routes = operations.flatMap(({ rest }) =>
    [rest ?? []].flat().map(({ method, path, errors }) => ({ path: `${method} ${path}`, errors })),
  );
  const withError = routes.filter(({ errors }) => errors === 'error').map(({ path }) => `\`${path}\``);
  return [
    '## On each face\n\nThe refusal of a template that does not exist. Messages say what happened, to which thing, and what to do; programs should read the code.\n\n',
    `**REST** answers with the status of the code; 429 and 503 have \`Retry-After\` in seconds. Most routes answer\n\n${body('detail')}`,
    `These answer the longer form, as \`POST /operations/{operation}\` does for every operation: ${withError.join(', ')}.\n\n${body('error')}`,
    `What is not HTTP as it should be is \`INVALID_REQUEST\` with the status that HTTP has for it, e.g. 403 or 431. What nobody foresaw is \`INTERNAL\` and says nothing of the inside: the log has the cause under the \`X-Request-Id\` of the answer.\n\n`,
    `**The command line** prints the message on standard error and ends with\n\n`,
    table(
      ['Exit code', 'Meaning', 'Codes'],
      exitMeanings.map(([exit, meaning]) => [
        String(exit),
        meaning,
        all
          .filter((code) => exitCodeOf({ code }) === exit)
          .map((code) => `\`${code}\``)
          .join(', '),
      ]),
    ),
    `**MCP** answers a result with \`isError\`, as text and as \`structuredContent\`\n\n${json(failure('get_template', { template_id: 'smal' }, shown).structuredContent)}`,
    `**The SDK** rejects with a \`${classOf(shown.code)}\`, which has \`code\`, \`message\` and \`details\`${entity_type === undefined ? '' : `, here also \`entity_type\` (${entity_type}) and \`entity_id\` (${entity_id})`}. All its classes are an \`SDKError\`; [the guide](../guides/sdk.md) has them.\n\n`,
    '## Each code\n\n',
  ].join('');
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n\n`;

function codeText(code: Code): string {
  const { meaning, retry, remedy } = codes[code];
  const by = operations.filter(({ refusals = [] }) => refusals.includes(code)).map(({ name }) => `[\`${name}\`](operations.md#${name})`);
  const whence = by.length === 0 ? '' : `\n\nOf ${by.join(', ')}.`;
  const again = retry ? 'The same call may succeed later.' : 'The same call will be refused again.';
  return `### ${code}\n\n${meaning} ${remedy}\n\nHTTP ${refusalOf(refused(code)).status}, exit code ${exitCodeOf({ code })}, \`${classOf(code)}\`. ${again}${whence}\n\n`;
}

function faults(): string {
  const rows = faultKinds.map((kind) => {
    const { meaning, then, remedy } = faultMeanings[kind];
    return [`\`${kind}\``, meaning, then, remedy];
  });
  return [
    '## Faults of providers\n\n',
    'What a provider did not deliver, by kinds that plugins sort it into. muster does the retries by itself: to ask again for the same machines is not needed, and gives more machines.\n\n',
    table(['Kind', 'Meaning', 'What muster does', 'What helps'], rows),
    "They show in the `message` of a request and in `fulfilment.shortfall` of its status (`kind`, the provider's own `code`, `message`, `count`), on every face; with `--wait` the command line ends with 1 where no machine came and with 6 where fewer came. `get_provider_capabilities` lists offers without capacity, `list_providers` says which instance is unhealthy and why, and the metrics `muster_plugin_call_duration_seconds` and `muster_provider_call_duration_seconds` count them by kind.\n\n",
    "The code is the provider's own, as it came, but for these of muster. A call that did not come in time, or a bug of a plugin, is of the kind `unknown-outcome` where it changes something at the provider, else `unavailable`.\n\n",
    table(
      ['Code', 'Meaning'],
      Object.entries(ownFaultCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    '## Instances that are left out\n\n`rejected` of `test_provider_selection` says what is against each instance, and so do the details of a refusal where none is left.\n\n',
    table(
      ['Code', 'Meaning'],
      Object.entries(rejections).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ].join('');
}

const findings = (): string =>
  '## Findings\n\nWhat is wrong in a template, a configuration or an input, all at once: `findings` in the details of `INVALID_REQUEST`, `TEMPLATE_INVALID` and `INVALID_CONFIGURATION`. Each has a `path` (a JSON pointer) and a `message`; those of files also a `level` (`error`, or `warning`, which refuses nothing) and the `file`.\n';

if (import.meta.main) writeFileSync(page, errorsPage().made);
