import { readFileSync } from 'node:fs';
import test from 'ava';
import { defaultKnobs } from '../../plugins/cloud-simulator/knobs/knobs.ts';
import { rehearsalPage } from '../../scripts/rehearsal-page.ts';

test('the page about rehearsing shows its script, and what that says in every scenario today', async (t) => {
  const { written, made } = await rehearsalPage();
  t.is(written, made, 'Run `node scripts/rehearsal-page.ts` and look at what changed.');
});

test('the page about rehearsing names every knob', (t) => {
  const page = readFileSync(new URL('../../docs/guides/rehearse-your-failures.md', import.meta.url), 'utf8');
  t.deepEqual(
    Object.keys(defaultKnobs).filter((knob) => !page.includes(`\`${knob}\``)),
    [],
  );
});
