import { answers, MachineAnswer, RequestAnswer } from '../../core/contract/answers.ts';
import { codes, type Code } from '../../core/contract/errors.ts';
import { ProviderSelection } from '../../core/model/request.ts';
import { Fulfilment, Shortfall } from '../../core/model/shortfall.ts';
import { CommonTemplate } from '../../core/model/template.ts';
import { MachineView } from '../../core/operations/machines/machine-views.ts';
import type { Operation } from '../../core/operations/operation.ts';
import { ProviderView } from '../../core/operations/providers/provider-views.ts';
import { operations } from '../../core/operations/registry.ts';
import { camelCase } from '../../core/schema/spelling.ts';
import { publicSchema, unnamed, type Json } from '../../host/schema/public-schema.ts';
import { sdkError } from '../../host/sdk/errors.ts';
import { betweenMarks } from '../markdown/between-marks.ts';
import { fieldRows, schemaText, table } from '../markdown/schema-text.ts';
import { generated, madeFile, type Page } from './page.ts';
import { exampleParts } from './sdk/example-parts.ts';

/** Every method of the SDK, and the generated parts of the guide to the SDK. */
export const sdkPage: Page = {
  name: 'sdk',
  make: async () => {
    const parts = exampleParts();
    return [
      madeFile('docs/reference/sdk.md', () => reference(parts)),
      madeFile('docs/guides/sdk.md', (written) => guide(written, parts)),
    ];
  },
};

const block = (code: string): string => `\`\`\`ts\n${code}\`\`\`\n`;

/** The guide with the contents of its marks: a table, or the part of an example with that name. */
function guide(written: string, parts: ReadonlyMap<string, string>): string {
  let made = betweenMarks(written, 'errors', errorTable());
  for (const [, name = ''] of written.matchAll(/^<!-- example-(\S+) -->$/gm))
    made = betweenMarks(made, `example-${name}`, block(partOf(name, parts)));
  return made;
}

function partOf(name: string, parts: ReadonlyMap<string, string>): string {
  const part = parts.get(name);
  if (part === undefined) throw new Error(`docs/examples/sdk has no part '${name}'.`);
  return part;
}

/** Shapes that several methods refer to, by their properties. */
const shapes: readonly (readonly [string, Json, string])[] = [
  ['Request', RequestAnswer, 'The state of a request for machines or of a return.'],
  ['RequestMachine', MachineAnswer, 'A machine inside a request.'],
  ['Fulfilment', Fulfilment, 'The outcome of a request.'],
  ['Shortfall', Shortfall, 'Why fewer machines came than requested.'],
  ['ProviderSelection', ProviderSelection, 'Why a provider instance serves a request.'],
  ['Machine', MachineView, 'A machine on its own.'],
  ['Provider', ProviderView, 'A provider instance.'],
  [
    'Template',
    CommonTemplate,
    'The fields that every template may have. The fields of plugins stand beside them, and `source_info` if the call asks for it.',
  ],
];
const named = new Map(shapes.map(([name, schema]) => [schema['properties'] as object, name]));

function reference(parts: ReadonlyMap<string, string>): string {
  const all: readonly Operation<any, any>[] = operations;
  const intro = `# SDK reference\n\n${generated('sdk', 'the operations and docs/examples/sdk')}\n\nThe methods of the client that \`createBroker\` and \`connect\` resolve to; [the guide](../guides/sdk.md) shows how to use them. Each method is called \`(input, options)\` and returns a promise of its answer; \`options\` may have a \`signal\` and an \`idempotency_key\`. Every method also has a camelCase name, and every field of an input may be written in camelCase.\n\nThe examples are programs below [docs/examples/sdk](../examples/sdk), where \`muster\` is the client; tests run them and compare their output with the comments.\n\n`;
  const overview = table(
    ['Method', 'In camelCase', 'What it does'],
    all.map(({ name, summary }) => [`[\`${name}\`](#${name})`, `\`${camelCase(name)}\``, summary]),
  );
  const shapesText = shapes.map(
    ([name, schema, about]) => `### ${name}\n\n${about}\n\n${answerTable('Field', unnamed(schema, named))}`,
  );
  const made = `${intro}## Methods\n\n${overview}${all.map((each) => methodText(each, parts)).join('')}## Shapes\n\n${shapesText.join('')}`;
  return made.replace(/\n+$/, '\n');
}

function methodText(
  { name, class_name, summary, input, output, refusals = [] }: Operation<any, any>,
  parts: ReadonlyMap<string, string>,
): string {
  const rows = fieldRows(publicSchema(input as Json, named));
  const open =
    (input as Json)['additionalProperties'] === true ? 'Also any field of a [Template](#template).\n\n' : '';
  const given = rows.length > 0 ? `${table(['Input', 'Type', 'Default', 'Meaning'], rows)}${open}` : 'No input.\n\n';
  return [
    `### ${name}\n\n\`${name}\`, \`${camelCase(name)}\` (${class_name})\n\n${summary}\n\n`,
    given,
    answerText(publicSchema(typeof output === 'string' ? answers[output as keyof typeof answers] : output, named)),
    `Refusals: ${refusalsText(['INVALID_REQUEST', ...refusals])}.\n\n`,
    parts.has(name) ? `${block(partOf(name, parts))}\n` : '',
  ].join('');
}

const answerText = (schema: Json): string =>
  schema['$ref'] ? `Answer: ${schemaText(schema)}.\n\n` : answerTable('Answer', schema);

/** Fields as they come. */
const answerTable = (head: string, schema: Json): string =>
  table(
    [head, 'Type', 'There', 'Meaning'],
    fieldRows(schema).map(([name = '', type = '', need, meaning = '']) => [
      name,
      type,
      need === 'required' ? 'always' : 'sometimes',
      meaning,
    ]),
  );

const classOf = (code: Code): string => sdkError(code, '').name;
const refusalsText = (given: readonly Code[]): string =>
  [...Map.groupBy(given, classOf)].map(([name, mine]) => `\`${name}\` (${mine.join(', ')})`).join(', ');

/** The classes of errors, with their codes. */
function errorTable(): string {
  const all = Object.keys(codes) as Code[];
  const byClass = Map.groupBy(all, classOf);
  const order = [
    'NotFoundError',
    'AlreadyExistsError',
    'ConfigurationError',
    'ProviderError',
    'HandlerDiscoveryError',
    'MethodExecutionError',
  ];
  return table(
    ['Class', 'Code', 'When'],
    order.flatMap((name) =>
      (byClass.get(name) ?? [])
        .filter((code) => !unseen.has(code))
        .map((code, place) => [
          place === 0 ? `\`${name}\`` : '',
          code,
          code === 'NOT_FOUND' ? 'There is no such method.' : codes[code].meaning,
        ]),
    ),
  );
}

/** A program that calls methods cannot meet these. */
const unseen = new Set<Code>(['METHOD_NOT_ALLOWED', 'UNSUPPORTED_MEDIA_TYPE', 'NOT_IMPLEMENTED']);
