/** For `node --import`: what such a process runs finds this muster under its own name, wherever it lies. */
import { enableSelfReference } from './self-reference.ts';

enableSelfReference();
