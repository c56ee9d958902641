import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes what `npm run build` makes. */
rmSync(join(import.meta.dirname, '../dist'), { recursive: true, force: true });
