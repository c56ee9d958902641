import assert from 'node:assert/strict';
import { isError, type SchedulerStrategy } from '../../core/index.ts';
import type { Checks } from '../runner.ts';
import { deepFrozen } from './deep-frozen.ts';
import { callPure } from './call-pure.ts';
import { paths, withPart } from './places.ts';
import { readerOf, excerptOf } from './reader.ts';
import { checkTemplatesOf } from './templates-of.ts';
import type { SchedulerSubject } from './subject.ts';

/** Values that may replace any part by mistake. */
const oddParts: readonly unknown[] = [null, true, 1e21, '', 'x=1;y', [], [null, [7]], {}, { a: { b: [] } }];

/** Contents that are no template file. */
const nonsense: readonly unknown[] = [
  null,
  true,
  7,
  '',
  'templates',
  [],
  {},
  [null],
  [[]],
  [7, 'x', true],
  [{}],
  { templates: null },
  { templates: {} },
  { templates: 'x' },
  { templates: [null, 7, 'x', [], {}] },
  { templates: [{ template_id: 7 }, { templateId: null }, { template_id: {} }] },
  { templates: [{ template_id: 'a', tags: 7, attributes: 'x', subnet_ids: {}, max_instances: [] }] },
  { templates: [{ templateId: 'a', attributes: null, vmTypes: 7, instanceTags: [], maxNumber: {} }] },
  JSON.parse('{"__proto__": {"templates": []}, "constructor": 1}'),
  { scheduler_type: 7, templates: [{ template_id: 'a' }, { template_id: 'a' }] },
];

/** Checks of reading template files. */
export function checkFiles(
  checks: Checks,
  strategy: SchedulerStrategy,
  { files = [], foreignFiles = [], fields = [] }: SchedulerSubject,
): void {
  const { when } = checks;
  const read = readerOf(strategy, fields);
  const recognizes = strategy.recognizes?.bind(strategy);
  const samples = read && files.length > 0 ? { read } : undefined;
  const noSamples = read ? '`files` of the dialect' : 'a strategy that reads templates';

  when(
    recognizes,
    'a strategy that recognizes files',
    'recognizes answers for any content of a file, and never throws',
    async (knows) => {
      for (const file of nonsense)
        for (const name of ['templates.json', '', 'x.yaml']) {
          const what = `of ${excerptOf(file)}`;
          assert.equal(typeof callPure(() => knows(deepFrozen(file), name), what), 'boolean', what);
        }
    },
  );

  when(
    recognizes && files.length > 0 ? recognizes : undefined,
    recognizes ? noSamples : 'a strategy that recognizes files',
    'recognizes returns true for files of the dialect',
    async (knows) => {
      for (const { content, name } of files) assert.equal(knows(deepFrozen(content), name), true, name);
    },
  );

  when(
    recognizes && foreignFiles.length > 0 ? recognizes : undefined,
    recognizes ? '`foreignFiles`, files of other dialects' : 'a strategy that recognizes files',
    'recognizes returns false for files of other dialects',
    async (knows) => {
      for (const { content, name } of foreignFiles) assert.equal(knows(deepFrozen(content), name), false, name);
    },
  );

  when(
    read,
    'a strategy that reads templates',
    'readTemplates reads no template from other content, reports it, and never throws',
    async (readIn) => {
      for (const file of nonsense) {
        const { layers, findings } = readIn(file);
        for (const { template_id } of layers) assert.equal(typeof template_id, 'string', `of ${JSON.stringify(file)}`);
        for (const { level, path, message } of findings) {
          assert.ok(['error', 'warning'].includes(level), `of ${JSON.stringify(file)}`);
          assert.match(path, /^(\/|$)/, `A finding of ${JSON.stringify(file)} has no path.`);
          assert.notEqual(message, '');
        }
      }
      for (const file of [null, 7, 'templates'])
        assert.ok(
          readIn(file).findings.some(isError),
          `${JSON.stringify(file)} is not a template file, but no error is reported.`,
        );
    },
  );

  for (const { name, content, templates, errors = [] } of files)
    when(read, 'a strategy that reads templates', `${name} is read as expected`, async (readIn) => {
      const { layers, findings } = readIn(content);
      const known = Object.fromEntries(
        layers.map(({ template_id, fields: found }) => [template_id, { ...found, template_id }]),
      );
      assert.deepEqual(
        known,
        Object.fromEntries(Object.entries(templates).map(([id, wanted]) => [id, { ...wanted, template_id: id }])),
      );
      assert.deepEqual(
        findings
          .filter(isError)
          .map(({ path }) => path)
          .toSorted(),
        errors.toSorted(),
      );
    });

  when(
    samples,
    noSamples,
    'the same file is read the same way twice, and is not changed',
    async ({ read: readIn }) => {
      for (const { name, content } of files) assert.deepEqual(readIn(content), readIn(content), name);
    },
  );

  when(samples, noSamples, 'a file with any part replaced is read without a throw', async ({ read: readIn }) => {
    for (const { name, content } of files)
      for (const path of paths(content).slice(0, 300))
        for (const odd of oddParts) {
          const file = withPart(content, path, odd);
          readIn(file);
          const known = recognizes && callPure(() => recognizes(deepFrozen(file), name), `of ${excerptOf(file)}`);
          assert.ok(known === undefined || typeof known === 'boolean', `of ${excerptOf(file)}`);
        }
  });

  checkTemplatesOf(checks, files, samples?.read, noSamples);
}
