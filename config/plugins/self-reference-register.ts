/** For `node --import`: lets the process resolve `muster` to this installation from any directory. */
import { enableSelfReference } from './self-reference.ts';

enableSelfReference();
