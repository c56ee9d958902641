/** For `node --import`: what such a process runs finds this muster under its own name, wherever it lies. */
import { answerToOwnName } from './self-reference.ts';

answerToOwnName();
