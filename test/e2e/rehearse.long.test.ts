import { readFileSync } from 'node:fs';
import test from 'ava';
import { defaultKnobs } from '../../plugins/cloud-simulator/knobs/knobs.ts';
import { rehearsalPage } from '../../scripts/pages/rehearsal.ts';

test("the page 'rehearsal' shows its script and the output of the script in every scenario: npm run generate -- rehearsal", async (t) => {
  for (const { file, written, made } of await rehearsalPage.make()) t.is(written, made, file);
});

test('the page about rehearsing names every knob', (t) => {
  const page = readFileSync(new URL('../../docs/guides/rehearse-your-failures.md', import.meta.url), 'utf8');
  t.deepEqual(
    Object.keys(defaultKnobs).filter((knob) => !page.includes(`\`${knob}\``)),
    [],
  );
});
