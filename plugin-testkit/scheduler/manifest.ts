import assert from 'node:assert/strict';
import type { SchedulerStrategy } from '../../core/index.ts';
import type { Checks } from '../runner.ts';

const views = ['requested', 'returned', 'status', 'listed', 'templates', 'reclaims'] as const;

/** Checks of the definition of a strategy. */
export function checkSchedulerManifest({ check }: Checks, strategy: SchedulerStrategy): void {
  check('its name is one word, and its media type, if it has one, is valid', async () => {
    assert.match(
      strategy.name,
      /^[a-z][a-z0-9-]*$/,
      'People write the name into the configuration: small letters, digits and hyphens.',
    );
    if (strategy.media_type === undefined) return;
    assert.match(strategy.media_type, /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=("[^"]*"|[\w.+-]+))*$/);
  });

  check('it has every view, each with the schema of what it renders', async () => {
    for (const name of views) {
      const view = strategy[name];
      assert.equal(typeof view?.render, 'function', `'${name}' renders nothing.`);
      assert.ok(typeof view.schema === 'object' && view.schema !== null, `'${name}' has no schema.`);
      assert.doesNotThrow(() => JSON.stringify(view.schema), `The schema of '${name}' is no JSON.`);
    }
    assert.equal(typeof strategy.listed.entry, 'function');
    assert.equal(typeof strategy.listed.around, 'function');
  });

  check('its file members are functions, and it can read the files that it recognizes', async () => {
    for (const name of ['recognizes', 'readTemplates', 'statusWord'] as const)
      assert.ok(['undefined', 'function'].includes(typeof strategy[name]), `'${name}' must be a function.`);
    if (strategy.recognizes)
      assert.equal(
        typeof strategy.readTemplates,
        'function',
        'It recognizes files but cannot read them; no other strategy would read them.',
      );
  });
}
