import { pasts } from './histories.ts';
import { Shelf } from './shelf.ts';
import { writeFileSync } from 'node:fs';
const p = pasts.find((x) => x.what.includes(process.argv[2]!))!;
writeFileSync('/tmp/model-prof/past.json', JSON.stringify(p));
