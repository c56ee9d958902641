import assert from 'node:assert/strict';
import { isPlugin, type Plugin } from '../core/index.ts';
import type { Checks } from './runner.ts';

const named = [
  'providers',
  'providerApis',
  'schedulers',
  'storages',
  'eventSinks',
  'eventSinkTypes',
  'endpoints',
  'services',
] as const;

/** Checks that hold for every plugin. */
export function checkPlugin({ check }: Checks, plugin: () => Plugin): void {
  check('the plugin is made by definePlugin, has a name, and is written for contract 1', async () => {
    const made = plugin();
    assert.ok(isPlugin(made), 'Make it with definePlugin: other objects are not recognized as plugins.');
    assert.match(
      made.name,
      /^[a-z0-9@][a-z0-9@/._-]*$/,
      'A name is small letters, digits and hyphens, as in `plugins:` of the configuration.',
    );
    assert.equal(made.contract, 1);
  });

  check('the plugin lists its contributions, and has at least one', async () => {
    const made = plugin();
    for (const each of named)
      assert.ok(made[each] === undefined || Array.isArray(made[each]), `'${each}' must be a list.`);
    assert.ok(
      named.some((each) => (made[each] ?? []).length > 0),
      'The plugin contributes nothing: no provider, API, scheduler, storage, event sink, endpoint or service.',
    );
  });
}
