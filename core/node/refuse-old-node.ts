import { tooOldNode } from './too-old-node.ts';

/** Imported first by every entry of the package: the rest would fail later, for reasons that do not name the Node. */
const problem = tooOldNode(process);
if (problem !== undefined) throw new Error(problem);
