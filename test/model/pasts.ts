import { pasts } from './histories.ts';
import { play } from './play.ts';
for (const past of pasts) {
  if (process.argv[2] && !past.what.includes(process.argv[2])) continue;
  const { violations } = await play(past);
  console.log(
    violations[0] ? (violations[0].rule === past.broke ? 'found ' : 'OTHER ') + `[${violations[0].rule}] ${violations[0].what}` : 'ok    ',
    '<-',
    past.what,
    past.broke,
  );
}
