import fc from 'fast-check';
import { smallHistories, largeHistories, type History } from './commands.ts';
import { play } from './play.ts';
import { shorten } from './shorten.ts';
import { plainSetup } from './setup.ts';
import { writeFileSync } from 'node:fs';
// node find.ts seed runs 'only' 'but'
const [seed, runs, pattern = '.', but = '^$', size] = process.argv.slice(2);
const re = new RegExp(pattern);
const skip = new Set(but === '^$' ? [] : but.split(',')) as any;
const t0 = Date.now();
let n = 0;
const seen = new Map<string, number>();
const classes: Record<string, number> = {};
const first = async (h: History) => {
  const { violations } = await play(h, skip);
  const v = violations[0];
  return v && re.test(`${v.rule}: ${v.what}`) ? v : undefined;
};
const klass = (v: any) =>
  `${v.rule} | ${v.what
    .replace(/\b(req|ret)-[-0-9a-f]+/g, '$1')
    .replace(/[0-9]+/g, 'N')
    .slice(0, 130)}`;
for (const h of fc.sample(size === 'large' ? largeHistories : smallHistories, { seed: Number(seed), numRuns: Number(runs) })) {
  n++;
  const v = await first(h);
  if (!v) continue;
  const k = klass(v);
  classes[k] = (classes[k] ?? 0) + 1;
  if (seen.has(k)) continue;
  seen.set(k, 1);
  const s = await shorten(h, v.rule, async (x) => {
    const y = await first(x);
    return y && klass(y).slice(0, 40) === k.slice(0, 40) ? y : undefined;
  });
  const y = await first(s);
  const file = `/tmp/model-prof/f-${seed}-${seen.size}.json`;
  writeFileSync(file, JSON.stringify(s));
  const diff = (a: any, b: any): any =>
    Object.fromEntries(
      Object.entries(a)
        .filter(([k, v]) => JSON.stringify(v) !== JSON.stringify(b[k]))
        .map(([k, v]) => [k, k === 'api' ? diff(v, b[k]) : v]),
    );
  console.log(
    `\n== play ${n}: [${y?.rule}] at ${y?.at}: ${y?.what}\n   ${file}  ${JSON.stringify(diff(s.setup, plainSetup)).replace(/"/g, '')}`,
  );
  for (const c of s.commands) console.log('     ' + JSON.stringify(c).replace(/"/g, ''));
}
console.log(n, 'plays', Date.now() - t0, 'ms');
console.log(classes);
