import { runPart } from './run-part.ts';

await runPart(import.meta.filename);
