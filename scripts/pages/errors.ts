import { codes, BrokerError, type Code } from '../../core/contract/errors.ts';
import { faultKinds, faultMeanings, ownFaultCodes } from '../../core/contract/fault.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { operations as registered } from '../../core/operations/registry.ts';
import { rejections } from '../../core/selection/candidate.ts';
import { exitCodeOf, exitMeanings } from '../../host/cli/exit-codes.ts';
import { failure } from '../../host/mcp/tools/envelope.ts';
import { refusalBody, refusalOf } from '../../host/rest/refusal.ts';
import { sdkError } from '../../host/sdk/errors.ts';
import { table } from '../markdown/schema-text.ts';
import { generated, madeFile, type Page } from './page.ts';

const operations: readonly Operation<any, any>[] = registered;

/** Everything that can go wrong, from the tables of the code. */
export const errorsPage: Page = {
  name: 'errors',
  make: async () => [madeFile('docs/reference/errors.md', text)],
};

const all = Object.keys(codes) as Code[];

const text = (): string =>
  `# Errors\n\n${generated('errors', 'the code')}\n\nmuster reports three kinds of problems and never mixes them. A **refused** call has a code of the table below, on every interface. A **provider's fault** refuses no call: the request reports its outcome. Mistakes in something that a person typed are **findings**: the details of the refusal list all of them at once.\n\n## Codes\n\n${overview()}${interfaces()}${all.map(codeText).join('')}${faults()}${findings()}`.replace(
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

/** One refusal as each interface shows it, made by the code of that interface. */
function interfaces(): string {
  const shown = new BrokerError('TEMPLATE_NOT_FOUND', "No template is called 'smal'.", {
    template_id: 'smal',
    suggestion: "Did you mean 'small'?",
  });
  const refusal = refusalOf(shown);
  const body = (form: 'detail' | 'error') => {
    const { error, ...rest } = JSON.parse(refusalBody(refusal, form, 'req-1'));
    return json(error ? { error: { ...error, timestamp: '2026-01-15T09:30:00.000Z' } } : rest);
  };
  const { entity_type, entity_id } = sdkError(shown.code, shown.message, shown.details) as unknown as Record<
    string,
    string
  >;
  const routes = operations.flatMap(({ rest }) =>
    [rest ?? []].flat().map(({ method, path, errors }) => ({ path: `${method} ${path}`, errors })),
  );
  const withError = routes.filter(({ errors }) => errors === 'error').map(({ path }) => `\`${path}\``);
  return [
    '## On each interface\n\nThe example is the refusal of a template that does not exist. A message says what happened, to which thing, and what to do; programs should read the code.\n\n',
    `**REST** answers with the status of the code; 429 and 503 have \`Retry-After\` in seconds. Most routes answer\n\n${body('detail')}`,
    `These routes answer the longer form, as \`POST /operations/{operation}\` does for every operation: ${withError.join(', ')}.\n\n${body('error')}`,
    `A malformed HTTP message is \`INVALID_REQUEST\` with the status that HTTP defines for it, e.g. 403 or 431. An unexpected error is \`INTERNAL\` and reveals no internals: the log has the cause under the \`X-Request-Id\` of the answer.\n\n`,
    `**The command line** prints the message on standard error and ends with one of these codes:\n\n`,
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
    `**MCP** answers a result with \`isError\`, as text and as \`structuredContent\`:\n\n${json(failure('get_template', { template_id: 'smal' }, shown).structuredContent)}`,
    `**The SDK** rejects with a \`${classOf(shown.code)}\`, which has \`code\`, \`message\` and \`details\`${entity_type === undefined ? '' : `, here also \`entity_type\` (${entity_type}) and \`entity_id\` (${entity_id})`}. All its classes extend \`SDKError\`; [the guide](../guides/sdk.md) lists them.\n\n`,
    '## Each code\n\n',
  ].join('');
}

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n\n`;

function codeText(code: Code): string {
  const { meaning, retry, remedy } = codes[code];
  const by = operations
    .filter(({ refusals = [] }) => refusals.includes(code))
    .map(({ name }) => `[\`${name}\`](operations.md#${name})`);
  const whence = by.length === 0 ? '' : `\n\nFrom ${by.join(', ')}.`;
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
    'A fault says why a provider did not deliver; the plugin assigns its kind. muster retries by itself: a caller need not ask again for the same machines, and gets additional machines if it does.\n\n',
    table(['Kind', 'Meaning', 'What muster does', 'What helps'], rows),
    "A fault appears in the `message` of a request and in `fulfilment.shortfall` of its status (`kind`, the provider's own `code`, `message`, `count`), on every interface. With `--wait` the command line ends with 1 if no machine came and with 6 if fewer came than requested. `explain_request` has them for each order, with the time and the number of equal answers, `list_capacity` lists offers without capacity, `list_providers` says which instance is unhealthy and why, and the metrics `muster_plugin_call_duration_seconds` and `muster_provider_call_duration_seconds` count faults by kind. [Why did my request fail?](../guides/why-did-my-request-fail.md) goes from the symptom to the remedy.\n\n",
    "The code is the provider's own, unchanged, except for the codes of muster itself below. A call that exceeds its time limit, or fails because of a bug in a plugin, has the kind `unknown-outcome` if it changes something at the provider, otherwise `unavailable`.\n\n",
    table(
      ['Code', 'Meaning'],
      Object.entries(ownFaultCodes).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    '## Rejected instances\n\n`rejected` of `test_provider_selection` says why each instance is not eligible; so do the details of a refusal if no instance is eligible.\n\n',
    table(
      ['Code', 'Meaning'],
      Object.entries(rejections).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
  ].join('');
}

const findings = (): string =>
  '## Findings\n\nAll mistakes in a template, a configuration or an input: `findings` in the details of `INVALID_REQUEST`, `TEMPLATE_INVALID` and `INVALID_CONFIGURATION`. Each finding has a `path` (a JSON pointer) and a `message`; findings of files also have a `level` (`error`, or `warning`, which refuses nothing) and the `file`.\n';
